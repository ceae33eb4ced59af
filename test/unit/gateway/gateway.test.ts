import { describe, expect, test } from "vitest";
import { failed } from "../../../core/base/errors.ts";
import { hashArguments } from "../../../core/gateway/arguments-hash.ts";
import { MAX_CALLS_PER_STEP } from "../../../core/steps/prepare.ts";
import { createModelNames } from "../../../core/gateway/model-names.ts";
import type { ActJob } from "../../../core/steps/rpc.ts";
import type { CallOutcome } from "../../../core/task/commands.ts";
import type { EffectClass, Tool } from "../../../core/tool/tool.ts";
import { agent, depsFor, KEYED_FOR_MS, outcomesOf, outside, prepare, send, toolOf } from "../steps/play-gateway.ts";
import { factsOf } from "../task/world.ts";

/** How calls are made: `gone` takes the tool away. */
interface Attempt {
  readonly mode: "run" | "probe";
  readonly attempt: number;
  readonly timeoutMs: number;
  readonly gone: boolean;
  /** How long ago the first attempt began, in ms. */
  readonly age: number;
}

/** The stored fields of a first call of the tool. */
async function rowOf(tool: Tool) {
  const given = { text: "hi", count: 1 };
  const argumentsHash = await hashArguments(tool.name, given);
  return { callId: "call_0", tool: tool.name, arguments: given, argumentsHash, key: "call_0" };
}

async function perform(
  tool: Tool,
  texts: readonly string[],
  { mode = "run", attempt = 1, timeoutMs = 60_000, gone = false, age = 0 }: Partial<Attempt> = {},
): Promise<CallOutcome[]> {
  const signal = new AbortController().signal;
  const job: ActJob = {
    facts: factsOf(agent()),
    step: 3,
    timeoutMs,
    calls: await Promise.all(
      texts.map(async (text, index) => ({
        callId: `call_${index}`,
        mode,
        attempt,
        tool: tool.name,
        arguments: { text, count: 1 },
        argumentsHash: await hashArguments(tool.name, { text, count: 1 }),
        effect: tool.effect as EffectClass,
        key: `call_${index}`,
        sentAt: Date.now() - age,
        keyedForMs: KEYED_FOR_MS,
        canProbe: tool.probe !== undefined,
      })),
    ),
  };
  return await outcomesOf(job, depsFor(gone ? [] : [tool]), signal);
}

describe("a call that its task may not make any more", () => {
  const narrowed = (tool: Tool, effect: EffectClass) => ({
    ...depsFor([tool]),
    toolset: { ...depsFor([tool]).toolset, admits: () => failed("permission_denied", `Not ${effect}.`) },
  });
  const one = async (tool: Tool, effect: EffectClass, attempt: number, mode: "run" | "probe" = "run") => {
    const row = await rowOf(tool);
    const job: ActJob = {
      facts: factsOf(agent()),
      step: 3,
      timeoutMs: 60_000,
      calls: [{ ...row, effect, attempt, mode }],
    };
    const [outcome] = await outcomesOf(job, narrowed(tool, effect), new AbortController().signal);
    if (outcome !== undefined) return outcome;
    throw new Error("nothing came of it");
  };

  test.each(["none", "keyed", "probe", "once"] as const)("is refused and does not run: %s", async (effect) => {
    const world = outside();
    const outcome = await one(toolOf(world, effect), effect, 1);
    expect(outcome).toMatchObject({ state: "refused", result: { error: { code: "permission_denied" } } });
    expect(world.runs).toBe(0);
  });

  test("is unknown when an earlier attempt may have happened, unless a probe says that it has or has not", async () => {
    const again = outside();
    expect(await one(toolOf(again, "keyed"), "keyed", 2)).toMatchObject({ state: "unknown" });
    expect(again.runs).toBe(0);
    const happened = outside({ happened: "happened" });
    expect(await one(toolOf(happened, "probe"), "probe", 2, "probe")).toMatchObject({ state: "confirmed" });
    const never = outside({ happened: "not_happened" });
    expect(await one(toolOf(never, "probe"), "probe", 2, "probe")).toMatchObject({ state: "refused" });
    expect(never.runs).toBe(0);
  });
});

