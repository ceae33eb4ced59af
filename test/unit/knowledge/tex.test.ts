import { describe, expect, it } from "vitest";
import { listTexTokens } from "../../../core/knowledge/tex.ts";
import { formatTableText } from "../../../core/knowledge/table-text.ts";

describe("the tokens of a formula", () => {
  it.each([
    ["E = mc^2", ["E", "=", "mc", "^", "2"]],
    ["\\left( \\dfrac{a}{b} \\right)", ["(", "\\frac", "a", "b", ")"]],
    ["a \\le b", ["a", "\\leq", "b"]],
    ["a ≤ b", ["a", "\\leq", "b"]],
    ["2 \\cdot 3", ["2", "*", "3"]],
    ["\\int_{0}^{1} x\\,dx", ["\\int", "_", "0", "^", "1", "x", "dx"]],
    ["", []],
  ])("of %s", (tex, tokens) => {
    expect(listTexTokens(tex)).toEqual(tokens);
  });

  it("are bounded", () => {
    expect(listTexTokens("x ".repeat(10_000))).toHaveLength(200);
    expect(listTexTokens("x".repeat(10_000))[0]).toHaveLength(64);
  });
});

it("bounds the text of a long table", () => {
  const rows = Array.from({ length: 1_000 }, (_, row) => [String(row), "some text"]);
  const text = formatTableText({ caption: "Long", columns: ["n", "t"], rows });
  expect(text.length).toBeLessThanOrEqual(4_000);
  expect(text.startsWith("Long\nn | t\nn: 0; t: some text\n")).toBe(true);
});
