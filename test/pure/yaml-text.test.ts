import { describe, expect, test } from "vitest";
import { readDocument } from "../../workers/yaml-text.ts";

const refusalOf = (text: string) => {
  const read = readDocument(text, "body");
  return read.ok ? read.value : read.error;
};

describe("a document", () => {
  test.each([
    ['{"a": [1]}', { a: [1] }],
    ["a: 1\nb:\n  - yes\n  - 2026-11-21\n", { a: 1, b: ["yes", "2026-11-21"] }],
    ["x: {y: 1}\nz: {y: 2}\n", { x: { y: 1 }, z: { y: 2 } }],
    ["", null],
    ["a: &x [1]\nb: *x\n", { a: [1], b: [1] }],
  ])("is read as JSON or as YAML: %j", (text, value) => {
    expect(refusalOf(text)).toEqual(value);
  });

  test.each(["a: 1\na: 2\n", "b:\n  a: 1\n  c: 1\n  a: 2\n", "1: x\n'1': y\n", "{a: 1, a: 1}"])(
    "holds no name twice: %j",
    (text) => {
      expect(refusalOf(text)).toMatchObject({ code: "invalid_input", message: expect.stringContaining("twice") });
    },
  );

  test.each(["a: &x [*x]\n", "a: [", "a: 1\n---\nb: 2\n", "[".repeat(5_000)])(
    "is refused when it holds itself, or is no document: %.20j",
    (text) => {
      expect(refusalOf(text)).toMatchObject({ code: "invalid_input", field: "body" });
    },
  );

  test("is read as YAML up to two million characters", () => {
    expect(refusalOf(`a: ${"x".repeat(2_000_000)}`)).toMatchObject({ code: "too_large", field: "body" });
    expect(refusalOf(JSON.stringify({ a: "x".repeat(2_000_000) }))).toHaveProperty("a");
  });
});
