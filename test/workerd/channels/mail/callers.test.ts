/** For whom a task from mail acts: its verified sender. */
import { expect, test, vi } from "vitest";
import { startActors } from "../../../../core/connections/actors.ts";
import { taskOf } from "../../tasks/client.ts";
import { bring, SOON, tasksOf, withPerson } from "./client.ts";

test("a mail acts for the person who sent it, who is the task's only actor", async () => {
  const { caller, ana, address } = await withPerson();
  await bring({ from: ana, to: address, subject: "New Task: Greet", text: "Say hello." });
  await vi.waitFor(async () => expect(await tasksOf(caller)).toHaveLength(1), SOON);
  const [made] = await tasksOf(caller);
  const { data } = (await caller.send("GET", "/v1/people")).json as { data: { id: string }[] };
  const person = data[0]?.id ?? "";
  const task = taskOf({ tenant: caller.tenant, id: made?.id ?? "" });
  expect(await task.facts()).toMatchObject({ value: { actsFor: { person }, caller: { name: "Ana" } } });
  expect(await task.actors()).toEqual({ ok: true, value: startActors(person, person) });
});
