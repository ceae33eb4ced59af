/** Which endpoints receive an event, and the body of a webhook. */
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { type Delivery, MAX_CONTENT_CHARACTERS } from "../../../../core/channels/outbox/delivery.ts";
import {
  endpointSettingSchema,
  getInterests,
  isForEndpoints,
  expandPatterns,
} from "../../../../core/channels/webhooks/endpoint.ts";
import { NOTICE_TYPES, type Notice, type NoticeFacts } from "../../../../core/task/notice.ts";
import { hasRecipient } from "../../../../core/channels/webhooks/interest.ts";
import { createBody, createEventContent, MAX_BODY_BYTES } from "../../../../core/channels/webhooks/body.ts";
import { parseRetryAfter } from "../../../../core/channels/webhooks/reply.ts";
import { signWebhook, writeSecret } from "../../../../core/channels/webhooks/signature.ts";
import type { TaskView } from "../../../../core/task/view.ts";
import { report, START } from "../../../contracts/database/rows.ts";

const facts: NoticeFacts = {
  task: "task_a",
  rootId: "task_a",
  parentId: null,
  isHidden: false,
  project: null,
  agent: { id: "agent_default", version: 1 },
  via: { channel: "api", id: null },
  deliver: [],
};
const notice = (data: Notice["data"] = {}): Notice => {
  return { facts, seq: 7, type: "task.completed", at: "2026-11-21T10:00:00.000Z", data };
};
const view = (change: Partial<TaskView> = {}): TaskView => ({ ...report({ task: "task_a" }).view, ...change });

function said(content: { readonly body: string }) {
  return JSON.parse(content.body);
}

describe("an endpoint's events", () => {
  test("are named by types, by families, or all at once", () => {
    expect(expandPatterns(["*"])).toEqual(NOTICE_TYPES);
    expect(expandPatterns(["task.failed", "task.failed", "task.completed"])).toEqual(["task.completed", "task.failed"]);
    expect(expandPatterns(["approval.*"])).toEqual(["approval.requested", "approval.decided", "approval.expired"]);
    expect(expandPatterns(["connection.*"])).toEqual(["connection.requested", "connection.ready"]);
    expect(expandPatterns(["task.*"]).every((type) => type.startsWith("task."))).toBe(true);
    expect(expandPatterns([])).toEqual([]);
  });

  test("are empty for a disabled endpoint", () => {
    const failures = { enabled: true, events: ["task.failed" as const] };
    expect(getInterests([failures, { enabled: false, events: ["*"] }])).toEqual(["task.failed"]);
  });

  test("include only what people are asked for by subtasks, and nothing of hidden tasks", () => {
    const part = { ...facts, parentId: "task_b" };
    expect(NOTICE_TYPES.filter((type) => isForEndpoints(part, type))).toEqual(
      expandPatterns(["question.*", "approval.*", "connection.*"]),
    );
    expect(NOTICE_TYPES.filter((type) => isForEndpoints({ ...facts, isHidden: true }, type))).toEqual([]);
    expect(hasRecipient(part, notice(), ["task.completed"])).toBe(false);
    expect(hasRecipient(facts, notice(), ["task.completed"])).toBe(true);
    expect(hasRecipient(facts, notice(), ["task.failed"])).toBe(false);
  });

  test.each([
    { url: "https://a.example", events: [] },
    { url: "https://a.example", events: ["step.started"] },
    { url: "https://a.example", events: ["task"] },
    { url: "", events: ["*"] },
    { url: `https://a.example/${"x".repeat(2000)}`, events: ["*"] },
    { url: "https://a.example", events: ["*"], secret: "whsec_mine" },
  ])("rejects the setting %o", (setting) => {
    expect(endpointSettingSchema.safeParse(setting).success).toBe(false);
  });
});

