/** The author of what an API key sends: a key without a person is an author without a record. */
import { expect, test } from "vitest";
import { UNKNOWN_ACTORS } from "../../../core/connections/actors.ts";
import { makeCaller } from "../http/entry.ts";
import { ask, taskOf, waitIdOf } from "./client.ts";

test("events name the key, without a record of a person", async () => {
  const caller = await makeCaller();
  const { id } = await caller.makeTask([ask, { text: "Done." }]);
  const view = await caller.until(id, ({ status }) => status === "waiting_input");
  expect((await caller.send("POST", `/v1/tasks/${id}/messages`, { text: "Hurry.", paste: true })).status).toBe(202);
  const path = `/v1/tasks/${id}/questions/${waitIdOf(view)}/answer`;
  expect((await caller.send("POST", path, { text: "Rome" })).status).toBe(200);
  await caller.until(id, ({ status }) => status === "completed");
  const { data } = (await caller.send("GET", `/v1/tasks/${id}/log`)).json as {
    data: { type: string; data: Record<string, unknown> }[];
  };
  const find = (type: string) => data.find((event) => event.type === type && event.data["role"] !== "assistant")?.data;
  expect(find("message.completed")).toMatchObject({
    text: "Hurry.",
    by: { person_id: null, name: expect.stringMatching(/^API key /) },
  });
  expect(find("question.answered")).toMatchObject({ by: expect.stringMatching(/^API key /), by_person_id: null });
  expect(await taskOf({ tenant: caller.tenant, id }).actors()).toEqual({ ok: true, value: UNKNOWN_ACTORS });
});
