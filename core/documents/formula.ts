/**
 * Which formulas a new workbook may contain. A formula is computed on the machine of everyone who opens the workbook,
 * so formulas are refused that start programs there, or that send something to a server or another file.
 */

/** Functions by which Excel, LibreOffice or Google Sheets reach outside; compared in upper case. */
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

/** The problem of a formula, in words that follow its field; null for a permitted one. */
export function findFormulaProblem(text: string): string | null {
  if (!/^=\s*\S/.test(text)) return "is not a formula: a formula begins with =";
  // Texts and quoted sheet names are harmless, but a quoted name may contain a file's.
  const bare = text.replaceAll(/"(?:[^"]|"")*"/g, '""');
  if (bare.includes("|")) return "may not start a program (|)";
  if (/\[[^[\]]*\.[a-z]{2,5}\]|:\/\/|'\\\\/i.test(bare)) return "may not read another file";
  // A word is matched whole. Looking ahead for the bracket would restart at each of its letters.
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
