/** What preparing the calls of one step computes, when their tools have the largest schemas that there may be. */
import { describe, expect, test } from "vitest";
import { linearPatterns } from "../../adapters/patterns.ts";
import { httpCaller } from "../../core/gateway/http-caller.ts";
import { outsideTools } from "../../core/gateway/outside-tool.ts";
import { MAX_CALLS_PER_STEP, prepareCalls } from "../../core/gateway/prepare.ts";
import { buildToolset } from "../../core/gateway/toolset.ts";
import type { PatternsPort } from "../../core/ports.ts";
import { BY_PRINCIPAL } from "../../core/provenance/label-messages.ts";
import { outsideToolOf } from "../contracts/tool-sources-suite.ts";
import { agent } from "./play-gateway.ts";
import { factsOf } from "./task-world.ts";

/** Patterns of about 9,000 units each: a schema takes four of them. */
const patternOf = (index: number) => `^(?:${"\\p{L}".repeat(190)}){1}a{${700 + index}}$`;
const UNIT_LIMIT = 100_000;

/** Tools with schemas of nearly the largest size, and the compiled work of all of them. */
async function largeTools(count: number) {
  let work = 0;
  const patterns: PatternsPort = {
    workOf: (source) => linearPatterns.workOf(source),
    compile(source) {
      work += linearPatterns.workOf(source);
      return linearPatterns.compile(source);
    },
  };
  const found = Array.from({ length: count }, (_, index) => {
    const properties = Object.fromEntries(
      [0, 1, 2, 3].map((at) => [`p${at}`, { type: "string", pattern: patternOf(4 * index + at) }]),
    );
    return { source: "custom", tool: outsideToolOf(`tool_${index}`, { input: { type: "object", properties } }) };
  });
  const facts = factsOf(agent());
  const toolset = await buildToolset(outsideTools(found, [], { callers: { http: httpCaller }, patterns }), facts);
  let turns = 0;
  let longestTurn = 0;
  let before = 0;
  const giveWay = async () => {
    longestTurn = Math.max(longestTurn, work - before);
    before = work;
    turns += 1;
    await Promise.resolve();
  };
  const prepare = async (names: readonly string[], given = "{}") =>
    await prepareCalls(
      names.map((name) => ({ name, arguments: given })),
      { facts, step: 1, toolset, repeat: null, context: BY_PRINCIPAL, giveWay },
    );
  return { prepare, workSoFar: () => work, turnsSoFar: () => ({ turns, longestTurn }) };
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
});
