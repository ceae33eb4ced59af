/** Who steered a task: everybody whose words its model reads, and nobody less. */
import { describe, expect, test } from "vitest";
import { type Actor, isOnlyActor, startActors, UNKNOWN_ACTORS } from "../../../core/connections/actors.ts";
import { mayInstruct } from "../../../core/provenance/label.ts";
import type { Command, RevisedCall } from "../../../core/task/commands.ts";
import { listNewSubtasks } from "../../../core/task/subtasks.ts";
import type { TaskFacts, TaskState } from "../../../core/task/state.ts";
import { createTask, decide } from "../../../core/task/task.ts";
import { answer, ASK, call, DISPATCH, factsOf, TaskWorld } from "./world.ts";
import { created, createEnding, drawsFrom, preparedCall, requestCalls, startThinking } from "./play-task.ts";

const ANA: Actor = { person: "per_ana", name: "Ana" };
const BO: Actor = { person: "per_bo", name: "Bo" };
const KEY: Actor = { person: null, name: "API key ci" };
const BY_ANA: Partial<TaskFacts> = { actsFor: { person: "per_ana" } };

const message = (
  by: Actor | null | undefined,
  change: Partial<Extract<Command, { type: "message" }>> = {},
): Command => ({
  type: "message",
  text: "Also this.",
  request: null,
  ...(by === undefined ? {} : { by }),
  ...change,
});

describe("a new task", () => {
  test("begins with the person for whom it acts, and without one with an unknown author", () => {
    expect(created(BY_ANA).actors).toEqual(startActors("per_ana", "per_ana"));
    expect(created().actors).toEqual(UNKNOWN_ACTORS);
  });

  test("begins with the actors that its facts name", () => {
    const actors = { caller: "per_bo", people: ["per_bo", "per_ana"], hasUnknown: false };
    expect(created({ actsFor: { person: "per_bo" }, actors }).actors).toEqual(actors);
  });

  test("whose facts a Worker of an earlier release sent acts for nobody", () => {
    const { actsFor: _, ...earlier } = factsOf();
    const { state } = createTask({ facts: earlier as TaskFacts, hold: false, call: null }, 0);
    expect([state.facts.actsFor, state.actors]).toEqual([null, UNKNOWN_ACTORS]);
  });
});

describe("a message", () => {
  test("adds its author, also of pasted text, and names them in its event", () => {
    for (const own of [0, 3, undefined]) {
      const sent = decide(created(BY_ANA), message(BO, own === undefined ? {} : { own }), 1);
      expect(sent.state.actors.people).toEqual(["per_ana", "per_bo"]);
      expect(sent.events).toMatchObject([
        { type: "message.completed", data: { by: { person_id: "per_bo", name: "Bo" } } },
      ]);
    }
  });

  test("without an author, or by one without a record, counts as somebody else's", () => {
    for (const by of [undefined, null, KEY]) {
      const sent = decide(created(BY_ANA), message(by), 1);
      expect(isOnlyActor(sent.state.actors, "per_ana")).toBe(false);
      expect(sent.events[0]?.data["by"]).toEqual(by === KEY ? { person_id: null, name: "API key ci" } : null);
    }
  });

  test("that is refused or repeated adds nobody", () => {
    const first = decide(created(BY_ANA), message(ANA, { request: "r" }), 1).state;
    expect(decide(first, message(BO, { request: "r" }), 2).state.actors).toBe(first.actors);
    const refused = decide(created(BY_ANA), message(BO, { text: "x".repeat(200_000) }), 1);
    expect([refused.refused?.code, refused.state.actors.people]).toEqual(["conflict", ["per_ana"]]);
  });

  test("makes a part that may instruct only together with its author", () => {
    const draw = drawsFrom(7);
    const authors = [ANA, BO, KEY, null];
    for (let round = 0; round < 200; round += 1) {
      const by = authors[Math.floor(draw() * authors.length)] ?? null;
      const own = Math.floor(draw() * 12);
      const { state } = decide(created(BY_ANA), message(by, { own }), 1);
      const instructs = state.steering.some(({ label }) => mayInstruct(label));
      const isNoted = by?.person == null ? state.actors.hasUnknown : state.actors.people.includes(by.person);
      expect(instructs && !isNoted).toBe(false);
    }
  });
});

