/**
 * Which formulas a workbook may be made with. A formula is computed on the machine of whoever opens the workbook, so those
 * are refused that start programs there, or that tell a server or another file something.
 */

/** Names that Excel, LibreOffice or Google's sheets reach outside by; compared in upper case. */
const OUTWARD: ReadonlySet<string> = new Set([
  "CALL",
  "DDE",
  "EXEC",
  "FILTERXML",
  "IMAGE",
  "IMPORTDATA",
  "IMPORTFEED",
  "IMPORTHTML",
  "IMPORTRANGE",
  "IMPORTXML",
  "REGISTER",
  "REGISTER.ID",
  "RTD",
  "WEBSERVICE",
]);

/** What is wrong with a formula, in words that follow its field; null: nothing. */
export function judgeFormula(text: string): string | null {
  if (!/^=\s*\S/.test(text)) return "is no formula: it begins with =";
  // Texts and quoted names of sheets mean nothing by themselves, but a quoted name may hold a file's.
  const bare = text.replaceAll(/"(?:[^"]|"")*"/g, '""');
  if (bare.includes("|")) return "may not start a program (|)";
  if (/\[[^[\]]*\.[a-z]{2,5}\]|:\/\/|'\\\\/i.test(bare)) return "may not read another file";
  // A word is taken whole, whatever follows it: looking for the bracket too would begin again at each of its letters.
  const outward = [...bare.matchAll(/([A-Za-z0-9_.]+)\s*(\(?)/g)]
    .filter(([, , bracket]) => bracket === "(")
    .map(([, word = ""]) =>
      word
        .replace(/^[0-9.]+/, "")
        .toUpperCase()
        .replace(/^(?:_XLFN\.|_XLWS\.|COM\.[A-Z.]*\.)+/, ""),
    )
    .find((name) => OUTWARD.has(name));
  return outward === undefined ? null : `may not use ${outward}, which reaches outside the workbook`;
}
