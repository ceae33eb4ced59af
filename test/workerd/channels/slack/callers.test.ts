/** For whom a task from Slack acts, and who steered it: its speaker, and everybody who wrote in its thread. */
import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { failed } from "../../../../core/base/errors.ts";
import { startActors } from "../../../../core/connections/actors.ts";
import type { TaskRpc } from "../../../../core/task/rpc.ts";
import type { TaskView } from "../../../../core/task/view.ts";
import { taskOf } from "../../tasks/client.ts";
import { asking, askInThread, isCompleted, openWorkspace, saying, type Workspace } from "./server.ts";

beforeEach(() => reset());
afterEach(() => void vi.restoreAllMocks());

async function personOf({ caller }: Workspace, name: string): Promise<string> {
  const { data } = (await caller.send("GET", "/v1/people")).json as { data: { id: string; name: string }[] };
  const found = data.find((person) => person.name === name);
  if (found === undefined) throw new Error(`${name} has no record: ${JSON.stringify(data)}`);
  return found.id;
}

async function read({ caller: { tenant } }: Workspace, id: string | undefined) {
  const task = taskOf({ tenant, id: id ?? "" });
  const [facts, actors, log] = [await task.facts(), await task.actors(), await task.events(0, 500)];
  if (!facts.ok || !actors.ok || !log.ok) throw new Error("the task cannot be read");
  return { facts: facts.value, actors: actors.value, events: log.value.events };
}

const sorted = (people: readonly string[]) => people.toSorted();
const inputOf = ({ input }: TaskView) => JSON.stringify(input);

test("a mention acts for its speaker, who is its only actor, with the name and time zone of the same record", async () => {
  const workspace = await openWorkspace();
  await workspace.mention(saying({ text: "Hello." }));
  const [task] = await workspace.tasks(1);
  const ana = await personOf(workspace, "ana");
  const { facts, actors } = await read(workspace, task?.id);
  expect(facts).toMatchObject({ actsFor: { person: ana }, caller: { name: "ana" } });
  expect(facts.actors).toBeUndefined();
  expect(actors).toEqual(startActors(ana, ana));
});

test("the command acts for who gave it", async () => {
  const workspace = await openWorkspace();
  expect((await workspace.command(saying({ text: "Hello." }), "U0BEN")).status).toBe(200);
  const [task] = await workspace.tasks(1);
  const ben = await personOf(workspace, "ben");
  expect(await read(workspace, task?.id)).toMatchObject({
    facts: { actsFor: { person: ben } },
    actors: startActors(ben, ben),
  });
});

test("a reply of somebody else adds them, and the next task of the thread keeps both and acts for its own sender", async () => {
  const workspace = await openWorkspace();
  const thread = await workspace.mention(saying({ delayMs: 2000, text: "First." }, { text: "Second." }));
  const [first] = await workspace.tasks(1);
  await workspace.reply(thread, "Do it for me too.", { user: "U0BEN" });
  await workspace.caller.until(first?.id ?? "", isCompleted);
  const [ana, ben] = [await personOf(workspace, "ana"), await personOf(workspace, "ben")];
  const steered = await read(workspace, first?.id);
  expect(steered.actors).toEqual({ caller: ana, people: [ana, ben], hasUnknown: false });
  expect(steered.events.filter(({ data }) => data["role"] === "user")).toMatchObject([
    { data: { text: "ben: Do it for me too.", by: { person_id: ben, name: "ben" } } },
  ]);

  await workspace.reply(thread, "And now this.", { user: "U0BEN" });
  const [second] = await workspace.tasks(2);
  expect(inputOf(second as TaskView)).toContain("And now this.");
  const next = await read(workspace, second?.id);
  expect(next.facts.actsFor).toEqual({ person: ben });
  expect(next.actors).toMatchObject({ caller: ben, hasUnknown: false });
  expect(sorted(next.actors.people)).toEqual(sorted([ana, ben]));

  await workspace.caller.until(second?.id ?? "", isCompleted);
  await workspace.reply(thread, "And that.");
  const [third] = await workspace.tasks(3);
  const last = await read(workspace, third?.id);
  expect(last.facts.actsFor).toEqual({ person: ana });
  expect(sorted(last.actors.people)).toEqual(sorted([ana, ben]));
});

test("an answer names the record of who gave it", async () => {
  const workspace = await openWorkspace();
  const { ts, view: task } = await askInThread(workspace, asking("Which city?"));
  await workspace.reply(ts, "Lisbon");
  await workspace.caller.until(task.id, isCompleted);
  const ana = await personOf(workspace, "ana");
  const { events, actors } = await read(workspace, task.id);
  expect(events.find(({ type }) => type === "question.answered")?.data).toMatchObject({ by: "ana", by_person_id: ana });
  expect(actors).toEqual(startActors(ana, ana));
});

describe("a task that continues a thread", () => {
  /** Replaces what tasks' objects reply when they are asked who steered them; null: their own reply. */
  function replyInstead(reply: () => Promise<unknown> | null) {
    const open = env.TASKS.get.bind(env.TASKS);
    vi.spyOn(env.TASKS, "get").mockImplementation((id) => {
      const stub = open(id);
      return new Proxy(stub, {
        get: (target, name) => {
          if (name !== "actors") return Reflect.get(target, name) as unknown;
          return async () => await (reply() ?? (target as unknown as TaskRpc).actors());
        },
      });
    });
  }

  async function continueThread(reply: () => Promise<unknown> | null) {
    const workspace = await openWorkspace();
    const thread = await workspace.mention(saying({ text: "First." }, { text: "Second." }));
    const [first] = await workspace.tasks(1);
    await workspace.caller.until(first?.id ?? "", isCompleted);
    replyInstead(reply);
    await workspace.reply(thread, "And now this.", { user: "U0BEN" });
    const [second] = await workspace.tasks(2);
    vi.restoreAllMocks();
    const [ana, ben] = [await personOf(workspace, "ana"), await personOf(workspace, "ben")];
    return { ana, ben, actors: (await read(workspace, second?.id)).actors };
  }

  test.each([
    ["was erased meanwhile", async () => failed("not_found", "There is no task with this id.")],
    [
      "is in an object of an earlier release",
      async () => {
        throw new TypeError('The RPC receiver does not implement the method "actors".');
      },
    ],
  ])("whose earlier task %s begins with an unknown actor", async (_, reply) => {
    const { ben, actors } = await continueThread(reply);
    expect(actors).toEqual({ caller: ben, people: [ben], hasUnknown: true });
  });

  test("waits while its earlier task cannot be read, and then keeps its actors", async () => {
    let failures = 1;
    const { ana, ben, actors } = await continueThread(() =>
      (failures -= 1) >= 0 ? Promise.resolve(failed("upstream_failed", "Restarting.", { retryAfterMs: 10 })) : null,
    );
    expect(failures).toBeLessThan(0);
    expect(actors).toEqual({ caller: ben, people: [ben, ana], hasUnknown: false });
  });
});
