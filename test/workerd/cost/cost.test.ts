/**
 * What a step and a task cost, in counts that need no clock: as `docs/counts.md` says, and the same after 10,000 ended
 * tasks. With `-u` this writes the page.
 */
import { describe, expect, test } from "vitest";
import { type Counts, formatPage, type Promised } from "./measures.ts";
import { countScenario, SCENARIO_NAMES } from "./scenarios.ts";

const PROMISED: readonly Promised[] = [
  {
    figure: "object rows written per `none` step, alarms included, with a model of 7 s",
    scenario: "`none` step",
    measure: "object rows written, alarms included",
    must: 4,
    aim: 2,
    isMet: true,
  },
  {
    figure: "Postgres statements per task that runs alone",
    scenario: "task of one model call",
    measure: "Postgres statements",
    must: 6,
    aim: 3,
    isMet: true,
  },
];

// A second try would hide a count that depends on something else.
describe("costs", { retry: 0, timeout: 120_000 }, () => {
  const counted = new Map<string, Counts>();

  test.each(SCENARIO_NAMES)("%s, after none and after 10,000 ended tasks", async (name) => {
    const counts = await countScenario(name, 0);
    counted.set(name, counts);
    expect(Object.fromEntries(await countScenario(name, 10_000))).toEqual(Object.fromEntries(counts));
  });

  test("docs/counts.md has every count", async () => {
    expect([...counted.keys()]).toEqual(SCENARIO_NAMES);
    await expect(formatPage(counted, PROMISED)).toMatchFileSnapshot("../../../docs/counts.md");
  });

  test.each(PROMISED)("$figure", ({ scenario, measure, must, isMet }) => {
    const count = counted.get(scenario)?.get(measure) ?? NaN;
    if (isMet) expect(count).toBeLessThanOrEqual(must);
    else expect(count, "the promise is met: set isMet").toBeGreaterThan(must);
  });
});
