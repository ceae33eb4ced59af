/** Names what the text of a PDF loses: formulas, emoji, and the dots of a contents list. */
import type { ParsedPage } from "@llamaindex/liteparse";

const MATH_FONT = /math|cmmi|cmsy|cmex|msam|msbm|stix/i;
const EMOJI_FONT = /emoji/i;
/** Characters of a font's own code. U+F000 to U+F0FF are those of symbol fonts, which draw the marks of lists. */
const UNKNOWN = /[\uFFFD\uE000-\uEFFF\uF100-\uF8FF]/;
const MAX_LISTED = 20;
/** Leading dots, and the number at their end. */
const LEADER = /(?: ?[.·…]){6,} *(\d{1,6}\b|[ivxlc]{1,8}\b)?/g;

export interface Losses {
  readonly pageNum: number;
  readonly hasFormulas: boolean;
  readonly hasSymbols: boolean;
}

export function findLosses({ pageNum, textItems }: ParsedPage): Losses {
  const fonts = textItems.map(({ fontName = "" }) => fontName);
  return {
    pageNum,
    hasFormulas: fonts.some((font) => MATH_FONT.test(font)),
    hasSymbols: fonts.some((font) => EMOJI_FONT.test(font)) || textItems.some(({ text }) => UNKNOWN.test(text)),
  };
}

export function noteLosses(losses: readonly Losses[], hasLeaders: boolean): string[] {
  const list = (pages: readonly Losses[]) => {
    const listed = pages.slice(0, MAX_LISTED).map(({ pageNum }) => pageNum);
    return `${listed.join(", ")}${pages.length > MAX_LISTED ? ", …" : ""}`;
  };
  const formulas = losses.filter(({ hasFormulas }) => hasFormulas);
  const symbols = losses.filter(({ hasSymbols }) => hasSymbols);
  return [
    ...(formulas.length === 0
      ? []
      : [
          `Formulas were lost or lack signs, powers and fractions, on these pages: ${list(formulas)}. Check them in the PDF.`,
        ]),
    ...(symbols.length === 0 ? [] : [`Emoji or symbols were lost on these pages: ${list(symbols)}.`]),
    ...(hasLeaders ? ["The dots of a contents list were replaced by …"] : []),
  ];
}

/** Replaces the dots between an entry of a contents list and its page, and ends the line after it. Leaves blocks of code. */
export function shortenLeaders(text: string): { readonly text: string; readonly isShorter: boolean } {
  let isCode = false;
  const lines = text.split("\n").map((line) => {
    if (line.startsWith("```")) isCode = !isCode;
    if (isCode || line.startsWith("|")) return line;
    return line
      .replaceAll(LEADER, (_whole, number: string | undefined) => (number === undefined ? " …" : ` … ${number}\n`))
      .replaceAll(/\n +/g, "\n")
      .replace(/\n$/, "");
  });
  const short = lines.join("\n");
  return { text: short, isShorter: short !== text };
}
