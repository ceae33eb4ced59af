/**
 * Estimates the cost of compiling an RE2 pattern from its text. The engine expands counted repeats and cannot be
 * interrupted, and a thousand characters can expand to a million instructions.
 *
 * The text is read once, from left to right, by RE2's grammar. The estimate is never below the engine's work, up to a
 * constant. It is meaningless for an invalid pattern, which the engine refuses early.
 */

/** The most work to compile one pattern, in units of about a microsecond. */
export const MAX_PATTERN_WORK = 10_000;
/** The most instructions of a compiled pattern, which bound the work for each character of a text. */
export const MAX_PROGRAM = 2_000;

/** Work of a Unicode class such as `\p{L}`, and of one that ignores case. */
const CLASS_WORK = 40;
const FOLDED_CLASS_WORK = 180;
/** Characters of a range that a unit of work folds, and the first and the last character with two cases. */
const FOLDED_A_UNIT = 20;
const [FIRST_FOLDED, LAST_FOLDED] = [0x41, 0x1e943];
/** Instructions of a capturing group, and of any other group, which may be empty. */
const CAPTURE = 3;
const EMPTY = 1;
/** Instructions around every program. */
const FRAME = 4;
const NAMED_CLASS = /^\\[pPdDwWsS]/;

/** An open group: instructions so far, and those of its last item, to which a repeat applies. */
interface Group {
  size: number;
  last: number;
}

/** The most instructions that a pattern compiles to, and the most work that this takes. */
export interface PatternEstimate {
  readonly instructions: number;
  /** In units of about a microsecond: the instructions, and the sets and classes, which repeats do not expand. */
  readonly work: number;
}

/** Estimates a pattern of RE2. `isFolded`: it ignores case. */
export function estimatePattern(pattern: string, isFolded: boolean): PatternEstimate {
  // A flag inside the pattern counts for all of it.
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
      const head = readGroupHead(pattern, at);
      at += head.length;
      // Flags alone are not a group: a repeat after them applies to the item before them.
      if (!head.isFlags) groups.push({ size: head.isCapture ? CAPTURE : EMPTY, last: 0 });
    } else if (character === ")") {
      const inside = groups.length > 1 ? groups.pop() : undefined;
      add(inside?.size ?? EMPTY);
      at += 1;
    } else if (character === "{") {
      const repeat = readRepeat(pattern, at);
      if (repeat === null) add(1);
      else if (top !== undefined) {
        const all = Math.max(1, top.last) * Math.max(1, repeat.most) + (repeat.most - repeat.least) + 2;
        top.size += all - top.last;
        top.last = all;
      }
      at += repeat?.length ?? 1;
    } else if ("*+?|".includes(character)) {
      // One more instruction for the item before it; two if that can be empty.
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
      const escape = pattern.slice(at, at + measureEscape(pattern, at));
      add(1);
      if (NAMED_CLASS.test(escape)) classes += estimateClass(escape, folds);
      at += escape.length;
    } else {
      add(1);
      at += 1;
    }
  }
  const instructions = groups.reduce((sum, { size }) => sum + size, FRAME);
  return { instructions, work: instructions + classes };
}

/** Reads the head of a group: `(`, `(?:`, `(?P<name>`, `(?i:`; or flags alone, `(?i)`. */
function readGroupHead(
  pattern: string,
  at: number,
): { readonly length: number; readonly isFlags: boolean; readonly isCapture: boolean } {
  const head = /^\((?:\?(?:P?<[^>]*>|[a-zA-Z-]*([:)])|))?/.exec(pattern.slice(at, at + 200));
  const length = head?.[0].length ?? 1;
  const isFlags = head?.[1] === ")";
  return { length, isFlags, isCapture: head?.[1] === undefined };
}

/** Reads `{3}`, `{3,}` and `{3,5}`; null for a literal brace. */
function readRepeat(
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

/** Reads a set from its bracket on: its length and its work. A closing bracket in first position is literal. */
function readSet(pattern: string, start: number, folds: boolean): { readonly length: number; readonly work: number } {
  let work = 0;
  let at = start + (pattern[start + 1] === "^" ? 2 : 1);
  for (const first = at; at < pattern.length && (pattern[at] !== "]" || at === first); ) {
    const named = pattern.startsWith("[:", at) ? pattern.indexOf(":]", at + 2) : -1;
    const escape = pattern.slice(at, at + measureEscape(pattern, at));
    if (named >= 0 || NAMED_CLASS.test(escape)) {
      work += estimateClass(escape, folds);
      at = named >= 0 ? named + 2 : at + escape.length;
      continue;
    }
    at += escape.length;
    const isRange = pattern[at] === "-" && at + 1 < pattern.length && pattern[at + 1] !== "]";
    const end = isRange ? pattern.slice(at + 1, at + 1 + measureEscape(pattern, at + 1)) : escape;
    if (isRange) at += 1 + end.length;
    work += 1 / 8 + (folds ? estimateFolded(toCodePoint(escape), toCodePoint(end)) : 0);
  }
  return { length: at + 1 - start, work };
}

/** The length of the escape that begins here, or of the character. */
function measureEscape(pattern: string, at: number): number {
  if (pattern[at] !== "\\") return (pattern.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  const escape = /^\\(?:[pPx]\{[^}]*\}|[pP][^]|x[\da-fA-F]{2}|[^])/u.exec(pattern.slice(at, at + 64));
  return escape?.[0].length ?? 1;
}

/** Work of a named class, such as `\d`, `\pL` and `[:alpha:]`. */
function estimateClass(escape: string, folds: boolean): number {
  if (!/^\\[pP]/.test(escape)) return CLASS_WORK;
  return folds ? FOLDED_CLASS_WORK : CLASS_WORK;
}

/** Work of a range that ignores case. */
function estimateFolded(low: number, high: number): number {
  return Math.max(0, Math.min(LAST_FOLDED, high) - Math.max(FIRST_FOLDED, low)) / FOLDED_A_UNIT;
}

function toCodePoint(written: string): number {
  const hex = /^\\x\{?([\da-fA-F]+)\}?$/.exec(written)?.[1];
  if (hex !== undefined) return Number.parseInt(hex, 16);
  return (written.startsWith("\\") ? written.slice(1) : written).codePointAt(0) ?? 0;
}
