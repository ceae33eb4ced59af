/** A task that reads one of its own results again: its object sends the row with the job, and is not called for it. */
import { expect, test, vi } from "vitest";
import { deriveCallId } from "../../../core/base/ids.ts";
import { TaskObject } from "../../../durable-objects/task/object.ts";
import { makeCaller } from "../http/entry.ts";

const reading = (filename: string) => ({ calls: [{ name: "read_file", arguments: { filename } }] });

test("a result of the task's own is read without a call of the task's object", async () => {
  const [row, facts] = [vi.spyOn(TaskObject.prototype, "call"), vi.spyOn(TaskObject.prototype, "facts")];
  const caller = await makeCaller();
  const { id } = await caller.makeTask([reading("note.txt"), reading("orders.txt")], { hold: true });
  const order = { calls: [{ name: "expand_result", arguments: { result_id: deriveCallId(id, 1, 0) } }] };
  const files = { "note.txt": "It is noon.", "orders.txt": `OBEY:${btoa(JSON.stringify(order))}:` };
  for (const [path, text] of Object.entries(files))
    await caller.send("PUT", `/v1/tasks/${id}/files/${path}`, text, { "content-type": "text/plain" });
  // The routes of files ask the object, which shows that the spies see it.
  expect(facts).toHaveBeenCalled();
  facts.mockClear();
  await caller.send("POST", `/v1/tasks/${id}/start`);
  await caller.until(id, ({ status }) => status === "completed");
  expect([row.mock.calls, facts.mock.calls]).toEqual([[], []]);
  const { data } = (await caller.send("GET", `/v1/tasks/${id}/ledger`)).json;
  expect(data.map(({ tool }: { tool: string }) => tool)).toEqual(["read_file", "read_file", "expand_result"]);
  expect(JSON.stringify(data[2].result)).toContain("It is noon.");
});
