/**
 * What compiling a regular expression of RE2 costs, told from its text before anything is compiled: nothing can interrupt
 * an engine that writes out counted repeats, and a thousand characters can stand for a million instructions.
 *
 * The text is read once, from left to right, by RE2's grammar. The estimate is never below what the engine does, apart from
 * a constant; of a text that is no pattern it says anything, because the engine refuses that early.
 */

/** Work that one pattern may take to compile, in units of about a microsecond. */
export const MAX_PATTERN_WORK = 10_000;
/** Instructions of a compiled pattern: how much work each character of a text is at most. */
export const MAX_PROGRAM = 2_000;

/** What a Unicode class such as `\p{L}` costs, and what it does where case means nothing. */
const CLASS_WORK = 40;
const FOLDED_CLASS_WORK = 180;
/** Characters of a range that a unit of work folds: each is looked up. The first and the last that have two cases. */
const FOLDED_A_UNIT = 20;
const [FIRST_FOLDED, LAST_FOLDED] = [0x41, 0x1e943];
/** Instructions of a capturing group; of another one that may be empty. */
const CAPTURE = 3;
const EMPTY = 1;
/** Instructions around every program. */
const FRAME = 4;
const NAMED_CLASS = /^\\[pPdDwWsS]/;

/** An open group: instructions so far, and those of the last item in it, which a repeat is about. */
interface Group {
  size: number;
  last: number;
}

/** What compiling a pattern makes and costs, at most. */
export interface PatternEstimate {
  readonly instructions: number;
  /** In units of about a microsecond: the instructions, and the sets and classes, which repeats do not write out again. */
  readonly work: number;
}

