/** `send_email` through the gateway and a real server of SMTP, whose effect is `once`. */
import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { taskMailFromEnv } from "../../../../adapters/env/mail.ts";
import type { AgentConfig } from "../../../../core/agents/agent.ts";
import { makeId } from "../../../../core/base/ids.ts";
import { addressee } from "../../../contracts/channels/mail/suite.ts";
import { makeCaller } from "../../http/entry.ts";
import { arrivedMail, readSmtpMail, releaseMail } from "./server.ts";
import { agentOf, factsOf, ledgerOf, start, taskOf, until } from "../../tasks/client.ts";

const MAY_SEND: Partial<AgentConfig> = {
  permissions: ["read", "write", "network"],
  approval: { dangerous: "allow" },
};

function mailing(to: string, more: Record<string, unknown> = {}) {
  return { calls: [{ name: "send_email", arguments: { to, subject: "The plan", body: "<p>Hello</p>", ...more } }] };
}

describe("send_email", () => {
  test("waits for a person by default, and sends what was approved", async () => {
    const caller = await makeCaller();
    const to = addressee();
    const { id } = await caller.makeTask([mailing(to), { text: "Sent." }]);
    const { pending } = await caller.until(id, (view) => view.pending.length > 0);
    expect(pending).toMatchObject([{ kind: "approval", tool: "send_email", arguments: { to } }]);
    expect(await arrivedMail(to)).toEqual([]);
    const [approval] = pending as unknown as readonly { readonly id: string }[];
    const path = `/v1/tasks/${id}/approvals/${approval?.id}`;
    expect((await caller.send("POST", path, { decision: "approve" })).status).toBe(200);
    await caller.until(id, ({ status }) => status === "completed");
    expect(await arrivedMail(to)).toMatchObject([{ from: "otto@mail.test", to: [to] }]);
  });

  test("sends the files of the sandbox as they are", async () => {
    const to = addressee();
    const facts = factsOf(
      [
        { calls: [{ name: "write_file", arguments: { filename: "notes/plan.md", content: "# Plän\n" } }] },
        mailing(to, { attachment_filenames: ["notes/plan.md"] }),
        { text: "Sent." },
      ],
      { agent: agentOf(MAY_SEND) },
    );
    await start(facts);
    await until(facts, ({ status }) => status === "completed");
    const [arrived] = await arrivedMail(to);
    const read = await readSmtpMail(arrived?.raw ?? "");
    expect(read).toMatchObject({ subject: "The plan", text: "Hello", attachments: [{ filename: "plan.md" }] });
    expect(await ledgerOf(facts)).toMatchObject([{}, { tool: "send_email", effect: "once", state: "confirmed" }]);
  });

  test("is not sent again after a crash between the mail and the server's word", async () => {
    const to = addressee("held");
    const facts = factsOf([mailing(to), { text: "It may have been sent." }], { agent: agentOf(MAY_SEND) });
    await start(facts);
    await vi.waitFor(async () => expect(await arrivedMail(to)).toHaveLength(1), { timeout: 20_000 });
    await abortAllDurableObjects();
    await until(facts, ({ status }) => status === "completed");
    await releaseMail(to);
    expect(await ledgerOf(facts)).toMatchObject([{ tool: "send_email", state: "unknown" }]);
    expect(await arrivedMail(to)).toHaveLength(1);
  });

  test("is unknown, and not sent again, when the server hangs up after the mail", async () => {
    const to = addressee("broken");
    const facts = factsOf([mailing(to), { text: "It may have been sent." }], { agent: agentOf(MAY_SEND) });
    await start(facts);
    await until(facts, ({ status }) => status === "completed");
    expect(await ledgerOf(facts)).toMatchObject([{ tool: "send_email", state: "unknown" }]);
    expect(await arrivedMail(to)).toHaveLength(1);
  });

  test("has failed when the server refuses, and the model reads why", async () => {
    const facts = factsOf([mailing(addressee("refused")), { text: "No." }], { agent: agentOf(MAY_SEND) });
    await start(facts);
    await until(facts, ({ status }) => status === "completed");
    const [row] = await ledgerOf(facts);
    expect(row).toMatchObject({ state: "failed" });
    const page = await taskOf(facts).ledger({ after: null, limit: 10, withResults: true });
    expect(page).toMatchObject({ value: { rows: [{ result: { error: { code: "invalid_input" } } }] } });
  });
});

describe("the mails of a task's tree", () => {
  const tree = () => ({ tenant: makeId("tenant", 1, new Uint8Array(10)), rootId: `task_${crypto.randomUUID()}` });

  test("are bounded for all of its tasks together, also where they are sent at one moment", async () => {
    const full = tree();
    const keys = Array.from({ length: 8 }, (_, index) => `call_${index}`);
    const reserved = await Promise.all(keys.map((key) => taskMailFromEnv(env, full).reserve(key, 3)));
    const granted = keys.filter((_, index) => reserved[index]?.ok === true);
    expect(granted.length).toBeGreaterThan(0);
    // One that is asked for again, after a crash say, is the same one.
    for (const key of granted) expect(await taskMailFromEnv(env, full).reserve(key, 3)).toMatchObject({ ok: true });
    const late = await taskMailFromEnv(env, full).reserve("late", granted.length);
    expect(late).toMatchObject({ ok: false, error: { code: "budget_exceeded" } });
    await taskMailFromEnv(env, full).release(granted[0] ?? "");
    expect(await taskMailFromEnv(env, full).reserve("late", granted.length)).toMatchObject({ ok: true });
    expect(await taskMailFromEnv(env, tree()).reserve("other", 1)).toMatchObject({ ok: true });
  });

  test("can be empty", async () => {
    expect(await taskMailFromEnv(env, tree()).reserve("call_1", 0)).toMatchObject({
      error: { code: "budget_exceeded" },
    });
  });
});
