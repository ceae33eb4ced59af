import { describe, expect, test } from "vitest";
import { strayOutcomes } from "./rules/promises.ts";
import { show } from "./rules/source-tree.ts";
import { tree } from "./tree.ts";

const judge = (text: string, path = "adapters/a.ts") => strayOutcomes([{ path, text }]);

describe("whether an effect happened", () => {
  test("is said by the constructors of failures and nobody else", () => {
    expect(show(strayOutcomes(tree))).toEqual([]);
  });

  test.each([
    'const error = { code: "timeout", message: "Late.", happened: "no" };',
    "const made = { ok: false, error: { ...error, happened } };",
  ])("may not be written as %s", (text) => {
    expect(judge(text)).toHaveLength(1);
  });

  test.each([
    "if (error.happened === 'no') retry();",
    "const { happened } = failure; write(happened);",
    "interface Failure { happened?: Happened }",
  ])("may be read as %s", (text) => {
    expect(show(judge(text))).toEqual([]);
  });
});
