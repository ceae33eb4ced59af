/** The short form of the engine's drills. It judges what is lost, doubled and overspent, and takes no measure of time. */
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { runApprovalDrill } from "../drill/engine/approval-drill.ts";
import { runAskingDrill } from "../drill/engine/asking-drill.ts";
import { runContextDrill } from "../drill/engine/context-drill.ts";
import { SHORT_SIZES } from "../drill/engine/engine.ts";
import { runFanInDrill } from "../drill/engine/fan-in-drill.ts";
import { runSpendingDrill } from "../drill/engine/spending-drill.ts";
import { openStage, type Stage } from "../drill/stage.ts";
import { type PostgresServer, startPostgres } from "../mock-servers/postgres-server.ts";
import { runSwitchDrill } from "../drill/engine/switch-drill.ts";

const { children, fanInKills, spendingLimit: limit, spendingKills } = SHORT_SIZES;
const seed = Math.floor(Math.random() * 2 ** 31);
let stage: Stage;
let postgres: PostgresServer;

beforeAll(async () => {
  postgres = await startPostgres();
  stage = await openStage({ from: inject("endedState"), hosts: [`127.0.0.1:${postgres.port}`] });
});

afterAll(async () => {
  await stage?.close();
  await postgres?.close();
});

/** What a test shows when it fails: everything that was found, and the seed that repeats it. */
const toDetail = (report: unknown): string =>
  `seed ${seed}\n${JSON.stringify(report, null, 2)}\n${stage.system.output()}`;

test("a task continues once, with the results of all its subtasks in order, however often the runtime is killed", async () => {
  const report = await runFanInDrill(stage, { children, kills: fanInKills, round: 1, seed });
  expect(report.violations, toDetail(report)).toEqual([]);
  expect(report, toDetail(report)).toMatchObject({ children, kills: fanInKills });
  expect(report.effects, toDetail(report)).toBeGreaterThan(0);
});

test("an approval survives a kill of the system: for the approved or edited arguments, once, by its tenant, in time", async () => {
  const report = await runApprovalDrill(stage);
  expect(report.violations, toDetail(report)).toEqual([]);
  expect(report.effects, toDetail(report)).toBeGreaterThan(0);
});

test.each([0, spendingKills])(
  "tasks that spend at once stay within their tenant's limit, with %i kills, and no token stays reserved",
  async (kills) => {
    const report = await runSpendingDrill(stage, { limit, kills, seed });
    expect(report.violations, toDetail(report)).toEqual([]);
    expect(report.served, toDetail(report)).toBeGreaterThan(0);
  },
);

test("a tool's questions to the model are charged with at least what they are billed, killed before, during and after them", async () => {
  const report = await runAskingDrill(stage, postgres);
  expect(report.violations, toDetail(report)).toEqual([]);
  expect(report, toDetail(report)).toMatchObject({ kills: 3 });
});

test("a stopped tenant does nothing, and all of its tasks continue to their end at the release", async () => {
  const report = await runSwitchDrill(stage);
  expect(report.violations, toDetail(report)).toEqual([]);
  expect(report.after, toDetail(report)).toBeGreaterThan(0);
});

test("ten large results cost at most a third of their full text, and a conversation outgrows its model's window unharmed", async () => {
  const report = await runContextDrill(stage);
  expect(report.violations, toDetail(report)).toEqual([]);
  expect(report, toDetail(report)).toMatchObject({ summaries: 10 });
});
