import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { estimateRequest } from "../../../core/steps/request-size.ts";
import { DATA_NOTE } from "../../../core/prompt/mark-data.ts";
import { DEFAULT_AGENT } from "../../../core/agents/agent.ts";
import { INPUT, measure, SCENARIOS } from "./first-request.ts";

/** How far a figure of the table may be from the measured one, so that one word does not change the page. */
const DRIFT = 0.03;
/** The most error of an estimate. */
const MAX_ERROR = 0.1;
const MODELS = { o200k: "gpt-5", cl100k: "gpt-4" } as const;

const page = readFileSync(new URL("../../../docs/prompt.md", import.meta.url), "utf8");
const rows = new Map(
  page
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .map(([, name = "", ...cells]) => [name, cells.map((cell) => Number(cell.replaceAll(",", "")))] as const),
);

describe.each(SCENARIOS)("the first request: $name", (scenario) => {
  test("has at most as many tokens as it may, and as docs/prompt.md says", async () => {
    const measured = await measure(scenario);
    const [, o200k = Number.NaN, cl100k = Number.NaN] = rows.get(scenario.name) ?? [];
    for (const [count, written] of [
      [measured.o200k, o200k],
      [measured.cl100k, cl100k],
    ] as const) {
      expect(count).toBeLessThanOrEqual(scenario.most);
      expect(
        Math.abs(written / count - 1),
        `${scenario.name}: ${count}, and the page says ${written}`,
      ).toBeLessThanOrEqual(DRIFT);
    }
  });

  test("is estimated within 10 % in both encodings", async () => {
    const measured = await measure(scenario);
    for (const encoding of ["o200k", "cl100k"] as const) {
      const estimate = estimateRequest({ ...measured.request, model: MODELS[encoding] });
      expect(
        Math.abs(estimate / measured[encoding] - 1),
        `${encoding}: ${estimate} for ${measured[encoding]}`,
      ).toBeLessThanOrEqual(MAX_ERROR);
    }
  });
});

test("the first request of the built-in agent reaches the aim of 2,000 tokens", async () => {
  const [builtIn] = SCENARIOS;
  if (builtIn === undefined) throw new Error("there is no scenario");
  expect((await measure(builtIn)).o200k).toBeLessThanOrEqual(2_000);
});

test("the facts are in the user turn and not in the system text, which is the same for every task of an agent", async () => {
  const [builtIn] = SCENARIOS;
  if (builtIn === undefined) throw new Error("there is no scenario");
  const { request } = await measure(builtIn);
  expect(request.messages).toEqual([
    { role: "system", content: `${DEFAULT_AGENT.config.instructions}\n\n${DATA_NOTE}` },
    { role: "user", content: `[Facts: Friday 2026-11-27, time zone UTC; by api]\n\n${INPUT}` },
  ]);
});
