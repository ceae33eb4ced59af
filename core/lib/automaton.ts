/**
 * Patterns as automata: pieces in a row, each of which takes one letter, and stars between them that take any number of
 * letters. State i means that i pieces have matched; all states move at once, 32 to a word, so that no pattern is slow.
 * A letter is a character of a name (`fnmatch.ts`) or a segment of a path (`core/sandbox/glob.ts`).
 */

/** A pattern, ready to be run over any number of words. */
export interface Automaton {
  /** How many pieces there are. */
  readonly size: number;
  /** Bit i: state i may stay, because a star stands before piece i. */
  readonly stays: Uint32Array;
  /** For a letter, bit i: piece i takes it. */
  readonly taking: Map<string, Uint32Array>;
  readonly takes: (piece: number, letter: string) => boolean;
}

const WORD_BITS = 32;
/** Letters that a pattern remembers its answer for. */
const MAX_REMEMBERED = 512;

/** `stars`: the pieces that a star stands before; `size` for one at the end. */
export function makeAutomaton(size: number, stars: readonly number[], takes: Automaton["takes"]): Automaton {
  const stays = new Uint32Array(Math.floor(size / WORD_BITS) + 1);
  for (const state of stars) setBit(stays, state);
  return { size, stays, taking: new Map(), takes };
}

/** True when all of `letters` match. Takes time by their number and, in words of 32, by the number of pieces. */
export function accepts(letters: Iterable<string>, automaton: Automaton): boolean {
  const { stays, size } = automaton;
  const states = new Uint32Array(stays.length);
  states[0] = 1;
  for (const letter of letters) {
    const takes = takingOf(automaton, letter);
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

function takingOf({ size, stays, taking, takes }: Automaton, letter: string): Uint32Array {
  const known = taking.get(letter);
  if (known !== undefined) return known;
  const answer = new Uint32Array(stays.length);
  for (let piece = 0; piece < size; piece += 1) if (takes(piece, letter)) setBit(answer, piece);
  if (taking.size >= MAX_REMEMBERED) taking.clear();
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
