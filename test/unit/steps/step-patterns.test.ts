/** What preparing the calls of one step computes, when their tools have the largest schemas that there may be. */
import { describe, expect, test } from "vitest";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import { httpCaller } from "../../../core/steps/http-caller.ts";
import { createOutsideTools } from "../../../core/gateway/outside-tool.ts";
import { MAX_CALLS_PER_STEP, prepareCalls } from "../../../core/steps/prepare.ts";
import { buildToolset } from "../../../core/steps/toolset.ts";
import type { PerformDeps } from "../../../core/steps/perform.ts";
import type { PreparedCall } from "../../../core/task/commands.ts";
import grep from "../../../tools/files/grep.ts";
import jsonParse from "../../../tools/json/parse.ts";
import type { PatternsPort } from "../../../core/lib/patterns.ts";
import type { ToolPorts } from "../../../core/ports/tool-ports.ts";
import { BY_PRINCIPAL } from "../../../core/model/label-messages.ts";
import { outsideToolOf } from "../../contracts/tool/tool-sources-suite.ts";
import { fakeFiles } from "../../fakes/files.ts";
import { agent, depsFor, outcomesOf, prepare } from "./play-gateway.ts";
import { factsOf } from "../task/world.ts";

/** Patterns of about 9,000 units each: a schema takes four of them. */
const patternOf = (index: number) => `^(?:${"\\p{L}".repeat(190)}){1}a{${700 + index}}$`;
const UNIT_LIMIT = 100_000;

/** An engine that adds up the work of what it compiles. */
function countingPatterns() {
  let work = 0;
  const patterns: PatternsPort = {
    estimateWork: (source, search) => linearPatterns.estimateWork(source, search),
    compile(source, search) {
      work += linearPatterns.estimateWork(source, search);
      return linearPatterns.compile(source, search);
    },
  };
  return { patterns, workSoFar: () => work };
}

/** A schema of nearly the largest size. */
function largeSchema(index: number) {
  const properties = Object.fromEntries(
    [0, 1, 2, 3].map((at) => [`p${at}`, { type: "string", pattern: patternOf(4 * index + at) }]),
  );
  return { type: "object", properties };
}

/** Tools with schemas of nearly the largest size, and the compiled work of all of them. */
async function largeTools(count: number) {
  const { patterns, workSoFar } = countingPatterns();
  const found = Array.from({ length: count }, (_, index) => {
    return { source: "custom", tool: outsideToolOf(`tool_${index}`, { input: largeSchema(index) }) };
  });
  const facts = factsOf(agent());
  const toolset = await buildToolset(createOutsideTools(found, [], { callers: { http: httpCaller }, patterns }), facts);
  let turns = 0;
  let longestTurn = 0;
  let before = 0;
  const giveWay = async () => {
    longestTurn = Math.max(longestTurn, workSoFar() - before);
    before = workSoFar();
    turns += 1;
    await Promise.resolve();
  };
  const prepare = async (names: readonly string[], given = "{}") =>
    await prepareCalls(
      names.map((name) => ({ name, arguments: given })),
      { facts, step: 1, toolset, repeat: null, context: BY_PRINCIPAL, giveWay },
    );
  return { prepare, workSoFar, turnsSoFar: () => ({ turns, longestTurn }) };
}

