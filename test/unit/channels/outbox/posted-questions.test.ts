/** The questions that an outbox posted to a conversation. */
import { beforeEach, expect, it } from "vitest";
import { listPostedQuestions, POSTED_QUESTIONS } from "../../../../durable-objects/outbox/posted-questions.ts";
import { OutboxWorld, START } from "./world.ts";

let world: OutboxWorld;
const list = (conversation: string, endedSince = START, limit = 10) =>
  listPostedQuestions(world.tables, conversation, endedSince, limit);

/** The name has the form of `core/people/ask-deliveries.ts`. */
function save(ask: string, channel: string, ts: string, at: number, purpose = "ask 0"): void {
  world.store.saveRef(`${ask} T1/U1 ${purpose}`, { channel, ts }, at);
}

beforeEach(() => {
  world = new OutboxWorld();
});

it("lists each once with its first message, the latest first, those of this conversation only", () => {
  save("qst_1", "D1", "10.000001", START);
  save("qst_1", "D1", "30.000001", START + 20, "reminder 1");
  save("qst_2", "D1", "20.000001", START + 10);
  save("qst_3", "D2", "20.000002", START + 10);
  expect(list("D1")).toEqual([
    { id: "qst_1", ts: "10.000001" },
    { id: "qst_2", ts: "20.000001" },
  ]);
  expect(list("D1", START, 1)).toHaveLength(1);
  expect(list("D3")).toEqual([]);
});

it("lists no approval, no progress, and no question that ended before", () => {
  save("apr_1", "D1", "10.000001", START);
  world.store.saveRef("progress task_1 T1/D1", { channel: "D1", ts: "10.000002" }, START);
  save("qst_1", "D1", "10.000003", START);
  world.store.recordCancellation("qst_1", START + 5);
  expect(list("D1", START + 6)).toEqual([]);
  expect(list("D1", START + 5)).toEqual([{ id: "qst_1", ts: "10.000003" }]);
});

it("is answered by an index, also in an outbox of an earlier release", () => {
  save("qst_1", "D1", "10.000001", START);
  world.tables.write("DROP INDEX questions_by_channel");
  world.tables.invalidate();
  expect(list("D1")).toHaveLength(1);
  const explained = `EXPLAIN QUERY PLAN ${POSTED_QUESTIONS}`;
  const plan = world.tables.read<{ detail: string }>(explained, "D1", START, 10);
  expect(plan.map(({ detail }) => detail).join()).toContain("questions_by_channel");
});
