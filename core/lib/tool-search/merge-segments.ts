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

/** Counts the tools of each term, then writes them in the order of the parts. */
function joinPostings(parts: readonly Renumbered[], terms: number): Pick<Segment, "starts" | "tools" | "weights"> {
  const starts = new Uint32Array(terms + 1);
  forEachPosting(parts, (term) => {
    starts[term + 1] = (starts[term + 1] ?? 0) + 1;
  });
  for (let term = 0; term < terms; term += 1) starts[term + 1] = (starts[term + 1] ?? 0) + (starts[term] ?? 0);
  const total = starts[terms] ?? 0;
  const tools = new Uint16Array(total);
  const weights = new Uint8Array(total);
  const next = starts.slice();
  forEachPosting(parts, (term, tool, weight) => {
    const at = next[term] ?? 0;
    tools[at] = tool;
    weights[at] = weight;
    next[term] = at + 1;
  });
  return { starts, tools, weights };
}

function forEachPosting(
  parts: readonly Renumbered[],
  visit: (term: number, tool: number, weight: number) => void,
): void {
  for (const { segment, numbers, newTerms } of parts) {
    const { starts, tools, weights } = segment;
    for (let term = 0; term < newTerms.length; term += 1) {
      const end = starts[term + 1] ?? 0;
      for (let at = starts[term] ?? 0; at < end; at += 1) {
        const tool = numbers[tools[at] ?? 0] ?? -1;
        if (tool >= 0) visit(newTerms[term] ?? 0, tool, weights[at] ?? 0);
      }
    }
  }
}

function joinTexts(
  parts: readonly Renumbered[],
  size: number,
): Pick<Segment, "text" | "textStarts" | "nameEnds" | "groups"> {
  const partOf: (Renumbered | undefined)[] = Array.from({ length: size });
  const toolOf = new Uint16Array(size);
  for (const part of parts)
    part.numbers.forEach((number, tool) => {
      if (number < 0) return;
      partOf[number] = part;
      toolOf[number] = tool;
    });
  const textStarts = new Uint32Array(size + 1);
  const nameEnds = new Uint32Array(size);
  const groups = new Uint16Array(size);
  const text: number[] = [];
  partOf.forEach((part, number) => {
    const tool = toolOf[number] ?? 0;
    if (part !== undefined) {
      const { segment, newTerms, firstGroup } = part;
      const from = segment.textStarts[tool] ?? 0;
      const end = segment.textStarts[tool + 1] ?? 0;
      nameEnds[number] = text.length + (segment.nameEnds[tool] ?? 0) - from;
      for (let at = from; at < end; at += 1) text.push(newTerms[segment.text[at] ?? 0] ?? 0);
      groups[number] = firstGroup + (segment.groups[tool] ?? 0);
    }
    textStarts[number + 1] = text.length;
  });
  return { text: Uint32Array.from(text), textStarts, nameEnds, groups };
}
