/**
 * Joins indexes of lists into the index of all their tools. The result ranks as one that is built from the tools: the
 * weights of a tool do not depend on the others of its list.
 */
import { getNumber, measureSegment, type Segment } from "./segment.ts";

/** An index whose tools get other numbers: `numbers[tool]`, or -1 for a tool that is left out. */
export interface SegmentPart {
  readonly segment: Segment;
  readonly numbers: Int32Array;
}

/**
 * Joins parts into an index of `size` tools. Each number below `size` belongs to one tool of one part at most, and each
 * toolbox to one part.
 */
export function mergeSegments(parts: readonly SegmentPart[], size: number): Segment {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined && isWhole(first, size)) return first.segment;
  const terms = new Map<string, number>();
  const groupTerms: (readonly string[])[] = [];
  const renumbered = parts.map(({ segment, numbers }) => {
    const newTerms = Uint32Array.from(segment.terms.keys(), (term) => getNumber(terms, term));
    const firstGroup = groupTerms.length;
    groupTerms.push(...segment.groupTerms);
    return { segment, numbers, newTerms, firstGroup };
  });
  const arrays = { ...joinPostings(renumbered, terms.size), ...joinTexts(renumbered, size) };
  return { ...arrays, size, terms, groupTerms, bytes: measureSegment(arrays, terms.size, groupTerms.length) };
}

function isWhole({ segment, numbers }: SegmentPart, size: number): boolean {
  return segment.size === size && numbers.every((number, tool) => number === tool);
}

interface Renumbered extends SegmentPart {
  /** The new number of each term, and of the first toolbox. */
  readonly newTerms: Uint32Array;
  readonly firstGroup: number;
}

/** Counts the tools of each term, then writes them in the order of the parts. Plain loops: they run once in an isolate. */
function joinPostings(parts: readonly Renumbered[], terms: number): Pick<Segment, "starts" | "tools" | "weights"> {
  const starts = countPostings(parts, terms);
  for (let term = 0; term < terms; term += 1) starts[term + 1] = (starts[term + 1] ?? 0) + (starts[term] ?? 0);
  const total = starts[terms] ?? 0;
  const tools = new Uint16Array(total);
  const weights = new Uint8Array(total);
  const next = starts.slice();
  for (const { segment, numbers, newTerms } of parts) {
    for (let term = 0; term < newTerms.length; term += 1) {
      const newTerm = newTerms[term] ?? 0;
      const end = segment.starts[term + 1] ?? 0;
      let to = next[newTerm] ?? 0;
      for (let at = segment.starts[term] ?? 0; at < end; at += 1) {
        const tool = numbers[segment.tools[at] ?? 0] ?? -1;
        if (tool < 0) continue;
        tools[to] = tool;
        weights[to] = segment.weights[at] ?? 0;
        to += 1;
      }
      next[newTerm] = to;
    }
  }
  return { starts, tools, weights };
}

/** Counts the tools of each term, at the position after it. */
function countPostings(parts: readonly Renumbered[], terms: number): Uint32Array {
  const counts = new Uint32Array(terms + 1);
  for (const { segment, numbers, newTerms } of parts) {
    const isWholePart = !numbers.includes(-1);
    for (let term = 0; term < newTerms.length; term += 1) {
      const from = segment.starts[term] ?? 0;
      const end = segment.starts[term + 1] ?? 0;
      let count = end - from;
      if (!isWholePart)
        for (let at = from; at < end; at += 1) if ((numbers[segment.tools[at] ?? 0] ?? -1) < 0) count -= 1;
      const to = (newTerms[term] ?? 0) + 1;
      counts[to] = (counts[to] ?? 0) + count;
    }
  }
  return counts;
}

/** Joins what is stored by tool. */
function joinTexts(
  parts: readonly Renumbered[],
  size: number,
): Pick<Segment, "text" | "textStarts" | "nameEnds" | "groups"> {
  const textStarts = new Uint32Array(size + 1);
  for (const { segment, numbers } of parts)
    for (let tool = 0; tool < numbers.length; tool += 1) {
      const number = numbers[tool] ?? -1;
      if (number >= 0) textStarts[number + 1] = (segment.textStarts[tool + 1] ?? 0) - (segment.textStarts[tool] ?? 0);
    }
  for (let number = 0; number < size; number += 1)
    textStarts[number + 1] = (textStarts[number + 1] ?? 0) + (textStarts[number] ?? 0);
  const nameEnds = new Uint32Array(size);
  const groups = new Uint16Array(size);
  const text = new Uint32Array(textStarts[size] ?? 0);
  for (const { segment, numbers, newTerms, firstGroup } of parts)
    for (let tool = 0; tool < numbers.length; tool += 1) {
      const number = numbers[tool] ?? -1;
      if (number < 0) continue;
      const from = segment.textStarts[tool] ?? 0;
      const end = segment.textStarts[tool + 1] ?? 0;
      const to = textStarts[number] ?? 0;
      for (let at = from; at < end; at += 1) text[to + at - from] = newTerms[segment.text[at] ?? 0] ?? 0;
      nameEnds[number] = to + (segment.nameEnds[tool] ?? 0) - from;
      groups[number] = firstGroup + (segment.groups[tool] ?? 0);
    }
  return { text, textStarts, nameEnds, groups };
}
