import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { count } from "../../../web/src/ui/amounts.ts";
import { readAboveZero, readNumber } from "../../../web/src/ui/typed-number.ts";

const whole = (typed: string) => readNumber(typed, { isWhole: true });
const amount = (typed: string) => readNumber(typed, { isWhole: false });
const NOT_A_NUMBER = "This is not a number.";
const NOT_WHOLE = "Only whole numbers, such as 100,000.";

describe("a whole number that a person typed", () => {
  it.each([
    ["7", 7],
    [" 100000 ", 100_000],
    ["100,000", 100_000],
    ["1,000,000", 1_000_000],
    ["1 000 000", 1_000_000],
    ["1\u202f000", 1_000],
    ["1_000", 1_000],
    ["-1,000", -1_000],
    ["1e21", 1e21],
    ["1.5e21", 1.5e21],
  ])("%j is %d", (typed, value) => expect(whole(typed)).toEqual({ kind: "number", value }));

  it.each([
    ["2.5", NOT_WHOLE],
    ["2,5", NOT_WHOLE],
    ["100.000", NOT_WHOLE],
    ["100,00", NOT_WHOLE],
    ["1234,567", NOT_WHOLE],
    ["1,000.5", NOT_WHOLE],
    ["1,00,000", NOT_A_NUMBER],
    ["1,000 000", NOT_A_NUMBER],
    ["many", NOT_A_NUMBER],
    ["0x10", NOT_A_NUMBER],
    ["1,", NOT_A_NUMBER],
    ["-", NOT_A_NUMBER],
    ["9".repeat(400), NOT_A_NUMBER],
  ])("%j is invalid", (typed, fault) => expect(whole(typed)).toEqual({ kind: "fault", fault }));

  it("is read as the console prints it", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        expect(whole(count(value))).toEqual({ kind: "number", value });
      }),
    );
  });
});

describe("an amount that a person typed", () => {
  it.each([
    ["0.125", 0.125],
    ["1.000", 1],
    ["1.", 1],
    [".5", 0.5],
    ["0,5", 0.5],
    [",25", 0.25],
    ["1234,5", 1234.5],
    ["0,1250", 0.125],
    ["1,234.56", 1234.56],
    ["1 234,567", 1234.567],
    ["1,234,567", 1_234_567],
    ["1 000", 1_000],
    ["-0,5", -0.5],
    ["5e-7", 5e-7],
  ])("%j is %d", (typed, value) => expect(amount(typed)).toEqual({ kind: "number", value }));

  it.each([
    ["0,125", "A comma before three digits can mean two things: write 125 or 0.125."],
    ["100,000", "A comma before three digits can mean two things: write 100000 or 100.000."],
    ["-1,500", "A comma before three digits can mean two things: write -1500 or -1.500."],
    [",125", "A comma before three digits can mean two things: write 125 or 0.125."],
    ["1,234,56", NOT_A_NUMBER],
    ["1.234,56", NOT_A_NUMBER],
    ["Infinity", NOT_A_NUMBER],
  ])("%j is invalid, with the reason", (typed, fault) => expect(amount(typed)).toEqual({ kind: "fault", fault }));

  it("is read as JavaScript writes it", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        // A minus zero is written as zero.
        expect(amount(String(value))).toEqual({ kind: "number", value: value === 0 ? 0 : value });
      }),
    );
  });
});

it("an empty field holds no number", () => {
  expect([whole(" "), amount("")]).toEqual([{ kind: "none" }, { kind: "none" }]);
});

it("what is not above zero is a fault of its field, where it has to be", () => {
  const faults: Record<string, string> = {};
  const read = (typed: string, field: string) => readAboveZero(typed, { isWhole: true }, field, faults);
  expect([read("100,000", "a"), read("", "b"), read("0", "c"), read("-1", "d"), read("x", "e")]).toEqual([
    100_000,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  const message = "Enter a number above zero, or clear the field.";
  expect(faults).toEqual({ c: message, d: message, e: NOT_A_NUMBER });
});
