import { describe, expect, it } from "vitest";
import { formatNumber, getBuiltInFormat } from "../../../sidecar/documents/children/number-format.ts";

describe("a number of a spreadsheet is shown as there", () => {
  it.each([
    [0.1 + 0.2, "General", "0.3"],
    [1234.5, "#,##0.00", "1,234.50"],
    [1234567.891, "#,##0", "1,234,568"],
    [1.005, "0.00", "1.01"],
    [0.125, "0.0%", "12.5%"],
    [0.5, "0%", "50%"],
    [-5, "0.00", "-5.00"],
    [-5, "#,##0;(#,##0)", "(5)"],
    [-5, "#,##0;[Red]-#,##0", "-5"],
    [0, '0;-0;"none"', "none"],
    [7, "00000", "00007"],
    [0.5, "#.##", ".5"],
    [3, "0.##", "3"],
    [12.5, "[$€-407] #,##0.00", "€ 12.50"],
    [12.5, '"$"#,##0.00', "$12.50"],
    [12.5, '#,##0.00" kg"', "12.50 kg"],
    [1500, '0.0,"k"', "1.5k"],
    [12345, "0.00E+00", "1.23E+04"],
    [0.00012, "0.0E+00", "1.2E-04"],
    [5, "_($* #,##0.00_);_($* (#,##0.00)", "$5.00"],
    [1e20, "General", "100000000000000000000"],
    [1 / 3, "# ?/?", "0.333333333333333"],
  ])("%d by %s", (value, code, shown) => {
    expect(formatNumber(value, code)).toBe(shown);
  });

  it.each([
    [46082, "yyyy-mm-dd", "2026-03-01"],
    [46082, getBuiltInFormat(14), "2026-03-01"],
    [46082.604166666664, "yyyy-mm-dd hh:mm", "2026-03-01 14:30"],
    [46082.604166666664, "d.m.yy h:mm AM/PM", "1.3.26 2:30 PM"],
    [46082, "dddd, d. mmmm yyyy", "Sunday, 1. March 2026"],
    [46082, "mmm-yy", "Mar-26"],
    [0.37847222222222, "h:mm", "9:05"],
    [0.5, "hh:mm:ss", "12:00:00"],
    [1.25, "[h]:mm", "30:00"],
    [0.000011574, "mm:ss.0", "00:01.0"],
    [1, "yyyy-mm-dd", "1900-01-01"],
    [61, "yyyy-mm-dd", "1900-03-01"],
    [-1, "yyyy-mm-dd", "-1"],
    [3e6, "yyyy-mm-dd", "3000000"],
  ])("%d by %s, which is a time", (value, code, shown) => {
    expect(formatNumber(value, code)).toBe(shown);
  });

  it("counts from 1904 where the workbook does", () => {
    expect(formatNumber(44620, "yyyy-mm-dd", true)).toBe("2026-03-01");
  });

  it("takes no code that is longer than any program writes", () => {
    for (const code of ["0", "%", "m y ", "[", "0,", '"'].map((part) => part.repeat(60_000)))
      expect(formatNumber(1.5, code)).toBe("1.5");
  });
});
