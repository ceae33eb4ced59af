/** The short form of `npm run drill`. It judges what is lost, repeated and doubled, and no time. */
import { expect, test } from "vitest";
import { reportText, runDrills } from "../drill/drill.ts";

test("a started system loses and repeats nothing when its runtime and its database are killed", async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const lines: string[] = [];
  const report = await runDrills({
    seed,
    short: true,
    kills: null,
    outageSeconds: 8,
    waitingTasks: 30,
    say: (line) => void lines.push(line),
  });
  const text = `${lines.join("\n")}\n${reportText(report, seed)}`;
  expect(report.violations, text).toEqual([]);
  expect(report.kill.kills.length, text).toBeGreaterThanOrEqual(10);
  expect(report.kill.effects, text).toBeGreaterThan(0);
  expect(report.waiting, text).toMatchObject({ tasks: 30, answered: 30, refused: 30 });
  expect(report.outage.progress, text).toBeGreaterThan(0);
});
