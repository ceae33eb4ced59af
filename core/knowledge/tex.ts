/** Formulas in TeX, as searches compare them. */

/** Tokens of a formula that are compared. */
const MAX_TOKENS = 200;
const MAX_TOKEN_CHARACTERS = 64;
/** A command, a number, a name, or one other character. */
const TOKEN = /\\[A-Za-z]+\*?|\\.|\d+(?:\.\d+)?|[A-Za-z]+|[^\s]/gu;
/** What sets a formula, and changes nothing of what it says. */
const LAYOUT = new Set(
  [
    ..."left right big Big bigg Bigg bigl bigr displaystyle textstyle scriptstyle limits nolimits mathrm mathit mathbf".split(
      " ",
    ),
    ..."mathsf mathcal boldsymbol operatorname text quad qquad label tag nonumber begin end hline".split(" "),
  ].map((name) => `\\${name}`),
);
const LAYOUT_MARKS = new Set(["{", "}", "\\,", "\\;", "\\:", "\\!", "\\ ", "&", "$", "~", "\\\\"]);
/** Two names of one thing. */
const SAME = new Map(
  Object.entries({
    "\\le": "\\leq",
    "\\ge": "\\geq",
    "\\ne": "\\neq",
    "\\to": "\\rightarrow",
    "\\gets": "\\leftarrow",
    "\\dfrac": "\\frac",
    "\\tfrac": "\\frac",
    "\\varepsilon": "\\epsilon",
    "\\varphi": "\\phi",
    "\\lbrace": "\\{",
    "\\rbrace": "\\}",
    "\\cdot": "*",
    "\\times": "*",
    "\\ast": "*",
    "≤": "\\leq",
    "≥": "\\geq",
    "≠": "\\neq",
    "∑": "\\sum",
    "∫": "\\int",
    "√": "\\sqrt",
    "∞": "\\infty",
    π: "\\pi",
  }),
);

/** The commands, operators and names of a formula, without what only sets it. In order, with repeats. */
export function listTexTokens(tex: string): string[] {
  const tokens: string[] = [];
  for (const [token] of tex.matchAll(TOKEN)) {
    if (LAYOUT.has(token) || LAYOUT_MARKS.has(token)) continue;
    tokens.push((SAME.get(token) ?? token).slice(0, MAX_TOKEN_CHARACTERS));
    if (tokens.length === MAX_TOKENS) break;
  }
  return tokens;
}
