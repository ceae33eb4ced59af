/** Formats text as a fenced code block (https://spec.commonmark.org/0.31.2/#fenced-code-blocks). */

/** The fence is longer than any run of backticks in the text. */
export function fenceText(text: string, language: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}
