import { expect, test } from "vitest";
import { computeCostMicros, toModelChoice } from "../../../core/model/table.ts";

test("a dated name has the price of its family", () => {
  expect(toModelChoice("gpt-4o-2024-08-06").price).toEqual(toModelChoice("gpt-4o").price);
});

test("a dated name of Anthropic has the price and the window of its family", () => {
  expect(toModelChoice("anthropic/claude-haiku-4-5-20251001")).toMatchObject({
    price: { inputPerMillion: 1, outputPerMillion: 5 },
    windowTokens: 200_000,
  });
});

test("a model that is not in the table has no price, also when its name looks like one that is", () => {
  for (const name of [
    "",
    "scripted",
    "gpt-4o-mini-but-mine",
    "gpt-4o-20240806",
    "GPT-4O",
    "claude-opus-5-5",
    "anthropic/claude-haiku-5-5",
    "__proto__",
    "constructor",
    "toString",
  ]) {
    expect(toModelChoice(name)).toMatchObject({ name, price: null, windowTokens: 128_000 });
  }
});

test("the demo model costs nothing", () => {
  expect(computeCostMicros(toModelChoice("demo").price, 1_000_000, 1_000_000)).toBe(0);
});

test("a dollar for a million tokens is a millionth of a dollar for one", () => {
  expect(computeCostMicros({ inputPerMillion: 1, outputPerMillion: 4 }, 1000, 500)).toBe(3000);
});

test("an unknown price counts as nothing", () => {
  expect(computeCostMicros(null, 1000, 1000)).toBe(0);
});
