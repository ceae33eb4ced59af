import { describe, expect, test } from "vitest";
import { readDocument } from "../../../workers/http/yaml-text.ts";
import { freeWork } from "../../fakes/work-meter.ts";

const refusalOf = async (text: string) => {
  const read = await readDocument(text, "body", freeWork.giveWay);
  return read.ok ? read.value : read.error;
};

describe("a document", () => {
  test.each([
    ['{"a": [1]}', { a: [1] }],
    ["a: 1\nb:\n  - yes\n  - 2026-11-21\n", { a: 1, b: ["yes", "2026-11-21"] }],
    ["x: {y: 1}\nz: {y: 2}\n", { x: { y: 1 }, z: { y: 2 } }],
    ["", null],
    ["a: &x [1]\nb: *x\n", { a: [1], b: [1] }],
  ])("is read as JSON or as YAML: %j", async (text, value) => {
    expect(await refusalOf(text)).toEqual(value);
  });

  test.each(["a: 1\na: 2\n", "b:\n  a: 1\n  c: 1\n  a: 2\n", "1: x\n'1': y\n", "{a: 1, a: 1}"])(
    "holds no name twice: %j",
    async (text) => {
      expect(await refusalOf(text)).toMatchObject({ code: "invalid_input", message: expect.stringContaining("twice") });
    },
  );

  test.each(["a: &x [*x]\n", "a: [", "a: 1\n---\nb: 2\n", "[".repeat(5_000)])(
    "is refused when it holds itself, or is no document: %.20j",
    async (text) => {
      expect(await refusalOf(text)).toMatchObject({ code: "invalid_input", field: "body" });
    },
  );

  test("is read as YAML up to two million characters", async () => {
    expect(await refusalOf(`a: ${"x".repeat(2_000_000)}`)).toMatchObject({ code: "too_large", field: "body" });
    expect(await refusalOf(JSON.stringify({ a: "x".repeat(2_000_000) }))).toHaveProperty("a");
  });

  test("yields between turns, and is rejected beyond its tokens", async () => {
    let turns = 0;
    const count = async () => {
      turns += 1;
    };
    const lines = (count: number) => Array.from({ length: count }, (_, index) => `name_${index}: ${index}\n`).join("");
    expect((await readDocument(lines(5_000), "body", count)).ok).toBe(true);
    expect(turns).toBeGreaterThanOrEqual(15);
    expect(await refusalOf(lines(20_000))).toMatchObject({ code: "invalid_input", field: "body" });
  });
});
