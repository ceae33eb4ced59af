import { expect, test } from "vitest";
import { type Caller, makeCaller } from "../http/entry.ts";

const finish = { name: "finished", arguments: { summary: "It is written." } };

/** What came of each call of a task. */
async function statesOf(caller: Caller, id: string): Promise<unknown[]> {
  const { data } = (await caller.send("GET", `/v1/tasks/${id}/ledger`)).json;
  return data.map(({ tool, state }: { tool: string; state: string }) => [tool, state]);
}

test("finished ends the task with its summary, where the agent names it, and is refused where it does not", async () => {
  const caller = await makeCaller();
  const made = await caller.send("POST", "/v1/agents", {
    name: "able",
    instructions: "Work.",
    tools: ["*", "finished"],
    permissions: ["read", "write"],
  });
  const write = { name: "write_file", arguments: { filename: "a.txt", content: "x" } };
  const task = await caller.makeTask([{ calls: [write, finish] }], { agent: made.json.id, skills: [] });
  const view = await caller.until(task.id, ({ status }) => status === "completed");
  expect(view).toMatchObject({ reason: null, output: { text: "It is written." } });
  expect(await statesOf(caller, task.id)).toEqual([
    ["write_file", "confirmed"],
    ["finished", "confirmed"],
  ]);
  const other = await caller.makeTask([{ calls: [finish] }, { text: "Done." }], { skills: [] });
  expect((await caller.until(other.id, ({ status }) => status === "completed")).output?.text).toBe("Done.");
  expect(await statesOf(caller, other.id)).toEqual([["finished", "refused"]]);
});
