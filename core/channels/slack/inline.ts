/**
 * The inside of a paragraph of Markdown as mrkdwn, in atoms: texts that a split leaves whole. Emphasis that Slack cannot
 * show, since it begins inside a word, say, is left out; its words stay.
 */
import { escapeText, wordsOf } from "./escape.ts";
import { link, linkedAddress } from "./links.ts";

/** How far the end of a link or of code is looked for: a text of openers alone costs its length times this. */
const MAX_SPAN = 1_000;
/** The same of an emphasis, whose inside is read again for what it holds. */
const MAX_EMPHASIS = 300;
const WORD = /[\p{L}\p{N}]/u;

/** Markers of Markdown, the longer first, with what Slack has in their place before and after. */
const EMPHASES: readonly (readonly [string, string, string])[] = [
  ["***", "*_", "_*"],
  ["**", "*", "*"],
  ["__", "*", "*"],
  ["~~", "~", "~"],
  ["*", "_", "_"],
  ["_", "_", "_"],
];

/** Something found at a place of a text: its atoms, and where the text goes on. */
interface Found {
  readonly atoms: readonly string[];
  readonly end: number;
}

/** The atoms of a text. Joined they are its mrkdwn; between any two of them it may be split. */
export function inlineAtoms(text: string): string[] {
  const atoms: string[] = [];
  let plain = "";
  for (let at = 0; at < text.length; ) {
    const found = findAt(text, at);
    if (found === null) {
      plain += text.charAt(at);
      at += 1;
    } else {
      atoms.push(...wordsOf(plain), ...found.atoms);
      plain = "";
      at = found.end;
    }
  }
  return [...atoms, ...wordsOf(plain)];
}

function findAt(text: string, at: number): Found | null {
  switch (text.charAt(at)) {
    case "\\":
      return escapedAt(text, at);
    case "`":
      return codeAt(text, at);
    case "!":
      return text.charAt(at + 1) === "[" ? linkAt(text, at + 1) : null;
    case "[":
      return linkAt(text, at);
    case "<":
      return angleAt(text, at);
    case "h":
    case "H":
      return bareAddressAt(text, at);
    case "*":
    case "_":
    case "~":
      return emphasisAt(text, at);
    default:
      return null;
  }
}

function escapedAt(text: string, at: number): Found | null {
  const next = text.charAt(at + 1);
  return /[!-/:-@[-`{-~]/.test(next) ? { atoms: [escapeText(next)], end: at + 2 } : null;
}

/** Slack has no way to write a backtick inside of code: such code stands as text. */
function codeAt(text: string, at: number): Found {
  const [run = "`"] = /^`+/.exec(text.slice(at, at + MAX_SPAN)) ?? [];
  const inside = text.slice(at + run.length, at + run.length + MAX_SPAN);
  const close = endOfCode(inside, run);
  if (close === -1) return { atoms: [run], end: at + run.length };
  const code = inside.slice(0, close).replace(/\s*\n\s*/g, " ");
  const shown = code.trim() === "" ? code : code.trim();
  const end = at + run.length + close + run.length;
  const escaped = escapeText(shown);
  const isShown = shown.trim() !== "" && !shown.includes("`") && escaped.length <= MAX_SPAN;
  return { atoms: isShown ? [`\`${escaped}\``] : wordsOf(shown), end };
}

function endOfCode(text: string, run: string): number {
  for (const { 0: found, index } of text.matchAll(/`+/g)) if (found.length === run.length) return index;
  return -1;
}

/** `[text](address "title")`: the title is left out. */
function linkAt(text: string, at: number): Found | null {
  const part = text.slice(at, at + 2 * MAX_SPAN);
  const close = endOfBrackets(part, "[", "]", 0);
  if (close === -1 || part.charAt(close + 1) !== "(") return null;
  const end = endOfBrackets(part, "(", ")", close + 1);
  if (end === -1) return null;
  const inside = part.slice(close + 2, end).trim();
  const [, angled, bare] = /^(?:<([^<>\n]*)>|(\S*))(?:\s+["'(].*)?$/s.exec(inside) ?? [];
  const address = angled ?? bare;
  if (address === undefined || address === "") return null;
  return { atoms: link(plainText(part.slice(1, close)), address), end: at + end + 1 };
}

/** The place of the bracket that closes the one at `from`; -1: none does. */
function endOfBrackets(text: string, open: string, close: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length && at < from + MAX_SPAN; at += 1) {
    const character = text.charAt(at);
    if (character === "\\") at += 1;
    else if (character === open) depth += 1;
    else if (character === close && (depth -= 1) === 0) return at;
  }
  return -1;
}

/** An address or a line break between angle brackets. Everything else in them is text. */
function angleAt(text: string, at: number): Found | null {
  const [whole, inside = ""] = /^<([^<>\s]{1,1000})>/.exec(text.slice(at, at + MAX_SPAN + 2)) ?? [];
  if (whole === undefined) return null;
  const end = at + whole.length;
  if (/^br\/?$/i.test(inside)) return { atoms: ["\n"], end };
  const isAddress = /^(?:https?:\/\/|mailto:|tel:)/i.test(inside);
  return isAddress ? { atoms: link("", inside), end } : null;
}

/** An address that stands for itself; what ends the sentence is none of it. */
function bareAddressAt(text: string, at: number): Found | null {
  if (at > 0 && WORD.test(text.charAt(at - 1))) return null;
  const [found] = /^https?:\/\/[^\s<>"'`|\\^{}[\]]+/i.exec(text.slice(at, at + MAX_SPAN)) ?? [];
  if (found === undefined) return null;
  const address = found.replace(/[.,;:!?*_~)]+$/, (tail) => (tail.startsWith(")") && found.includes("(") ? ")" : ""));
  const target = linkedAddress(address);
  return target === null ? null : { atoms: [`<${target}>`], end: at + address.length };
}

/** Slack shows emphasis that stands at the borders of words and holds no marker of its own kind. */
function emphasisAt(text: string, at: number): Found | null {
  for (const [marker, open, close] of EMPHASES) {
    const inside = text.startsWith(marker, at) ? emphasized(text, at, marker) : null;
    if (inside === null) continue;
    const end = at + inside.length + 2 * marker.length;
    const atoms = inlineAtoms(inside);
    const whole = atoms.join("");
    const isInWord = WORD.test(text.charAt(at - 1)) || WORD.test(text.charAt(end));
    const isShown =
      !isInWord && whole.length <= MAX_SPAN && !Array.from(`${open}\n`).some((one) => whole.includes(one));
    return { atoms: isShown ? [`${open}${whole}${close}`] : atoms, end };
  }
  return null;
}

/** What a marker emphasizes; null: it marks nothing. */
function emphasized(text: string, at: number, marker: string): string | null {
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

/** The words of a text without its marks, for places that take none. */
export function plainText(text: string): string {
  return text
    .replace(/!?\[([^\]]{0,500})\]\([^)]{0,1000}\)/g, "$1")
    .replace(/\\([!-/:-@[-`{-~])|(\*\*|__|~~|`)/g, "$1");
}