describe("the calls of one step", () => {
  test("compile patterns within one budget, in turns, and the rest are called in the next step", async () => {
    const { prepare, workSoFar, turnsSoFar } = await largeTools(MAX_CALLS_PER_STEP);
    const names = Array.from({ length: MAX_CALLS_PER_STEP }, (_, index) => `tool_${index}`);
    const first = await prepare(names);
    expect(workSoFar()).toBeGreaterThan(UNIT_LIMIT / 2);
    expect(workSoFar()).toBeLessThanOrEqual(UNIT_LIMIT);
    const { turns, longestTurn } = turnsSoFar();
    expect(turns).toBe(MAX_CALLS_PER_STEP - 1);
    expect(longestTurn).toBeLessThanOrEqual(40_000);
    const refused = first.filter(({ outcome }) => outcome !== null);
    expect(refused.length).toBeGreaterThan(MAX_CALLS_PER_STEP / 2);
    expect(refused[0]?.outcome).toMatchObject({
      state: "refused",
      result: { error: { code: "budget_exceeded", message: expect.stringContaining("next step") } },
    });
    const [again] = await prepare([refused[0]?.tool ?? ""]);
    expect(again?.outcome).toBeNull();
    const [unfit] = await prepare([refused[1]?.tool ?? ""], '{"p0":"?"}');
    expect(unfit?.outcome).toMatchObject({ result: { error: { code: "invalid_input", field: "p0" } } });
  });

  test("beyond the most that a step may make cost nothing", async () => {
    const { prepare, workSoFar, turnsSoFar } = await largeTools(1);
    const names = [...Array.from({ length: MAX_CALLS_PER_STEP }, () => "nothing"), "tool_0"];
    const prepared = await prepare(names);
    expect(prepared.at(-1)?.outcome).toMatchObject({ state: "refused" });
    expect([workSoFar(), turnsSoFar().turns]).toEqual([0, 0]);
  });

  test("share one budget for the schemas and the searches that they name", async () => {
    const { patterns, workSoFar } = countingPatterns();
    const asked = Array.from({ length: 8 }, (_, index) => ({
      name: "json.parse",
      arguments: JSON.stringify({ json: '{"p0":1}', schema: largeSchema(index) }),
    }));
    const searches = Array.from({ length: 8 }, (_, index) => ({
      name: "grep",
      arguments: JSON.stringify({ pattern: `(?i:${"\\p{L}".repeat(40)}){1}b{${index}}` }),
    }));
    const tools = [jsonParse, grep];
    const calls = await prepare(tools, [...asked, ...searches], factsOf(agent({ permissions: ["read"] })));
    const ports = { patterns, files: fakeFiles() } as Partial<ToolPorts> as ToolPorts;
    const outcomes = await perform(calls, { ...depsFor(tools), ports });
    expect(outcomes.map(({ state }) => state)).toEqual(outcomes.map(() => "failed"));
    const later = outcomes.filter(({ content }) => content.includes("in the next step"));
    expect(later.length).toBeGreaterThan(8);
    expect(workSoFar()).toBeGreaterThan(UNIT_LIMIT / 2);
    expect(workSoFar()).toBeLessThanOrEqual(UNIT_LIMIT);
  });

  test("share it for the schemas of results, and no result is lost", async () => {
    const { patterns, workSoFar } = countingPatterns();
    const found = Array.from({ length: 8 }, (_, index) => {
      return { source: "custom", tool: outsideToolOf(`tool_${index}`, { input: {}, output: largeSchema(index) }) };
    });
    const caller = { needs: [], call: async () => ({ kind: "result", result: {} }) as const };
    const tools = createOutsideTools(found, [], { callers: { http: caller }, patterns });
    const calls = await prepare(
      tools,
      tools.map(({ name }) => ({ name, arguments: "{}" })),
    );
    const ports = { patterns } as Partial<ToolPorts> as ToolPorts;
    const outcomes = await perform(calls, { ...depsFor(tools), ports });
    expect(outcomes.map(({ state }) => state)).toEqual(outcomes.map(() => "confirmed"));
    expect(workSoFar()).toBeGreaterThan(UNIT_LIMIT / 2);
    expect(workSoFar()).toBeLessThanOrEqual(UNIT_LIMIT);
  });
});

/** Makes the prepared calls of one step. */
async function perform(prepared: readonly PreparedCall[], deps: PerformDeps) {
  const calls = prepared.map((call) => {
    expect(call.outcome).toBeNull();
    return { ...call, callId: call.id, key: call.id, mode: "run" as const, attempt: 1 };
  });
  const job = { facts: factsOf(agent({ permissions: ["read", "network"] })), step: 1, calls, timeoutMs: 10_000 };
  return await outcomesOf(job, deps, new AbortController().signal);
}