/** Estimates a pattern of RE2. `isFolded`: case means nothing in it. */
export function estimatePattern(pattern: string, isFolded: boolean): PatternEstimate {
  // A flag inside of the pattern counts for all of it.
  const folds = isFolded || /\(\?[a-zA-Z]*i/.test(pattern);
  const groups: Group[] = [{ size: 0, last: 0 }];
  let classes = 0;
  const add = (size: number) => {
    const group = groups.at(-1);
    if (group === undefined) return;
    group.size += size;
    group.last = size;
  };
  for (let at = 0; at < pattern.length; ) {
    const character = pattern.charAt(at);
    const top = groups.at(-1);
    if (character === "(") {
      const head = groupHead(pattern, at);
      at += head.length;
      // Flags alone are no group: a repeat behind them is about what stands before them.
      if (!head.isFlags) groups.push({ size: head.isCapture ? CAPTURE : EMPTY, last: 0 });
    } else if (character === ")") {
      const inside = groups.length > 1 ? groups.pop() : undefined;
      add(inside?.size ?? EMPTY);
      at += 1;
    } else if (character === "{") {
      const repeat = repeatAt(pattern, at);
      if (repeat === null) add(1);
      else if (top !== undefined) {
        const all = Math.max(1, top.last) * Math.max(1, repeat.most) + (repeat.most - repeat.least) + 2;
        top.size += all - top.last;
        top.last = all;
      }
      at += repeat?.length ?? 1;
    } else if ("*+?|".includes(character)) {
      // One more instruction for what stands before it; two where that can be empty.
      if (top !== undefined) {
        top.size += 2;
        top.last += character === "|" ? 0 : 2;
      }
      at += 1;
    } else if (character === "[") {
      const set = readSet(pattern, at, folds);
      add(1);
      classes += set.work;
      at += set.length;
    } else if (pattern.startsWith("\\Q", at)) {
      const end = pattern.indexOf("\\E", at);
      const length = (end < 0 ? pattern.length : end) - at - 2;
      for (let letter = 0; letter < length; letter += 1) add(1);
      at = end < 0 ? pattern.length : end + 2;
    } else if (character === "\\") {
      const escape = pattern.slice(at, at + escapeLength(pattern, at));
      add(1);
      if (NAMED_CLASS.test(escape)) classes += classWork(escape, folds);
      at += escape.length;
    } else {
      add(1);
      at += 1;
    }
  }
  const instructions = groups.reduce((sum, { size }) => sum + size, FRAME);
  return { instructions, work: instructions + classes };
}

/** What stands at the beginning of a group: `(`, `(?:`, `(?P<name>`, `(?i:`; or flags alone, `(?i)`. */
function groupHead(
  pattern: string,
  at: number,
): { readonly length: number; readonly isFlags: boolean; readonly isCapture: boolean } {
  const head = /^\((?:\?(?:P?<[^>]*>|[a-zA-Z-]*([:)])|))?/.exec(pattern.slice(at, at + 200));
  const length = head?.[0].length ?? 1;
  const isFlags = head?.[1] === ")";
  return { length, isFlags, isCapture: head?.[1] === undefined };
}

/** `{3}`, `{3,}` and `{3,5}`; null for what is no repeat, and stands for itself. */
function repeatAt(
  pattern: string,
  at: number,
): { readonly length: number; readonly least: number; readonly most: number } | null {
  const found = /^\{(\d{1,9})(?:(,)(\d{0,9}))?\}/.exec(pattern.slice(at, at + 24));
  if (found === null) return null;
  const [whole, first = "", comma, second = ""] = found;
  const least = Number(first);
  const most = comma === undefined || second === "" ? least : Number(second);
  return { length: whole.length, least: Math.min(least, most), most: Math.max(least, most) };
}

/** A set from its bracket on: its length, and what it costs. A bracket that comes first in it stands for itself. */
function readSet(pattern: string, start: number, folds: boolean): { readonly length: number; readonly work: number } {
  let work = 0;
  let at = start + (pattern[start + 1] === "^" ? 2 : 1);
  for (const first = at; at < pattern.length && (pattern[at] !== "]" || at === first); ) {
    const named = pattern.startsWith("[:", at) ? pattern.indexOf(":]", at + 2) : -1;
    const escape = pattern.slice(at, at + escapeLength(pattern, at));
    if (named >= 0 || NAMED_CLASS.test(escape)) {
      work += classWork(escape, folds);
      at = named >= 0 ? named + 2 : at + escape.length;
      continue;
    }
    at += escape.length;
    const isRange = pattern[at] === "-" && at + 1 < pattern.length && pattern[at + 1] !== "]";
    const end = isRange ? pattern.slice(at + 1, at + 1 + escapeLength(pattern, at + 1)) : escape;
    if (isRange) at += 1 + end.length;
    work += 1 / 8 + (folds ? foldedWork(pointOf(escape), pointOf(end)) : 0);
  }
  return { length: at + 1 - start, work };
}

/** The length of the escape that begins here, or of the character. */
function escapeLength(pattern: string, at: number): number {
  if (pattern[at] !== "\\") return (pattern.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  const escape = /^\\(?:[pPx]\{[^}]*\}|[pP][^]|x[\da-fA-F]{2}|[^])/u.exec(pattern.slice(at, at + 64));
  return escape?.[0].length ?? 1;
}

/** What a class with a name costs, which `\d`, `\pL` and `[:alpha:]` are. */
function classWork(escape: string, folds: boolean): number {
  if (!/^\\[pP]/.test(escape)) return CLASS_WORK;
  return folds ? FOLDED_CLASS_WORK : CLASS_WORK;
}

/** What a range costs where case means nothing. */
function foldedWork(low: number, high: number): number {
  return Math.max(0, Math.min(LAST_FOLDED, high) - Math.max(FIRST_FOLDED, low)) / FOLDED_A_UNIT;
}

function pointOf(written: string): number {
  const hex = /^\\x\{?([\da-fA-F]+)\}?$/.exec(written)?.[1];
  if (hex !== undefined) return Number.parseInt(hex, 16);
  return (written.startsWith("\\") ? written.slice(1) : written).codePointAt(0) ?? 0;
}
