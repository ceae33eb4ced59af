/**
 * Aho–Corasick over bytes: finds all of many words in one pass over a text. Building is linear in the words' lengths, a
 * pass in the text's length.
 *
 * A state is the longest suffix of the read text that begins a word; `ROOT` is the empty one. The states of a word are
 * mostly consecutive, so the edge to the next one is a byte in an array; the few branches are in a map. A state takes
 * 11 bytes.
 */

/** The state before anything was read. */
export const ROOT = 0;

const NO_EDGE = -1;
const NO_WORD = -1;
const BYTES = 256;

/** An automaton that finds many words in one pass. */
export class ByteAutomaton {
  /** The number of states. */
  readonly size: number;
  /** The byte that leads to the next state by number. */
  readonly #edge: Int16Array;
  /** The other edges, by state and byte. */
  readonly #branches: ReadonlyMap<number, number>;
  readonly #hasBranch: Uint8Array;
  readonly #fromRoot: Int32Array;
  /** The longest proper suffix of a state that is also a state. */
  readonly #fallback: Int32Array;
  /** The longest suffix of a state that is a word: the state where it ends, `ROOT` without one. */
  readonly #ending: Int32Array;
  readonly #depth: Uint16Array;
  /** The words by the state where each ends. */
  readonly #words: ReadonlyMap<number, readonly number[]>;

  /** `words` are not empty, and no longer than 65,535 bytes each. */
  constructor(words: readonly Uint8Array[]) {
    const trie = buildTrie(words);
    this.size = trie.size;
    this.#edge = trie.edge;
    this.#branches = trie.branches;
    this.#hasBranch = trie.hasBranch;
    this.#depth = trie.depth;
    this.#words = trie.words;
    this.#fromRoot = Int32Array.from({ length: BYTES }, (_, byte) => this.#childOf(ROOT, byte));
    this.#fallback = new Int32Array(trie.size);
    this.#ending = new Int32Array(trie.size);
    for (const state of sortByDepth(trie.depth, trie.size)) {
      const parent = trie.parent[state] ?? ROOT;
      if (parent !== ROOT) this.#fallback[state] = this.next(this.#fallback[parent] ?? ROOT, trie.byte[state] ?? 0);
      this.#ending[state] = trie.words.has(state) ? state : (this.#ending[this.#fallback[state] ?? ROOT] ?? ROOT);
    }
  }

  /** The state after one more byte. */
  next(from: number, byte: number): number {
    for (let state = from; state !== ROOT; state = this.#fallback[state] ?? ROOT) {
      const child = this.#childOf(state, byte);
      if (child !== ROOT) return child;
    }
    return this.#fromRoot[byte] ?? ROOT;
  }

  /** Whether a word ends here. */
  endsWord(state: number): boolean {
    return this.#ending[state] !== ROOT;
  }

  /** How many bytes of a word a state stands for. */
  depth(state: number): number {
    return this.#depth[state] ?? 0;
  }

  /** Returns the longest word that ends here; negative without one. Of equal words, the first. */
  longestWord(state: number): number {
    const ending = this.#ending[state] ?? ROOT;
    return ending === ROOT ? NO_WORD : (this.#words.get(ending)?.[0] ?? NO_WORD);
  }

  /** Adds every word that ends here to `found`. Stops at a state that is in `seen`, and adds those it looks at. */
  addWords(state: number, found: Set<number>, seen: Set<number>): void {
    let ending = this.#ending[state] ?? ROOT;
    while (ending !== ROOT && !seen.has(ending)) {
      seen.add(ending);
      for (const word of this.#words.get(ending) ?? []) found.add(word);
      ending = this.#ending[this.#fallback[ending] ?? ROOT] ?? ROOT;
    }
  }

  #childOf(state: number, byte: number): number {
    if (this.#edge[state] === byte) return state + 1;
    return this.#hasBranch[state] === 1 ? (this.#branches.get(state * BYTES + byte) ?? ROOT) : ROOT;
  }
}

/** Builds the words' trie. `parent` and `byte` are those of the edge that leads to a state. */
function buildTrie(words: readonly Uint8Array[]) {
  const most = words.reduce((sum, word) => sum + word.length, 1);
  const edge = new Int16Array(most).fill(NO_EDGE);
  const hasBranch = new Uint8Array(most);
  const depth = new Uint16Array(most);
  const parent = new Int32Array(most);
  const byte = new Uint8Array(most);
  const branches = new Map<number, number>();
  const ends = new Map<number, number[]>();
  let size = 1;
  words.forEach((word, index) => {
    let state = ROOT;
    for (const letter of word) {
      const known = edge[state] === letter ? state + 1 : (branches.get(state * BYTES + letter) ?? ROOT);
      const next = known === ROOT ? size : known;
      if (known === ROOT) {
        if (next === state + 1) edge[state] = letter;
        else {
          branches.set(state * BYTES + letter, next);
          hasBranch[state] = 1;
        }
        depth[next] = (depth[state] ?? 0) + 1;
        parent[next] = state;
        byte[next] = letter;
        size += 1;
      }
      state = next;
    }
    const others = ends.get(state);
    if (others === undefined) ends.set(state, [index]);
    else others.push(index);
  });
  return { size, edge, hasBranch, depth, parent, byte, branches, words: ends };
}

/** Returns the states without the root, the shallow ones first. */
function sortByDepth(depth: Uint16Array, size: number): Int32Array {
  const counts: number[] = [];
  for (let state = 1; state < size; state += 1) counts[depth[state] ?? 0] = (counts[depth[state] ?? 0] ?? 0) + 1;
  const starts: number[] = [];
  let total = 0;
  for (let at = 1; at < counts.length; at += 1) {
    starts[at] = total;
    total += counts[at] ?? 0;
  }
  const order = new Int32Array(size - 1);
  for (let state = 1; state < size; state += 1) {
    const at = starts[depth[state] ?? 0] ?? 0;
    order[at] = state;
    starts[depth[state] ?? 0] = at + 1;
  }
  return order;
}
