/**
 * Converts the inside of a Markdown paragraph to mrkdwn, as atoms that are never split. Emphasis that Slack cannot
 * show, such as inside a word, is dropped; its words stay.
 */
import { escapeText, splitWords } from "./escape.ts";
import { renderLink, toLinkAddress } from "./links.ts";

/** How far ahead the end of a link or code is searched. A text of openers alone costs its length times this. */
const MAX_SPAN = 1_000;
/** The same for an emphasis, whose inside is parsed again. */
const MAX_EMPHASIS = 300;
const WORD = /[\p{L}\p{N}]/u;

/** Markdown's markers, the longer first, with Slack's markers before and after. */
const EMPHASES: readonly (readonly [string, string, string])[] = [
  ["***", "*_", "_*"],
  ["**", "*", "*"],
  ["__", "*", "*"],
  ["~~", "~", "~"],
  ["*", "_", "_"],
  ["_", "_", "_"],
];

/** A parsed element: its atoms, and the position after it. */
interface Found {
  readonly atoms: readonly string[];
  readonly end: number;
}

/** The atoms of a text: joined they are its mrkdwn, which may be split between any two. */
export function toInlineAtoms(text: string): string[] {
  const atoms: string[] = [];
  let plain = "";
  for (let at = 0; at < text.length; ) {
    const found = readAt(text, at);
    if (found === null) {
      plain += text.charAt(at);
      at += 1;
    } else {
      atoms.push(...splitWords(plain), ...found.atoms);
      plain = "";
      at = found.end;
    }
  }
  return [...atoms, ...splitWords(plain)];
}

function readAt(text: string, at: number): Found | null {
  switch (text.charAt(at)) {
    case "\\":
      return readEscape(text, at);
    case "`":
      return readCode(text, at);
    case "!":
      return text.charAt(at + 1) === "[" ? readLink(text, at + 1) : null;
    case "[":
      return readLink(text, at);
    case "<":
      return readAngle(text, at);
    case "h":
    case "H":
      return readBareAddress(text, at);
    case "*":
    case "_":
    case "~":
      return readEmphasis(text, at);
    default:
      return null;
  }
}

