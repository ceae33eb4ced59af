/** The note that a message to a running task brings: actions of connected apps that fit its words. */
import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import type { LabelledMessage } from "../../../core/model/messages.ts";
import { OPERATOR } from "../../../core/provenance/label.ts";
import type { TaskView } from "../../../core/task/view.ts";
import { TaskStore } from "../../../durable-objects/task/store.ts";
import { stubOf, waitIdOf } from "../tasks/client.ts";
import { type AppOffice, factsOf, openAppOffice } from "./app-tasks.ts";

const completed = ({ status }: TaskView) => status === "completed";
const waits = (kind: string) => (view: TaskView) => view.pending.some((entry) => entry.kind === kind);

test("a message to a running task brings a note with the actions that fit it, and changes no tool of its requests", async () => {
  const office = await openAppOffice();
  await office.connectPerson();
  const wait = { name: "ask_human", arguments: { query: "What now?" } };
  const task = await office.ask("List the open issues.", [wait]);
  const before = await factsOf(office, task);
  const view = await office.until(task.id, waits("question"));
  const path = `/v1/tasks/${task.id}`;
  for (const text of ["Now create an issue about the roof.", "Thanks!"])
    expect((await office.send("POST", `${path}/messages`, { text })).status).toBe(202);
  const again = { "Idempotency-Key": "once" };
  for (const key of [again, again])
    await office.send("POST", `${path}/messages`, { text: "Create an issue about the door too." }, key);
  await office.send("POST", `${path}/questions/${waitIdOf(view)}/answer`, { text: "Go." });
  await office.until(task.id, completed);
  const said = await readSaid(office, task);
  const notes = said.filter(({ content }) => content.includes("Note of Otto."));
  expect(said.filter(({ content }) => content.includes("Create an issue about the door"))).toHaveLength(1);
  expect(notes).toHaveLength(2);
  for (const { content, label } of notes) {
    expect(content).toContain("Actions of connected apps that fit this message");
    expect(content).toContain("- composio_CRM_CREATE_ISSUE: ");
    expect(label).toBe(OPERATOR);
  }
  const after = await factsOf(office, task);
  expect([after.apps?.shown, after.apps?.hints]).toEqual([before.apps?.shown, before.apps?.hints]);
  // The note asks for nothing.
  expect(after.apps?.intent.actions).toEqual([]);
});

/** The messages of people in the conversation of a task, with Otto's notes. */
async function readSaid({ tenant }: AppOffice, { id }: TaskView): Promise<readonly LabelledMessage[]> {
  return await runInDurableObject(stubOf({ tenant, id }), (_, { storage }) => {
    const store = new TaskStore(storage);
    const state = store.load()?.state;
    const messages = state === undefined ? [] : [...store.conversation.readMessages(state)];
    return messages.filter(({ role }) => role === "user");
  });
}
