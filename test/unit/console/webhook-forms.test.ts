import { expect, test } from "vitest";
import { newHookRequestSchema } from "../../../core/channels/webhooks/hook.ts";
import { NOTICE_TYPES } from "../../../core/task/notice.ts";
import {
  doesAct,
  draftOfIncoming,
  type IncomingDraft,
  NEW_INCOMING,
  readIncoming,
  toActsFor,
} from "../../../web/src/pages/webhooks/incoming-draft.ts";
import { EVENT_GROUPS, eventsInWords, withEvent } from "../../../web/src/pages/webhooks/webhook-events.ts";

test("every event of a webhook has its label", () => {
  const said = EVENT_GROUPS.flatMap(({ types }) => types.map(({ type }) => type));
  expect(said.toSorted()).toEqual([...NOTICE_TYPES].toSorted());
});

test("a family replaces its members, and a removed event disappears", () => {
  expect(withEvent(["task.failed", "question.asked"], "task.*", true)).toEqual(["question.asked", "task.*"]);
  expect(withEvent(["task.*", "question.asked"], "question.asked", false)).toEqual(["task.*"]);
  expect(withEvent(["task.failed"], "task.failed", true)).toEqual(["task.failed"]);
});

test("what is chosen is said by groups", () => {
  expect(eventsInWords(["*", "task.failed"])).toEqual(["Everything"]);
  expect(eventsInWords(["question.*", "task.failed", "task.completed"])).toEqual([
    "Tasks: completed, failed",
    "Questions: all",
  ]);
});

test("an empty form asks for what the API takes as usual, and names no more than that", () => {
  const draft: IncomingDraft = { ...NEW_INCOMING, name: " orders ", oncePerBody: "no" };
  expect(readIncoming(draft, "", null)).toEqual({
    ok: true,
    request: { name: "orders", type: "generic", enabled: true, once_per_body: false },
  });
  const github: IncomingDraft = { ...NEW_INCOMING, name: "orders", type: "github" };
  expect(readIncoming(github, "", null)).not.toHaveProperty("request.once_per_body");
  const open = readIncoming({ ...draft, oncePerBody: "" }, "", null);
  expect(open.ok ? [] : Object.keys(open.faults)).toEqual(["once_per_body"]);
});

test("what a type does not know is not sent for it", () => {
  const full: IncomingDraft = {
    ...NEW_INCOMING,
    name: "all",
    events: "push\n\n pull_request ",
    signatureHeader: "x-mine",
    oncePerBody: "yes",
  };
  expect(readIncoming(full, "12345678", null)).toMatchObject({
    request: { signature_header: "x-mine", once_per_body: true, secret: "12345678" },
  });
  expect(readIncoming(full, "12345678", "3600")).toMatchObject({ request: { old_secret_seconds: 3600 } });
  expect(readIncoming(full, "", "3600")).not.toHaveProperty("request.old_secret_seconds");
  expect(readIncoming(full, "", null)).not.toHaveProperty("request.events");
  const github = readIncoming({ ...full, type: "github" }, "", null);
  expect(github).toMatchObject({ request: { events: ["push", "pull_request"], once_per_body: true } });
  expect(github).not.toHaveProperty("request.signature_header");
  expect(readIncoming({ ...full, type: "stripe" }, "", null)).not.toHaveProperty("request.once_per_body");
});

test("an invalid limit and a destination without an address are reported at their fields", () => {
  const draft: IncomingDraft = {
    ...NEW_INCOMING,
    name: "orders",
    limits: { ...NEW_INCOMING.limits, max_steps: "many" },
    deliver: [{ channel: "email", to: " " }],
  };
  const read = readIncoming(draft, "", null);
  expect(read.ok ? [] : Object.keys(read.faults)).toEqual(["budget.max_steps", "deliver.0.to", "once_per_body"]);
});

test("an incoming webhook that is read and resent is unchanged", () => {
  const setting = {
    name: "reviews",
    type: "github" as const,
    agent: "agent_1",
    project: "code",
    prompt: "Review {{pull_request.html_url}}.",
    events: ["pull_request", "push"],
    once_per_body: true,
    deliver: [{ channel: "email" as const, to: "ann@example.com" }],
    budget: { max_steps: 20, max_duration_s: 90 },
    enabled: false,
  };
  const times = { created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" };
  const hook = {
    id: "hook_1",
    version: 3,
    old_secret_until: null,
    acts_for: { person_id: "per_1", name: "Ana" },
    url: "https://otto.example/webhook/github",
    ...times,
    ...setting,
  };
  expect(readIncoming(draftOfIncoming(hook), "", null)).toEqual({ ok: true, request: setting });
});

test("a webhook that indexes codebases sends nothing of a task, and only GitHub's indexes", () => {
  const draft: IncomingDraft = {
    ...NEW_INCOMING,
    name: "pushes",
    type: "github",
    agent: "agent_1",
    project: "code",
    prompt: "Review it.",
    events: "push",
    actsFor: "me",
    limits: { ...NEW_INCOMING.limits, max_steps: "many" },
    deliver: [{ channel: "email", to: "" }],
    reindex: true,
  };
  const request = { name: "pushes", type: "github", enabled: true, reindex: true, acts_for: null };
  const read = readIncoming(draft, "", null);
  expect(read).toEqual({ ok: true, request });
  expect(newHookRequestSchema.safeParse(request).success).toBe(true);
  const generic = readIncoming({ ...NEW_INCOMING, name: "a", oncePerBody: "no", reindex: true }, "", null);
  expect(generic).not.toHaveProperty("request.reindex");
});

test("an incoming webhook acts for whom it acted until somebody says otherwise", () => {
  const sent = (actsFor: IncomingDraft["actsFor"]) => {
    const read = readIncoming({ ...NEW_INCOMING, name: "a", oncePerBody: "no", actsFor }, "", null);
    return read.ok ? read.request.acts_for : read.faults;
  };
  expect([sent("as_is"), sent("me"), sent("nobody")]).toEqual([undefined, "me", null]);
  for (const hasPerson of [true, false])
    for (const isActing of [true, false]) expect(doesAct(toActsFor(isActing, hasPerson), hasPerson)).toBe(isActing);
  expect([toActsFor(true, false), toActsFor(false, true), toActsFor(true, true)]).toEqual(["me", "nobody", "as_is"]);
});