describe("the body of an event", () => {
  test("has type, time, the event's data and the task", () => {
    expect(said(createEventContent("whk_a", notice({ reason: null }), view()))).toEqual({
      type: "task.completed",
      timestamp: "2026-11-21T10:00:00.000Z",
      data: { task_id: "task_a", reason: null, task: view() },
    });
  });

  test.each([
    ["input", { input: "é".repeat(140_000) }, ["task.input"]],
    ["output", { output: { text: "x".repeat(300_000), files: [] } }, ["task.input", "task.output"]],
    ["metadata", { metadata: { much: "x".repeat(300_000) } }, ["task"]],
  ] as const)("leaves out a large %s and says so", (_, change, leftOut) => {
    const content = createEventContent("whk_a", notice({ reason: null }), view(change));
    expect(said(content).data).toMatchObject({ task_id: "task_a", reason: null, left_out: leftOut });
    expect(new TextEncoder().encode(content.body).length).toBeLessThanOrEqual(MAX_BODY_BYTES);
  });

  test("leaves out large data of the event too", () => {
    const content = createEventContent("whk_a", notice({ query: "x".repeat(300_000) }), view());
    expect(said(content).data).toEqual({ task_id: "task_a", left_out: ["task", "data"] });
  });

  test("fits an outbox, however much has to be escaped twice", () => {
    const content = createEventContent("whk_a", notice(), view({ input: '"\u0000\\'.repeat(30_000) }));
    expect(JSON.stringify(content).length).toBeLessThanOrEqual(MAX_CONTENT_CHARACTERS);
    expect(said(content).data.left_out).toEqual(["task.input"]);
  });

  test("of another delivery has the message's text", () => {
    const message = {
      text: "Done.",
      title: "A title",
      files: [],
      ask: null,
      outcome: null,
      sandbox: null,
      isOver: true,
    };
    const delivery: Delivery = {
      id: "dlv_a",
      tenant: "ten_a",
      channel: "webhook",
      to: "whk_a",
      kind: "result",
      task: "task_a",
      about: null,
      content: message,
      lane: "l",
      slot: null,
      keepAs: null,
      refs: [],
      notBefore: 0,
      otherwise: [],
      createdAt: START,
    };
    expect(JSON.parse(createBody(delivery))).toEqual({
      type: "delivery.result",
      timestamp: new Date(START).toISOString(),
      data: { task_id: "task_a", title: "A title", text: "Done.", files: [], ask: null, outcome: null },
    });
    const long = { ...delivery, content: { ...message, text: "\u0000".repeat(100_000) } };
    expect(JSON.parse(createBody(long)).data.left_out).toEqual(["text"]);
    expect(createBody(long).length).toBeLessThan(MAX_BODY_BYTES);
    const paired = { ...delivery, content: { ...message, text: `x${"\u{1f600}".repeat(30_000)}` } };
    expect(JSON.parse(createBody(paired)).data.text.isWellFormed()).toBe(true);
  });
});

describe("a signature", () => {
  const body = '{"type":"task.completed","data":{"text":"naïve \u{1f41f}"}}';
  const [first, second] = [1, 2].map((fill) => new Uint8Array(32).fill(fill));

  test("is verified by the public verifier with each signing secret, and with no other", async () => {
    const seconds = Math.floor(Date.now() / 1000);
    const signature = await signWebhook(
      [first, second].filter((one) => one !== undefined),
      { id: "dlv_a", seconds, body },
    );
    const headers = { "webhook-id": "dlv_a", "webhook-timestamp": String(seconds), "webhook-signature": signature };
    expect(signature).toMatch(/^v1,\S+ v1,\S+$/);
    for (const secret of [first, second])
      expect(new Webhook(writeSecret(secret ?? new Uint8Array())).verify(body, headers)).toEqual(JSON.parse(body));
    const stranger = new Webhook(writeSecret(new Uint8Array(32).fill(3)));
    expect(() => stranger.verify(body, headers)).toThrow("No matching signature");
    const known = new Webhook(writeSecret(first ?? new Uint8Array()));
    expect(() => known.verify(`${body} `, headers)).toThrow("No matching signature");
    expect(() => known.verify(body, { ...headers, "webhook-id": "dlv_b" })).toThrow("No matching signature");
  });
});

describe("Retry-After", () => {
  test.each([
    ["120", 120_000],
    ["Sat, 21 Nov 2026 10:01:00 GMT", 60_000],
    ["Sat, 21 Nov 2026 09:00:00 GMT", 0],
    ["999999999", 86_400_000],
    ["soon", null],
    ["-5", null],
    ["", null],
  ])("%s is %s ms", (value, wanted) => {
    const now = Date.parse("2026-11-21T10:00:00Z");
    expect(parseRetryAfter([["Retry-After", value]], now)).toBe(wanted);
  });

  test("may be missing", () => {
    expect(parseRetryAfter([], 0)).toBeNull();
  });
});
