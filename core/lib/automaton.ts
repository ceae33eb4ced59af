/**
 * Patterns as automata: a sequence of pieces, each matching one letter, with stars between them that match any number
 * of letters. State i means that i pieces have matched; all states advance at once, 32 to a word, so that no pattern is
 * slow. A letter is a character of a name (`fnmatch.ts`) or a segment of a path (`core/sandbox/glob.ts`).
 */

/** A compiled pattern. */
export interface Automaton {
  /** The number of pieces. */
  readonly size: number;
  /** Bit i: state i may stay, because a star precedes piece i. */
  readonly stays: Uint32Array;
  /** For a letter, bit i: piece i matches it. */
  readonly taking: Map<string, Uint32Array>;
  readonly takes: (piece: number, letter: string) => boolean;
}

const WORD_BITS = 32;
/** The most cached letters of a pattern. */
const MAX_CACHED_LETTERS = 512;

/** Creates an automaton. `stars`: the pieces that follow a star; `size` for a star at the end. */
export function createAutomaton(size: number, stars: readonly number[], takes: Automaton["takes"]): Automaton {
  const stays = new Uint32Array(Math.floor(size / WORD_BITS) + 1);
  for (const state of stars) setBit(stays, state);
  return { size, stays, taking: new Map(), takes };
}

/** True when all of `letters` match. Time is proportional to their number times the number of pieces divided by 32. */
export function accepts(letters: Iterable<string>, automaton: Automaton): boolean {
  const { stays, size } = automaton;
  const states = new Uint32Array(stays.length);
  states[0] = 1;
  for (const letter of letters) {
    const takes = getTaking(automaton, letter);
    let carry = 0;
    let alive = 0;
    for (let word = 0; word < states.length; word += 1) {
      const now = states[word] ?? 0;
      const moving = now & (takes[word] ?? 0);
      const next = (moving << 1) | carry | (now & (stays[word] ?? 0));
      carry = moving >>> (WORD_BITS - 1);
      states[word] = next;
      alive |= next;
    }
    if (alive === 0) return false;
  }
  return hasBit(states, size);
}

function getTaking({ size, stays, taking, takes }: Automaton, letter: string): Uint32Array {
  const known = taking.get(letter);
  if (known !== undefined) return known;
  const answer = new Uint32Array(stays.length);
  for (let piece = 0; piece < size; piece += 1) if (takes(piece, letter)) setBit(answer, piece);
  if (taking.size >= MAX_CACHED_LETTERS) taking.clear();
  taking.set(letter, answer);
  return answer;
}

function setBit(words: Uint32Array, bit: number): void {
  const word = Math.floor(bit / WORD_BITS);
  words[word] = (words[word] ?? 0) | (1 << (bit % WORD_BITS));
}

function hasBit(words: Uint32Array, bit: number): boolean {
  return (((words[Math.floor(bit / WORD_BITS)] ?? 0) >>> (bit % WORD_BITS)) & 1) === 1;
}
