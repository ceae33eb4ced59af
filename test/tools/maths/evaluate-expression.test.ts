import fc from "fast-check";
import { describe, expect, it } from "vitest";
import evaluateExpression from "../../../tools/maths/evaluate-expression.ts";
import { runDocumented, runTool } from "../run-tool.ts";

interface Answer {
  readonly result: number | null;
  readonly exact?: string;
  readonly error: string | null;
}

async function answerTo(expression: string): Promise<Answer> {
  return await runDocumented<Answer>(evaluateExpression, { expression });
}

describe("evaluate_expression", () => {
  it("gives the result, the expression as it was given and no error", async () => {
    expect(await runTool(evaluateExpression, { expression: " 2 * (3 + 4) " })).toEqual({
      result: { result: 14, expression: " 2 * (3 + 4) ", error: null },
      output: "14",
    });
  });

  it.each([
    ["-7 % 3", 2],
    ["7 % -3", -2],
    ["-7 // 2", -4],
    ["-7.5 // 2", -4],
    ["2 ** 3 ** 2", 512],
    ["-2 ** 2", -4],
    ["2 ** -1", 0.5],
    ["10 ** -5", 0.00001],
    ["14.1 ** 22", 1.9178757965249558e25],
    ["20.5 ** 10", 13108065732570.705],
    ["round(2.5)", 2],
    ["round(3.5)", 4],
    ["round(2.675, 2)", 2.67],
    ["round(1250, -2)", 1200],
    ["log(8, 2)", 3],
    ["log(100, 10)", 2],
    ["log10(1000)", 3],
    ["atan2(1, -1)", (3 * Math.PI) / 4],
    ["degrees(pi)", 180],
    ["gcd(12, 18, 27)", 3],
    ["lcm(4, 6)", 12],
    ["1 / inf", 0],
    ["tau - 2 * pi", 0],
    ["0.1 + 0.2", 0.30000000000000004],
    ["1_000 + 0xff + 0b11 + 0o17 + .5 + 5. + 1e3", 2278.5],
  ])("%s is %d", async (expression, result) => {
    expect(await answerTo(expression)).toEqual({ result, expression, error: null });
  });

  it.each([
    ["2 ** 53 + 1", "9007199254740993", 9007199254740992],
    ["-(2 ** 64)", "-18446744073709551616", -18446744073709552000],
    ["factorial(25)", "15511210043330985984000000", 1.5511210043330986e25],
  ])("shows all digits of %s", async (expression, exact, result) => {
    const ran = await runTool(evaluateExpression, { expression });
    expect(ran).toEqual({ result: { result, exact, expression, error: null }, output: exact });
  });

  it("has digits for an integer beyond all doubles, and says why there is no number", async () => {
    const { result, exact, error } = await answerTo("10 ** 400");
    expect([result, exact, error]).toEqual([null, `1${"0".repeat(400)}`, expect.stringContaining("Too large")]);
  });

  it.each([
    ["x + 1", "Unknown name: 'x'"],
    ["sin", "Unknown name: 'sin'"],
    ["nan", "Unknown name: 'nan'"],
    ["open('file')", "Function not permitted: 'open'"],
    ["__import__('os')", "Function not permitted: '__import__'"],
    ["constructor(1)", "Function not permitted: 'constructor'"],
    ["pi(2)", "Function not permitted: 'pi'"],
    ["__import__('os').system('ls')", "Attribute access not permitted"],
    ["(1).__class__", "Attribute access not permitted"],
    ["math.pi", "Attribute access not permitted"],
    ["2 +", "Syntax error: it ends too early"],
    ["", "Syntax error: it ends too early"],
    ["(2", "Syntax error: it ends too early"],
    ["2 3", "Syntax error: unexpected '3' at character 3"],
    ["2 $ 3", "Syntax error: unexpected '$' at character 3"],
    ["1__0", "Syntax error: invalid number at character 1"],
    ["012", "Syntax error: an integer begins with zeros at character 1"],
    ["lambda: 1", "Syntax error: unexpected ':' at character 7"],
    ["[1, 2]", "Syntax error: unexpected '[' at character 1"],
    ["2 ^ 3", "Operator not permitted: '^'; a power is written **"],
    ["1 < 2", "Operator not permitted: '<'"],
    ["'a' * 3", "Text not permitted: only numbers"],
    ["round(2.5, ndigits=1)", "Keyword arguments not permitted"],
    ["1 / 0", "ZeroDivisionError: division by zero"],
    ["5 % 0.0", "ZeroDivisionError: division by zero"],
    ["0 ** -1", "ZeroDivisionError: 0.0 cannot be raised to a negative power"],
    ["sqrt(-1)", "ValueError: math domain error"],
    ["log(0)", "ValueError: math domain error"],
    ["acos(1.5)", "ValueError: math domain error"],
    ["factorial(-1)", "ValueError: factorial() not defined for negative values"],
    ["factorial(2.5)", "TypeError: 'float' object cannot be interpreted as an integer"],
    ["sqrt(1, 2)", "TypeError: sqrt() takes 1 argument (2 given)"],
    ["exp(1000)", "OverflowError: math range error"],
    ["10.0 ** 400", "OverflowError: the result of ** is too large for a float"],
    ["10 ** 400 * 1.0", "OverflowError: int too large to convert to float"],
    ["inf", "OverflowError: the result is infinite"],
    ["1e308 * 10", "OverflowError: the result is infinite"],
    ["inf - inf", "ValueError: the result is not a number (NaN)"],
    ["(-8) ** (1 / 3)", "The result is a complex number: a negative number to a fractional power"],
    ["2j", "Complex numbers not permitted"],
  ])("says of %s: %s", async (expression, error) => {
    expect(await runTool(evaluateExpression, { expression })).toEqual({
      failure: { code: "invalid_input", message: error, field: "expression" },
      result: { result: null, expression, error },
    });
  });

  it.each([
    ["a tower of powers", "9**9**9**9", "Too large"],
    ["a power that a remainder would make small", "10**100000 % 7", "Too large"],
    ["a large power of a large power", "(10**5000)**1000", "Too large"],
    ["the factorial of a large number", "factorial(10**9)", "factorial() takes numbers up to 5000"],
    ["a factorial of a factorial", "factorial(factorial(20))", "factorial() takes numbers up to 5000"],
    ["4,000 parentheses", `${"(".repeat(4_000)}1${")".repeat(4_000)}`, "levels inside one another"],
    ["4,000 parentheses that nobody closes", "(".repeat(4_000), "levels inside one another"],
    ["9,000 signs", `${"-".repeat(9_000)}1`, "levels inside one another"],
    ["a chain of powers", "1**".repeat(3_000), "levels inside one another"],
    ["calls inside one another", `${"abs(".repeat(2_000)}1`, "levels inside one another"],
    ["many products of large integers", Array.from({ length: 600 }, () => "7**20000").join("%3+"), "Too much work"],
    ["a divisor of many large integers", `gcd(${"3**40000,5**25000,".repeat(400)})`, "Too much work"],
    ["a rounding to a place beyond everything", "round(5, -10**300)", null],
  ])("answers %s at once", async (_, expression, reason) => {
    const { result, error } = await answerTo(expression);
    if (reason === null) expect([result, error]).toEqual([0, null]);
    else expect([result, error]).toEqual([null, expect.stringContaining(reason)]);
  });

  it("takes a sum of 5,000 numbers, and nothing longer than 10,000 characters", async () => {
    expect(await answerTo(`1${"+1".repeat(4_999)}`)).toMatchObject({ result: 5_000, error: null });
    const { failure } = await runTool(evaluateExpression, { expression: "(".repeat(100_000) });
    expect(failure).toMatchObject({ code: "invalid_input", field: "expression" });
  });

  it("answers any text with a finite number or a reason, never both", async () => {
    const parts =
      "0 1 2.5 .5 1e308 10 ( ) ( ) , + - * / // % ** sqrt( log( round( factorial( gcd( pi inf x . = ' é 𝒙 \n".split(
        " ",
      );
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(fc.constantFrom(...parts), { maxLength: 14 }).map((all) => all.join("")),
    );
    await fc.assert(
      fc.asyncProperty(text, async (expression) => {
        const { result, exact, error } = await answerTo(expression);
        expect(result === null).toBe(error !== null);
        expect(result === null || Number.isFinite(result)).toBe(true);
        expect(exact ?? "0").toMatch(/^-?\d+$/);
      }),
      { numRuns: 1_000 },
    );
  });
});
