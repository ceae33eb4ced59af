import fc from "fast-check";
import { expect, it } from "vitest";
import { ByteAutomaton, ROOT } from "../../../core/lib/byte-automaton.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
/** Few letters, so that words begin, end and stand inside each other. */
const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 6 });

it("finds every word that ends at every place, as looking for each does", () => {
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 12 }),
      fc.string({ unit: fc.constantFrom("a", "b", "c", "d"), maxLength: 60 }),
      (words, text) => {
        const automaton = new ByteAutomaton(words.map(bytes));
        let state = ROOT;
        Array.from(bytes(text)).forEach((byte, at) => {
          state = automaton.next(state, byte);
          const before = text.slice(0, at + 1);
          const ending = words.flatMap((one, index) => (before.endsWith(one) ? [index] : []));
          const found = new Set<number>();
          automaton.addWords(state, found, new Set());
          expect([...found].sort((a, b) => a - b)).toEqual(ending);
          expect(automaton.endsWord(state)).toBe(ending.length > 0);
          const longest = ending.toSorted((a, b) => (words[b] ?? "").length - (words[a] ?? "").length || a - b)[0];
          expect(automaton.longestWord(state)).toBe(longest ?? -1);
        });
      },
    ),
  );
});

it("has a state for each beginning of a word, once", () => {
  const automaton = new ByteAutomaton(["abcd", "abce", "abx"].map(bytes));
  expect(automaton.size).toBe(1 + 4 + 1 + 1);
  const state = automaton.next(automaton.next(ROOT, 0x61), 0x62);
  expect(automaton.depth(state)).toBe(2);
  expect(automaton.next(state, 0x7a)).toBe(ROOT);
});
