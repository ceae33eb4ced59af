/** `save_as` in the runtime that holds the body in memory, through the sidecar into the bucket. */
import { expect, it } from "vitest";
import { makeCaller } from "../http/entry.ts";
import { serve, somewhere } from "../outside.ts";

/** Saves this address as a file of a task, and returns the result and the file. */
async function save(url: string) {
  const caller = await makeCaller();
  const { id } = await caller.makeTask([], { hold: true });
  const given = { arguments: { url, save_as: "in/file.txt" }, task_id: id };
  const { json } = await caller.send("POST", "/v1/tools/http.get/call", given);
  return { json, file: await caller.send("GET", `/v1/tasks/${id}/files/in/file.txt`) };
}

it("saves a file that is larger than a small reply", async () => {
  const url = somewhere();
  const text = "0123456789".repeat(500_000);
  await serve(url, text);
  const { json, file } = await save(url);
  expect(json).toMatchObject({ ok: true, result: { saved: { path: "in/file.txt", size: text.length }, body: "" } });
  expect(file.text === text).toBe(true);
});

it("saves a file behind a redirect", async () => {
  const { json, file } = await save(`${somewhere()}/moved?a=1`);
  expect(json).toMatchObject({ ok: true, result: { status: 200, saved: { path: "in/file.txt" } } });
  expect(file.text).toContain("moved=1");
});