describe("preparing the calls of a step", () => {
  test("keys and hashes a call by its checked arguments, whatever their order and names were", async () => {
    const tool = toolOf(outside(), "once");
    const [a] = await prepare([tool], [{ name: "send", arguments: '{"count":1,"text":"hi"}' }]);
    const [b] = await prepare([tool], [{ name: "send", arguments: '{"message":"hi"}' }]);
    expect(a).toMatchObject({
      id: "call_00000000000000000000000001_3_0",
      tool: "send",
      effect: "once",
      arguments: { text: "hi", count: 1 },
      outcome: null,
    });
    expect(b?.argumentsHash).toBe(a?.argumentsHash);
    expect(a?.argumentsHash).toMatch(/^[0-9a-f]{64}$/);
  });

  test.each([
    ["an unknown tool", { name: "fly", arguments: "{}" }, "not_found", "send"],
    ["arguments that are no JSON", { name: "send", arguments: "{text:" }, "invalid_input", "JSON"],
    ["arguments that are no object", { name: "send", arguments: "[1]" }, "invalid_input", "object"],
    ["a missing argument", { name: "send", arguments: "{}" }, "invalid_input", "text"],
    [
      "an argument that does not exist",
      { name: "send", arguments: '{"text":"a","bold":true}' },
      "invalid_input",
      "bold",
    ],
    [
      "an argument given under two names",
      { name: "send", arguments: '{"text":"a","message":"b"}' },
      "invalid_input",
      "twice",
    ],
  ])("reports %s to the model", async (_, request, code, word) => {
    const [call] = await prepare([toolOf(outside(), "once")], [request]);
    expect(call?.outcome).toMatchObject({ state: "refused", result: { ok: false, error: { code } } });
    expect(call?.outcome?.content).toContain(word);
  });

  test("refuses what is outside the agent's tools, the request's, or the permissions, in the words of the document", async () => {
    const tool = toolOf(outside(), "once");
    const contents = await Promise.all(
      [
        agent({ tools: ["read_*"] }),
        { ...agent(), tools: [["read_*"]] },
        { ...agent(), tools: [["send"], ["*"], ["read_*", "wait"]] },
        agent({ permissions: ["read", "write"] }),
      ].map(async (facts) => {
        const [call] = await prepare([tool], [send("hi")], factsOf(facts));
        return call?.outcome?.content;
      }),
    );
    expect(contents).toEqual([
      'Error (permission_denied): The agent "a" does not have the tool send.',
      "Error (permission_denied): This task was not given the tool send.",
      "Error (permission_denied): This task was not given the tool send.",
      "Error (permission_denied): Tool requires :network permission but agent only has [:read, :write]",
    ]);
  });

  test("refuses what the policy denies, whatever else allows it", async () => {
    const [denied] = await prepare(
      [toolOf(outside(), "once")],
      [send("hi")],
      factsOf(agent({ approval: { cautious: "deny", dangerous: "allow" } })),
    );
    expect(denied?.outcome?.result).toMatchObject({ error: { code: "blocked_by_policy" } });
    expect(denied?.approval).toBeNull();
  });

  test("refuses the same call in a loop, and more calls than a step may have", async () => {
    const tool = toolOf(outside(), "none");
    const [first] = await prepare([tool], [send("hi")]);
    const repeat = { hash: `send ${first?.argumentsHash}`, count: 3 };
    const [again] = await prepare([tool], [send("hi")], undefined, repeat);
    expect(again?.outcome?.content).toContain("3 times in a row");
    const [other] = await prepare([tool], [send("ho")], undefined, repeat);
    expect(other?.outcome).toBeNull();
    const many = await prepare(
      [tool],
      Array.from({ length: MAX_CALLS_PER_STEP + 2 }, () => send("hi")),
    );
    expect(many.filter((call) => call.outcome === null)).toHaveLength(MAX_CALLS_PER_STEP);
  });
});

