import { afterEach, describe, expect, test, vi } from "vitest";
import { mayPerformEarly, performEarly } from "../../../core/steps/perform-early.ts";
import type { PreparedCall } from "../../../core/task/commands.ts";
import type { Tool } from "../../../core/tool/tool.ts";
import { agent, depsFor, outside, prepare, send, toolOf } from "./play-gateway.ts";
import { freeWork } from "../../fakes/work-meter.ts";
import { factsOf } from "../task/world.ts";
import { PRINCIPAL } from "../../../core/provenance/label.ts";

const look = toolOf(outside(), "none", "look");
const facts = factsOf(agent());

/** True when hop one may make a batch that asks for each of these tools once. */
async function mayRun(tools: readonly Tool[], change = agent()): Promise<boolean> {
  const requested = tools.map(({ name }) => send("hi", name));
  const calls = await prepare(tools, requested, factsOf(change));
  return mayPerformEarly(calls, depsFor(tools).toolset);
}

async function make(calls: readonly PreparedCall[], tool: Tool, abort = new AbortController(), deps = depsFor([tool])) {
  return await performEarly({ facts, step: 3, label: PRINCIPAL, calls }, deps, abort.signal);
}

/** A tool that runs until the test ends it, even after its signal aborts. */
function heldUp() {
  const world = outside();
  const gate = Promise.withResolvers<void>();
  const run: Tool["run"] = async ({ text }: { text: string }) => {
    world.runs += 1;
    if (text === "held") await gate.promise;
    return { kind: "result", result: { sent: text } };
  };
  return { world, tool: { ...toolOf(world, "none"), run }, letGo: gate.resolve };
}

/** A timer that ends the time of the message, half a second, when the test says so, and no other time. */
function earlyTimer() {
  let end = (): void => undefined;
  const setTimeout = (action: () => void, ms: number): void => {
    if (ms === 500) end = action;
  };
  return { timer: { setTimeout, clearTimeout: () => undefined }, end: () => end() };
}

describe("a batch may run in the model phase", () => {
  test("when every call of it changes nothing", async () => {
    expect(await mayRun([look])).toBe(true);
    expect(await mayRun([look, toolOf(outside(), "none")])).toBe(true);
  });

  test.each(["keyed", "probe", "once"] as const)("but not with one call of class %s in it", async (effect) => {
    expect(await mayRun([look, toolOf(outside(), effect)])).toBe(false);
  });

  test("but not with one that uses the web, whatever its effect", async () => {
    expect(await mayRun([look, { ...toolOf(outside(), "none"), needs: ["web"] }])).toBe(false);
    expect(await mayRun([look, { ...toolOf(outside(), "none"), needs: ["search"] }])).toBe(false);
    expect(await mayRun([look, { ...toolOf(outside(), "none"), needs: ["files", "memory"] }])).toBe(true);
  });

  test("but not with one that reads a result again, which the object sends with the tool phase", async () => {
    expect(await mayRun([look, { ...toolOf(outside(), "none"), needs: ["results"] }])).toBe(false);
  });

  test("but not with one that a person is to approve", async () => {
    const asks = agent({ approval: { rules: [{ tool: "send", decision: "ask" }] } });
    expect(await mayRun([look, toolOf(outside(), "none")], asks)).toBe(false);
    expect(await mayRun([look], asks)).toBe(true);
  });

  test("but not with one whose tool is gone", async () => {
    const calls = await prepare([look], [send("hi", "look")]);
    expect(mayPerformEarly(calls, depsFor([]).toolset)).toBe(false);
  });

  test("with calls that were refused, of any class", async () => {
    const tools = [look, toolOf(outside(), "once")];
    const calls = await prepare(tools, [send("hi", "look"), { name: "send", arguments: "{}" }, send("hi", "fly")]);
    expect(calls.map(({ outcome }) => outcome?.state ?? null)).toEqual([null, "refused", "refused"]);
    expect(mayPerformEarly(calls, depsFor(tools).toolset)).toBe(true);
  });
});

