import { expect, test } from "vitest";
import { retentionInWords } from "../../../web/src/pages/settings/retention-words.ts";

test("says what is deleted when, or that everything is retained", () => {
  const nothing = { tasks_days: null, logs_days: null, results_days: null };
  expect(retentionInWords(nothing)).toEqual(["Everything is kept."]);
  expect(retentionInWords({ ...nothing, tasks_days: 30, results_days: 1 })).toEqual([
    "Tasks are deleted 30 days after the end.",
    "Large results are deleted 1 day after the end.",
  ]);
});
