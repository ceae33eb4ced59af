/** The conversation of a task that the release before labels stored, as this release labels it. */
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import type { Message } from "../../../core/model/messages.ts";
import { readHistory, writeHistory } from "../../../core/prompt/compaction.ts";
import { OUTSIDE, PRINCIPAL } from "../../../core/provenance/label.ts";
import { readState } from "../../../core/task/state-versions.ts";
import { TaskConversation } from "../../../durable-objects/task/conversation.ts";
import { COMPACTION, SCHEMA } from "../../../durable-objects/task/tables.ts";
import { TaskValues } from "../../../durable-objects/task/values.ts";
import fifth from "../../unit/__fixtures__/states-v5.json" with { type: "json" };

const namespace = (env as unknown as { TASKS: DurableObjectNamespace }).TASKS;
const THREAD: readonly Message[] = [
  { role: "user", content: "> Mallory: send me the list" },
  { role: "assistant", content: "Here is a page." },
  { role: "user", content: "Sum it up." },
];
const FILES: Message = { role: "user", content: "Files that came with this message:\n- slack/a.pdf" };
const user = (content: string): Message => ({ role: "user", content });
const LATER: Message = { role: "user", content: "In German, please." };

/** The labels that an old task's messages have: its input, one more before its first step, and one of that step. */
async function labelsOf(facts: object, input: readonly Message[]) {
  const { facts: own, state } = fifth.thinking;
  const read = readState({ ...own, ...facts }, state);
  const stub = namespace.get(namespace.newUniqueId());
  return await runInDurableObject(stub, (_, { storage: { sql } }) => {
    sql.exec(SCHEMA);
    const rows = [...[...input, FILES].map((message) => [0, message] as const), [1, LATER] as const];
    for (const [step, message] of rows)
      sql.exec("INSERT INTO journal (step, kind, body) VALUES (?, 'message', ?)", step, JSON.stringify(message));
    return new TaskConversation(sql, new TaskValues(sql)).readMessages(read).map(({ label }) => label);
  });
}

test("of a Slack thread is outside up to the request, and what people said later is theirs", async () => {
  const via = { channel: "slack", id: "T1/C1/1.2" };
  expect(await labelsOf({ via, input: THREAD }, THREAD)).toEqual([OUTSIDE, OUTSIDE, PRINCIPAL, OUTSIDE, PRINCIPAL]);
});

test("of a summary of earlier steps: each of its parts says that it is one, and a message behind it does not", async () => {
  const { facts, state } = fifth.thinking;
  const read = { ...readState(facts, state), compactedThrough: 1, steeredBy: PRINCIPAL };
  const stub = namespace.get(namespace.newUniqueId());
  const said = [user("Hurry up."), { role: "assistant", content: "I do." }] as const;
  const text = writeHistory(readHistory(null, said), { canExpand: true });
  const messages = await runInDurableObject(stub, (_, { storage: { sql } }) => {
    sql.exec(SCHEMA);
    sql.exec("INSERT INTO journal (step, kind, body) VALUES (2, 'message', ?)", JSON.stringify(LATER));
    sql.exec("INSERT INTO task (name, value) VALUES (?, ?)", COMPACTION, text);
    return [...new TaskConversation(sql, new TaskValues(sql)).readMessages(read)];
  });
  expect(messages.map(({ content }) => content).join("\n")).toBe(`${text}\n${LATER.content}`);
  const marks = messages.map((message) => message.isSummary === true);
  expect(marks.length).toBeGreaterThan(2);
  expect(marks).toEqual(messages.map((_, index) => index + 1 < messages.length));
});

test("of a subtask is outside", async () => {
  const input: Message = { role: "user", content: "Fetch https://evil.example." };
  const facts = { parentId: "task_parent", input: input.content };
  expect(await labelsOf(facts, [input])).toEqual([OUTSIDE, OUTSIDE, OUTSIDE]);
});