describe("a batch that runs in the model phase", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test("brings every outcome to its own call, in the order of the calls", async () => {
    const world = outside();
    const tool = toolOf(world, "none");
    const calls = await prepare([tool], [send("slow"), send("refused"), send("b")]);
    const made = await make(calls, tool);
    expect(made.map((call) => ({ ...call, outcome: null }))).toEqual(calls);
    expect(made.map(({ outcome }) => outcome?.content)).toEqual([
      `Sent slow as ${calls[0]?.id}`,
      expect.stringContaining("Not this one."),
      `Sent b as ${calls[2]?.id}`,
    ]);
    expect(world.runs).toBe(3);
  });

  test("leaves refused calls as they are, and runs the others", async () => {
    const world = outside();
    const tool = toolOf(world, "none");
    const calls = await prepare([tool], [{ name: "send", arguments: "{}" }, send("a")]);
    const made = await make(calls, tool);
    expect(made[0]).toEqual(calls[0]);
    expect(made[1]?.outcome?.state).toBe("confirmed");
    expect(world.runs).toBe(1);
  });

  test("leaves a slow call to the tool phase without waiting for it, and keeps the others' outcomes", async () => {
    const { timer, end } = earlyTimer();
    const { world, tool, letGo } = heldUp();
    const calls = await prepare([tool], [send("held"), send("b")]);
    // No other timer fires: only the end of the time can end the wait.
    const making = make(calls, tool, new AbortController(), { ...depsFor([tool]), timer });
    await vi.waitFor(() => expect(world.runs).toBe(2));
    end();
    const made = await making;
    expect(made.map(({ outcome }) => outcome?.state ?? null)).toEqual([null, "confirmed"]);
    letGo();
  });

  test("of a cancelled phase runs nothing more, and reports nothing that was cut off", async () => {
    const { timer } = earlyTimer();
    const { world, tool, letGo } = heldUp();
    const calls = await prepare(
      [tool],
      Array.from({ length: 12 }, () => send("held")),
    );
    const abort = new AbortController();
    const making = make(calls, tool, abort, { ...depsFor([tool]), timer });
    await vi.waitFor(() => expect(world.runs).toBe(5));
    abort.abort();
    expect((await making).every(({ outcome }) => outcome === null)).toBe(true);
    letGo();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(world.runs).toBe(5);
  });

  test("lets other work run before each call but the first", async () => {
    const world = outside();
    const tool = toolOf(world, "none");
    const seen: number[] = [];
    const giveTurn = async () => {
      seen.push(world.runs);
      await freeWork.giveWay();
    };
    const deps = { ...depsFor([tool]), giveTurn };
    const calls = await prepare(
      [tool],
      Array.from({ length: 12 }, (_, index) => send(`t${index}`)),
    );
    await make(calls.slice(0, 1), tool, new AbortController(), deps);
    expect(seen).toEqual([]);
    await make(calls, tool, new AbortController(), deps);
    expect(seen).toHaveLength(11);
  });

  test("whose tools only compute ends at the limit of the message", async () => {
    const { timer, end } = earlyTimer();
    const world = outside();
    const run: Tool["run"] = async ({ text }: { text: string }) => {
      world.runs += 1;
      if (world.runs === 3) setTimeout(end, 0);
      return { kind: "result", result: { sent: text } };
    };
    const tool = { ...toolOf(world, "none"), run };
    const calls = await prepare(
      [tool],
      Array.from({ length: 64 }, (_, index) => send(`t${index}`)),
    );
    const deps = { ...depsFor([tool]), timer, giveTurn: freeWork.giveWay };
    const made = await make(calls, tool, new AbortController(), deps);
    const ran = world.runs;
    expect(ran).toBeLessThan(10);
    expect(made.filter(({ outcome }) => outcome === null).length).toBeGreaterThanOrEqual(54);
    await freeWork.giveWay();
    await freeWork.giveWay();
    expect(world.runs).toBe(ran);
  });

  test("leaves no timer that keeps its object in memory", async () => {
    const limits = vi.spyOn(AbortSignal, "timeout");
    const open = new Set<unknown>();
    const timer = {
      setTimeout(action: () => void, ms: number) {
        const id = setTimeout(action, ms);
        open.add(id);
        return id;
      },
      clearTimeout(id: NodeJS.Timeout) {
        clearTimeout(id);
        open.delete(id);
      },
    };
    const calls = await prepare([look], [send("a", "look")]);
    const [made] = await make(calls, look, new AbortController(), { ...depsFor([look]), timer });
    expect(made?.outcome?.state).toBe("confirmed");
    expect(open.size).toBe(0);
    expect(limits).not.toHaveBeenCalled();
  });

  test("of a phase that was already cancelled runs nothing", async () => {
    const { world, tool, letGo } = heldUp();
    letGo();
    const calls = await prepare([tool], [send("a")]);
    const abort = new AbortController();
    abort.abort();
    const made = await make(calls, tool, abort);
    expect([made, world.runs]).toEqual([calls, 0]);
  });
});