describe("an answer", () => {
  const parked = () => {
    const world = new TaskWorld([[call("none", ASK)]], undefined, factsOf(BY_ANA));
    world.run();
    const { wait } = world.state.batch[0] ?? {};
    return { state: world.state, id: wait?.kind === "question" ? wait.id : "" };
  };

  test("adds who gave it, and names their record in its event", () => {
    const { state, id } = parked();
    const answered = decide(state, { ...answer(id), person: "per_bo" } as Command, 100);
    expect(answered.state.actors.people).toEqual(["per_ana", "per_bo"]);
    expect(answered.events.find(({ type }) => type === "question.answered")?.data).toMatchObject({
      by: "ana",
      by_person_id: "per_bo",
    });
  });

  test("of a Worker of an earlier release counts as somebody else's", () => {
    const { state, id } = parked();
    const answered = decide(state, answer(id), 100);
    expect(isOnlyActor(answered.state.actors, "per_ana")).toBe(false);
    expect(answered.events.find(({ type }) => type === "question.answered")?.data["by_person_id"]).toBeNull();
  });
});

describe("a decision on an approval", () => {
  const waiting = (): TaskState => {
    const thinking = startThinking(BY_ANA);
    const approval = { reason: "the policy asks", expiresInMs: 60_000 };
    return requestCalls(thinking, [preparedCall(thinking, 0, { approval })]).state;
  };
  const decided = (state: TaskState, change: Partial<Extract<Command, { type: "approval_decided" }>>) => {
    const { wait } = state.batch[0] ?? {};
    const approval = wait?.kind === "approval" ? wait.id : "";
    const plain = {
      decision: "approve",
      revised: null,
      reason: null,
      by: "Bo",
      person: "per_bo",
      request: null,
    } as const;
    return decide(state, { type: "approval_decided", approval, ...plain, ...change }, 5);
  };
  const changed: RevisedCall = { arguments: {}, argumentsHash: "h1", effect: "once" };

  test("adds nobody while the model reads nothing of it", () => {
    for (const decision of ["approve", "refuse"] as const) {
      const { state, events } = decided(waiting(), { decision });
      expect(state.actors.people).toEqual(["per_ana"]);
      expect(events.find(({ type }) => type === "approval.decided")?.data).toMatchObject({ by_person_id: "per_bo" });
    }
  });

  test("adds who changed the arguments or gave a reason", () => {
    const revised = { ...changed, revisedFrom: "h0", note: "changed" };
    for (const change of [{ revised }, { decision: "refuse", reason: "Ask Mallory." } as const])
      expect(decided(waiting(), change).state.actors.people).toEqual(["per_ana", "per_bo"]);
    const { person: _, ...unnamed } = { person: "", decision: "refuse", reason: "No." } as const;
    const { state } = decided(waiting(), { ...unnamed, person: null });
    expect(state.actors.hasUnknown).toBe(true);
  });
});

describe("a subtask", () => {
  const dispatched = () => {
    const thinking = startThinking(BY_ANA);
    const outcome = {
      state: "confirmed",
      result: { ok: true, result: {} },
      content: "",
      control: DISPATCH,
      durationMs: 1,
    } as const;
    const steered = decide(thinking, message(BO), 1).state;
    return requestCalls(steered, [preparedCall(steered, 0, { dispatches: true, outcome })]).state;
  };

  test("begins with the actors of its parent, and acts for the same person", () => {
    const [child] = listNewSubtasks(dispatched(), 5);
    expect(child?.facts).toMatchObject({ actsFor: { person: "per_ana" }, actors: { people: ["per_ana", "per_bo"] } });
  });

  test("adds its actors to its parent with its result, and an unknown one if it reports none", () => {
    const parent = dispatched();
    const [id = ""] = parent.subtasks;
    const opened = decide(parent, { type: "subtask_opened", callId: parent.batch[0]?.id ?? "" }, 6).state;
    const end = (change: object) =>
      decide(opened, { type: "subtask_ended", ending: createEnding(id, change) }, 7).state.actors;
    const actors = { caller: "per_ana", people: ["per_ana", "per_bo", "per_cy"], hasUnknown: false };
    expect(end({ actors })).toEqual(actors);
    expect(end({})).toEqual({ ...opened.actors, hasUnknown: true });
  });
});