function readEscape(text: string, at: number): Found | null {
  const next = text.charAt(at + 1);
  return /[!-/:-@[-`{-~]/.test(next) ? { atoms: [escapeText(next)], end: at + 2 } : null;
}

/** Slack cannot show a backtick inside code, so such code becomes plain text. */
function readCode(text: string, at: number): Found {
  const [run = "`"] = /^`+/.exec(text.slice(at, at + MAX_SPAN)) ?? [];
  const inside = text.slice(at + run.length, at + run.length + MAX_SPAN);
  const close = findCodeEnd(inside, run);
  if (close === -1) return { atoms: [run], end: at + run.length };
  const code = inside.slice(0, close).replace(/\s*\n\s*/g, " ");
  const content = code.trim() === "" ? code : code.trim();
  const end = at + run.length + close + run.length;
  const escaped = escapeText(content);
  const isShown = content.trim() !== "" && !content.includes("`") && escaped.length <= MAX_SPAN;
  return { atoms: isShown ? [`\`${escaped}\``] : splitWords(content), end };
}

function findCodeEnd(text: string, run: string): number {
  for (const { 0: found, index } of text.matchAll(/`+/g)) if (found.length === run.length) return index;
  return -1;
}

/** `[text](address "title")`: the title is dropped. */
function readLink(text: string, at: number): Found | null {
  const part = text.slice(at, at + 2 * MAX_SPAN);
  const close = findBracketEnd(part, "[", "]", 0);
  if (close === -1 || part.charAt(close + 1) !== "(") return null;
  const end = findBracketEnd(part, "(", ")", close + 1);
  if (end === -1) return null;
  const inside = part.slice(close + 2, end).trim();
  const [, angled, bare] = /^(?:<([^<>\n]*)>|(\S*))(?:\s+["'(].*)?$/s.exec(inside) ?? [];
  const address = angled ?? bare;
  if (address === undefined || address === "") return null;
  return { atoms: renderLink(stripMarks(part.slice(1, close)), address), end: at + end + 1 };
}

/** The position of the bracket that closes the one at `from`; -1 without one. */
function findBracketEnd(text: string, open: string, close: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length && at < from + MAX_SPAN; at += 1) {
    const character = text.charAt(at);
    if (character === "\\") at += 1;
    else if (character === open) depth += 1;
    else if (character === close && (depth -= 1) === 0) return at;
  }
  return -1;
}

/** An address or a line break in angle brackets. Anything else in them is text. */
function readAngle(text: string, at: number): Found | null {
  const [whole, inside = ""] = /^<([^<>\s]{1,1000})>/.exec(text.slice(at, at + MAX_SPAN + 2)) ?? [];
  if (whole === undefined) return null;
  const end = at + whole.length;
  if (/^br\/?$/i.test(inside)) return { atoms: ["\n"], end };
  const isAddress = /^(?:https?:\/\/|mailto:|tel:)/i.test(inside);
  return isAddress ? { atoms: renderLink("", inside), end } : null;
}

/** An address without brackets. Punctuation at its end belongs to the sentence. */
function readBareAddress(text: string, at: number): Found | null {
  if (at > 0 && WORD.test(text.charAt(at - 1))) return null;
  const [found] = /^https?:\/\/[^\s<>"'`|\\^{}[\]]+/i.exec(text.slice(at, at + MAX_SPAN)) ?? [];
  if (found === undefined) return null;
  const address = found.replace(/[.,;:!?*_~)]+$/, (tail) => (tail.startsWith(")") && found.includes("(") ? ")" : ""));
  const target = toLinkAddress(address);
  return target === null ? null : { atoms: [`<${target}>`], end: at + address.length };
}

/** Slack renders emphasis only at word borders and without its own marker inside. */
function readEmphasis(text: string, at: number): Found | null {
  for (const [marker, open, close] of EMPHASES) {
    const inside = text.startsWith(marker, at) ? findEmphasized(text, at, marker) : null;
    if (inside === null) continue;
    const end = at + inside.length + 2 * marker.length;
    const atoms = toInlineAtoms(inside);
    const whole = atoms.join("");
    const isInWord = WORD.test(text.charAt(at - 1)) || WORD.test(text.charAt(end));
    const isShown =
      !isInWord && whole.length <= MAX_SPAN && !Array.from(`${open}\n`).some((one) => whole.includes(one));
    return { atoms: isShown ? [`${open}${whole}${close}`] : atoms, end };
  }
  return null;
}

/** The text that a marker emphasizes; null when it is plain text. */
function findEmphasized(text: string, at: number, marker: string): string | null {
  const start = at + marker.length;
  const first = text.charAt(start);
  const one = marker.charAt(0);
  const isWordBefore = WORD.test(text.charAt(at - 1));
  if (first === "" || /\s/.test(first) || first === one || (one === "_" && isWordBefore)) return null;
  const part = text.slice(start, start + MAX_EMPHASIS);
  for (let close = part.indexOf(marker, 1); close !== -1; close = part.indexOf(marker, close + 1)) {
    const last = part.charAt(close - 1);
    const next = part.charAt(close + marker.length);
    const isInWord = one === "_" && WORD.test(next);
    if (!/\s/.test(last) && last !== "\\" && next !== one && last !== one && !isInWord) return part.slice(0, close);
  }
  return null;
}

/** The words of a text without its markers. */
export function stripMarks(text: string): string {
  return text
    .replace(/!?\[([^\]]{0,500})\]\([^)]{0,1000}\)/g, "$1")
    .replace(/\\([!-/:-@[-`{-~])|(\*\*|__|~~|`)/g, "$1");
}