describe("performing the calls of a step", () => {
  test("runs at most five at once and passes each its own key", async () => {
    const world = outside();
    const outcomes = await perform(
      toolOf(world, "none"),
      Array.from({ length: 12 }, (_, i) => `m${i}`),
    );
    expect(outcomes).toHaveLength(12);
    expect(world.mostAtOnce).toBe(5);
    expect(outcomes.map((outcome) => outcome.content).sort()[0]).toBe("Sent m0 as call_0");
  });

  test("retries no service before its Retry-After, even beyond the call's own limit", async () => {
    const world = outside();
    const [outcome] = await perform(toolOf(world, "none"), ["busy"]);
    expect(world.runs).toBe(1);
    expect(outcome).toMatchObject({ state: "failed", result: { error: { code: "rate_limited", retry: "later" } } });
  });

  test("isolates one call's failure from the others, and hides the thrown error from the model", async () => {
    const outcomes = await perform(toolOf(outside(), "none"), ["a", "throw", "refused", "b"]);
    expect(outcomes.map((outcome) => outcome.state).sort()).toEqual(["confirmed", "confirmed", "failed", "failed"]);
    expect(JSON.stringify(outcomes)).not.toContain("secret inside");
  });

  test("does not pass on a result that its own schema refuses", async () => {
    const [outcome] = await perform(toolOf(outside(), "once"), ["wrong"]);
    expect(outcome).toMatchObject({ state: "confirmed", result: { ok: false, error: { code: "internal" } } });
  });

  test.each([
    ["none", 1, "failed", 1],
    ["keyed", 1, "confirmed", 2],
    ["keyed", 9, "unknown", 3],
    ["once", 1, "unknown", 1],
  ] as const)(
    "a lost answer of an effect of class %s, %i times, ends %s after %i tries",
    async (effect, lose, state, tries) => {
      const world = outside({ lose });
      const [outcome] = await perform(toolOf(world, effect), ["hi"]);
      expect(outcome?.state).toBe(state);
      expect(world.runs).toBe(tries);
    },
  );

  test.each([
    ["none", 0, 1, "confirmed", 2],
    ["once", 0, 1, "confirmed", 2],
    ["once", 0, 9, "failed", 3],
    ["keyed", 1, 1, "confirmed", 3],
    ["keyed", 1, 9, "unknown", 3],
    ["once", 1, 1, "unknown", 1],
  ] as const)(
    "an effect of class %s, lost %i times and then unsent %i times, ends %s after %i tries",
    async (effect, lose, unsent, state, tries) => {
      const world = outside({ lose, unsent });
      const [outcome] = await perform(toolOf(world, effect), ["hi"]);
      expect(outcome?.state).toBe(state);
      expect(world.runs).toBe(tries);
    },
  );

  test.each([
    ["is surely unsent this time", { unsent: 9 }, {}],
    ["has no time left", {}, { timeoutMs: 0 }],
    ["has no tool any more", {}, { gone: true }],
  ] as const)("a keyed call that a crash cut off is unknown, and never failed, when it %s", async (_, world, how) => {
    const [outcome] = await perform(toolOf(outside(world), "keyed"), ["hi"], { attempt: 2, ...how });
    expect(outcome?.state).toBe("unknown");
    const [first] = await perform(toolOf(outside(world), "keyed"), ["hi"], how);
    expect(first?.state).toBe("failed");
  });

  test.each([
    ["within its lifetime is made", KEYED_FOR_MS / 2, "confirmed", 1],
    ["that may be forgotten when the request arrives is unknown, and not made", KEYED_FOR_MS - 1000, "unknown", 0],
    ["that is forgotten is unknown, and not made", KEYED_FOR_MS * 2, "unknown", 0],
  ] as const)("a second attempt under a key %s", async (_, age, state, runs) => {
    const world = outside();
    const [outcome] = await perform(toolOf(world, "keyed"), ["hi"], { attempt: 2, age });
    expect(outcome?.state).toBe(state);
    expect(world.runs).toBe(runs);
  });

  test("a second attempt does not run when the object does not state the age of its key", async () => {
    const world = outside();
    const tool = toolOf(world, "keyed");
    const row = await rowOf(tool);
    const calls = [{ ...row, effect: "keyed", mode: "run", attempt: 2 }] as const;
    const job: ActJob = { facts: factsOf(agent()), step: 3, timeoutMs: 60_000, calls };
    const [outcome] = await outcomesOf(job, depsFor([tool]), new AbortController().signal);
    expect(outcome?.state).toBe("unknown");
    expect(world.runs).toBe(0);
  });

  test("no other try follows a lost answer once the receiver may have forgotten the key", async () => {
    const world = outside({ lose: 1 });
    const tool = toolOf(world, "keyed");
    // The first try takes as long as the key lives.
    let now = 0;
    const deps = { ...depsFor([tool]), clock: { now: () => (world.runs === 0 ? now : (now += KEYED_FOR_MS)) } };
    const row = await rowOf(tool);
    const calls = [{ ...row, effect: "keyed", mode: "run", attempt: 1, keyedForMs: KEYED_FOR_MS }] as const;
    const job: ActJob = { facts: factsOf(agent()), step: 3, timeoutMs: 10 * KEYED_FOR_MS, calls };
    const [outcome] = await outcomesOf(job, deps, new AbortController().signal);
    expect(outcome?.state).toBe("unknown");
    expect(world.runs).toBe(1);
  });

  test("a call that a probe did not find may fail after all", async () => {
    const world = outside({ unsent: 9 });
    const [outcome] = await perform(toolOf(world, "probe"), ["hi"], { mode: "probe", attempt: 2 });
    expect(outcome?.state).toBe("failed");
  });

  test("a probe that does not end in time is inconclusive", async () => {
    const world = outside({ happened: "never" });
    const [outcome] = await perform(toolOf(world, "probe"), ["hi"], { mode: "probe", attempt: 2, timeoutMs: 50 });
    expect(outcome?.state).toBe("unknown");
    expect(world.runs).toBe(0);
  });

  test("retains the outcome when a tool cannot render it, and the others' results", async () => {
    const outcomes = await perform(toolOf(outside(), "once"), ["a", "unshowable", "b"]);
    expect(outcomes.map(({ state, result }) => `${state} ${String(result.ok)}`).sort()).toEqual([
      "confirmed false",
      "confirmed true",
      "confirmed true",
    ]);
  });

  test("shares the phase's time between the calls, and does not run those without time left", async () => {
    const world = outside();
    const tool = toolOf(world, "once");
    const outcomes = await perform(
      tool,
      Array.from({ length: 12 }, () => "slow"),
      { timeoutMs: 300 },
    );
    expect(world.runs).toBeLessThan(12);
    const late = outcomes.filter(({ state }) => state === "failed");
    expect(late.length).toBe(12 - world.runs);
    expect(late[0]?.content).toContain("It was not called");
  });

  test.each([
    ["happened", "confirmed", 0],
    ["not_happened", "confirmed", 1],
    ["cannot_tell", "unknown", 0],
  ] as const)("after a crash, a probe that says %s ends %s with %i runs", async (happened, state, runs) => {
    const world = outside({ happened });
    const [outcome] = await perform(toolOf(world, "probe"), ["hi"], { mode: "probe" });
    expect(outcome?.state).toBe(state);
    expect(world.runs).toBe(runs);
  });
});

describe("the names that a model sees", () => {
  test("have no dots, fit 64 characters, and never collide", async () => {
    const long = "x".repeat(80);
    const names = await createModelNames([
      { name: "fs.read" },
      { name: "fs_read" },
      { name: long },
      { name: `${long}y` },
    ]);
    const listed = [...names.values()];
    expect(listed[0]).toBe("fs_read");
    expect(new Set(listed).size).toBe(4);
    for (const name of listed) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  });
});
