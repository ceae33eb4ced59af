import { readFileSync } from "node:fs";
import fc from "fast-check";
import { Tiktoken } from "js-tiktoken/lite";
import cl100k from "js-tiktoken/ranks/cl100k_base";
import o200k from "js-tiktoken/ranks/o200k_base";
import { describe, expect, test } from "vitest";
import { TOOL_LIST_TOKENS } from "../../../core/task/budget.ts";
import { buildToolset } from "../../../core/steps/toolset.ts";
import { getEncoding } from "../../../core/model/table.ts";
import { estimateRequest } from "../../../core/steps/request-size.ts";
import { type Encoding, estimateTokens, measureTokens } from "../../../core/model/tokens.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { drawsFrom } from "../task/play-task.ts";
import { FURTHER_LANGUAGES, lines, ORDINARY, PROSE } from "./token-samples.ts";
import { factsOf } from "../task/world.ts";

const tokenizers = { o200k: new Tiktoken(o200k), cl100k: new Tiktoken(cl100k) };
const ENCODINGS: readonly Encoding[] = ["o200k", "cl100k"];
const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const draw = drawsFrom(7);
const bytes = (count: number) => Buffer.from(Array.from({ length: count }, () => Math.floor(draw() * 256)));

async function toolList(): Promise<string> {
  return JSON.stringify((await buildToolset(catalogue, factsOf())).specs);
}

/** Texts of the kinds that requests are made of, at least 2,000 characters each. */
const KINDS: readonly (readonly [kind: string, text: () => string | Promise<string>])[] = [
  ["the tool list of the built-in agent", toolList],
  ["prose in English", () => read("README.md") + read("docs/architecture.md") + read("docs/deploy.md")],
  ["TypeScript", () => read("core/task/task.ts") + read("core/lib/fnmatch.ts") + read("workers/steps.ts")],
  ["JSON", () => read("test/unit/__fixtures__/states-v5.json")],
  ["JSON without blanks", () => JSON.stringify(JSON.parse(read("test/unit/__fixtures__/states-v5.json")))],
  ["a table in Markdown", () => read("docs/tools.md").slice(0, 40_000)],
  ["hexadecimal digits", () => bytes(4000).toString("hex")],
  ...Object.entries(ORDINARY).map(([kind, text]) => [kind, () => text] as const),
];

/** The error of an estimate, as a share of the count. */
function errorOf(text: string, encoding: Encoding): number {
  const count = tokenizers[encoding].encode(text, "all").length;
  return estimateTokens(text, encoding) / count - 1;
}

describe("an estimate of tokens", () => {
  test.each(KINDS)("of %s is within 10 % of o200k and of cl100k", async (_kind, text) => {
    const whole = await text();
    for (const encoding of ENCODINGS) expect(Math.abs(errorOf(whole, encoding))).toBeLessThanOrEqual(0.1);
  });

  test.each(Object.entries(PROSE))("of prose in %s is within 25 %, each text being short", (_language, text) => {
    for (const encoding of ENCODINGS) expect(Math.abs(errorOf(text, encoding))).toBeLessThanOrEqual(0.25);
  });

  test.each(FURTHER_LANGUAGES)("of prose in %s, a known limit, is off by at most %i %%", (_language, percent, text) => {
    for (const encoding of ENCODINGS) expect(Math.abs(errorOf(text, encoding))).toBeLessThanOrEqual(percent / 100);
  });

  test("of random text such as base64, a known limit, is at most 15 % too low", () => {
    const base64 = lines(60, () => bytes(57).toString("base64"));
    const ids = lines(
      100,
      (i) => `task_01JD${bytes(8).toString("hex").toUpperCase()} call_${i}_0 ${bytes(9).toString("base64url")}`,
    );
    for (const encoding of ENCODINGS)
      for (const text of [base64, ids]) expect(Math.abs(errorOf(text, encoding))).toBeLessThanOrEqual(0.15);
  });

  test("of words with spaces between them is never below their number", () => {
    const words = read("README.md").match(/[A-Za-z]+/g) ?? [];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 200 }), (some) => {
        for (const encoding of ENCODINGS)
          expect(measureTokens(` ${some.join(" ")}`, encoding)).toBeGreaterThanOrEqual(some.length);
      }),
      { numRuns: 100 },
    );
  });

  test("of all of these languages together is within 10 %", () => {
    const text = Object.values(PROSE).join("\n");
    for (const encoding of ENCODINGS) expect(Math.abs(errorOf(text, encoding))).toBeLessThanOrEqual(0.1);
  });

  test("of numbers, codes and rows of signs is at least half of the count", () => {
    const random = (first: number, range: number) =>
      String.fromCodePoint(...Array.from({ length: 40 }, () => first + Math.floor(draw() * range)));
    // The tokenizer takes the square of a row's length.
    const rows: readonly (() => string)[] = [
      () => bytes(45).toString("base64"),
      () => "1234567890".repeat(6),
      () => "!@#$%^&*()_+{}|:<>?[];',./",
      () => random(1, 8),
      () => random(0xe000, 6000),
      () => random(0x1f300, 600),
      () => random(97, 26),
    ];
    const hostile = rows.map((row) => lines(40, row));
    for (const encoding of ENCODINGS) for (const text of hostile) expect(errorOf(text, encoding)).toBeGreaterThan(-0.5);
  });

  test("is the sum of its pieces when a text is cut after words", () => {
    const text = read("README.md").slice(0, 4000);
    const pieces = text.match(/\s*\S+/g) ?? [];
    const sum = pieces.reduce((total, piece) => total + measureTokens(piece), 0);
    expect(Math.abs(sum / measureTokens(text) - 1)).toBeLessThan(0.1);
  });

  test("uses the encoding of the model", () => {
    const models = ["gpt-5", "gpt-4o-mini", "gpt-4.1", "some-model", "gpt-4", "gpt-4-turbo", "gpt-3.5-turbo"];
    expect(models.map(getEncoding)).toEqual(["o200k", "o200k", "o200k", "o200k", "cl100k", "cl100k", "cl100k"]);
  });
});

test("the reservation for a tool list that was not measured matches the built-in agent's list", async () => {
  const { specs: tools } = await buildToolset(catalogue, factsOf());
  const size = estimateRequest({ model: "gpt-5", messages: [], tools });
  expect(Math.abs(TOOL_LIST_TOKENS / size - 1)).toBeLessThan(0.1);
});
