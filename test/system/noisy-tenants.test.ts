/**
 * The short form of the drill of noisy tenants. It judges refused, lost and cut answers, and of time only whether the victim
 * is served: on a busy machine a few tasks prove nothing about a 95th percentile. `npm run drill` measures that.
 */
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { FAIRNESS_STAGE, SHORT_NOISE } from "../drill/fairness/fairness.ts";
import { makeVictim, runScenario } from "../drill/fairness/noisy-drill.ts";
import { SCENARIOS } from "../drill/fairness/scenarios.ts";
import { type DrillTenant, openStage, type Stage } from "../drill/stage.ts";

/** A tenant that blocks the others makes their tasks hundreds of times slower. */
const LARGEST_MEDIAN_RATIO = 25;

let stage: Stage;
let victim: DrillTenant;

beforeAll(async () => {
  stage = await openStage({ ...FAIRNESS_STAGE, from: inject("endedState") });
  victim = await makeVictim(stage);
});

afterAll(async () => {
  await stage?.close();
});

test("there are at least twenty ways to be noisy", () => {
  expect(new Set(SCENARIOS.map(({ name }) => name)).size).toBeGreaterThanOrEqual(20);
});

test.each(SCENARIOS.filter(({ isDrillOnly }) => isDrillOnly !== true).map(({ name }) => name))(
  "a tenant is served next to the noise of %s",
  async (name) => {
    const report = await runScenario(stage, victim, name, SHORT_NOISE);
    const detail = `${JSON.stringify(report, null, 2)}\n${stage.system.output()}`;
    expect(report.violations, detail).toEqual([]);
    expect(report.tasks, detail).toBe(SHORT_NOISE.tasks * SHORT_NOISE.rounds);
    expect(report.medianRatio, detail).toBeLessThan(LARGEST_MEDIAN_RATIO);
  },
);
