/** Finds the name that a misspelt one probably means, for messages. Nothing acts on it. */

/** The most characters that are compared, and the most names. */
const MAX_CHARACTERS = 64;
const MAX_NAMES = 2_000;

/**
 * Returns the name with the fewest edits from `written`, ignoring case and separators; null if all differ in more than a
 * third of its characters. An edit inserts, drops or replaces one character, or swaps two neighbours.
 */
export function findNearest(written: string, names: readonly string[]): string | null {
  const wanted = toLetters(written);
  if (wanted === "") return null;
  let nearest: string | null = null;
  let fewest = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const name of names.slice(0, MAX_NAMES)) {
    const letters = toLetters(name);
    if (letters === "" || Math.abs(letters.length - wanted.length) >= fewest) continue;
    const edits = countEdits(wanted, letters);
    if (edits < fewest) [nearest, fewest] = [name, edits];
  }
  return nearest;
}

function toLetters(name: string): string {
  return name
    .slice(0, MAX_CHARACTERS)
    .toLowerCase()
    .replace(/[\s._-]+/g, "");
}

/** Counts the edits between two texts by optimal string alignment, one row at a time. */
function countEdits(one: string, other: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwap = column > 1 && row > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const replaced = (last[column - 1] ?? 0) + (isSame ? 0 : 1);
      const swapped = isSwap ? (before[column - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min(replaced, (last[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1, swapped));
    }
    [before, last] = [last, next];
  }
  return last[other.length] ?? 0;
}
