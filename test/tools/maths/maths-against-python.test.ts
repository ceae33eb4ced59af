/** What CPython answered, as `__fixtures__/make-python-answers.py` recorded it. */
import { describe, expect, it } from "vitest";
import { evaluateText } from "../../../core/lib/maths/evaluate.ts";
import { roundPython } from "../../../core/lib/maths/round.ts";
import { MathsError } from "../../../core/lib/maths/maths-error.ts";
import { summarise } from "../../../core/lib/maths/statistics.ts";
import recorded from "../__fixtures__/python-answers.json" with { type: "json" };

/** Units in the last place that the C library and V8 may differ by. */
const MOST_ULPS = 2;

const expressions = recorded.expressions as [text: string, answer: string][];
const roundings = recorded.roundings as [value: string, digits: number | null, answer: string][];
const summaries = recorded.summaries as [numbers: number[], figures: (number | null)[]][];

/** As the recorder writes an answer. */
function ourAnswer(text: string): string {
  const evaluated = evaluateText(text);
  if (!evaluated.ok) return `!${evaluated.error.kind}`;
  return answerOf(evaluated.value);
}

function answerOf(value: number | bigint): string {
  if (typeof value === "bigint") return `i${value}`;
  return Object.is(value, -0) ? "f-0" : `f${value}`;
}

/** The recorded answer in our spelling of the same number. */
function theirAnswer(answer: string): string {
  return answer.startsWith("f") || answer.startsWith("~") ? answerOf(Number(answer.slice(1))) : answer;
}

function ulpsBetween(one: number, other: number): number {
  const place = (value: number): bigint => {
    const bits = new BigInt64Array(new Float64Array([value]).buffer)[0] ?? 0n;
    return bits < 0n ? -(bits & 0x7fff_ffff_ffff_ffffn) : bits;
  };
  const distance = place(one) - place(other);
  return Number(distance < 0n ? -distance : distance);
}

describe("an expression", () => {
  it("has enough recorded answers of every kind", () => {
    expect(expressions.length).toBeGreaterThan(4_000);
    for (const kind of [
      "i",
      "f",
      "~",
      "!ZeroDivisionError",
      "!ValueError",
      "!OverflowError",
      "!TypeError",
      "!complex",
    ]) {
      expect(
        expressions.some(([, answer]) => answer.startsWith(kind)),
        kind,
      ).toBe(true);
    }
  });

  it("has CPython's answer, to the last bit, wherever IEEE arithmetic decides it", () => {
    const exact = expressions.filter(([, answer]) => !answer.startsWith("~"));
    expect(exact.map(([text]) => [text, ourAnswer(text)])).toEqual(
      exact.map(([text, answer]) => [text, theirAnswer(answer)]),
    );
  });

  it(`is within ${MOST_ULPS} units in the last place of CPython's where the C library decides`, () => {
    const different = expressions.filter(([text, answer]) => {
      if (!answer.startsWith("~")) return false;
      const evaluated = evaluateText(text);
      return (
        !evaluated.ok ||
        typeof evaluated.value === "bigint" ||
        ulpsBetween(evaluated.value, Number(answer.slice(1))) > MOST_ULPS
      );
    });
    expect(different.map(([text, answer]) => [text, answer, ourAnswer(text)])).toEqual([]);
  });
});

describe("round", () => {
  it("has CPython's answer in every recorded case", () => {
    expect(roundings.length).toBeGreaterThan(800);
    const ours = roundings.map(([value, digits, answer]) => {
      const number = value.startsWith("i") ? BigInt(value.slice(1)) : Number(value.slice(1));
      return [
        value,
        digits,
        answer.startsWith("!")
          ? kindThrown(number, digits)
          : answerOf(roundPython(number, digits === null ? null : BigInt(digits))),
      ];
    });
    expect(ours).toEqual(roundings.map(([value, digits, answer]) => [value, digits, theirAnswer(answer)]));
  });
});

function kindThrown(value: number | bigint, digits: number | null): string {
  try {
    return answerOf(roundPython(value, digits === null ? null : BigInt(digits)));
  } catch (thrown) {
    return thrown instanceof MathsError ? `!${thrown.kind}` : String(thrown);
  }
}

describe("a summary", () => {
  it("has the figures of CPython's statistics and math.fsum, to the last bit", () => {
    expect(summaries.length).toBeGreaterThan(200);
    const ours = summaries.map(([numbers]) => {
      const { mean, median, stdev, minimum, maximum, total } = summarise(numbers);
      return [mean, median, stdev, minimum, maximum, total];
    });
    expect(ours).toEqual(summaries.map(([, figures]) => figures));
  });
});
