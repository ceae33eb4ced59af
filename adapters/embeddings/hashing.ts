/**
 * Embedding without a model: words, pairs of words and pieces of words are counted into 384 dimensions by their hashes.
 * Texts are near when they share words or parts of words; meaning is not considered. The same text always has the same
 * vector. (Feature hashing with signs: Weinberger et al., https://arxiv.org/abs/0902.2206)
 */
import { ok } from "../../core/base/errors.ts";
import { splitWords } from "../../core/memory/words.ts";
import type { EmbedderPort } from "../../core/ports/vectors.ts";

/** Change this name whenever the vectors change: vectors of different models are never compared. */
export const HASHING_MODEL = "hashing";
const DIMENSIONS = 384;

/** Weights of a word, a short word (most say little), a pair of words, and a piece of a word. */
const WORD = 1;
const SHORT_WORD = 0.3;
const PAIR = 0.4;
const PIECE = 0.25;
const SHORT = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{1,3}$/u;
/** Characters of a piece. The start and the end of a word count as one each. */
const PIECE_CHARACTERS = 4;
/** Scripts without spaces between words: pairs of characters replace words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

export function hashingEmbedder(): EmbedderPort {
  return {
    model: HASHING_MODEL,
    dimensions: DIMENSIONS,
    embed: (texts) => Promise.resolve(ok(texts.map(computeVector))),
  };
}

function computeVector(text: string): Float32Array {
  const sums = new Float64Array(DIMENSIONS);
  for (const [feature, { weight, count }] of extractFeatures(text)) {
    const hash = hashFeature(feature);
    const dimension = (hash >>> 1) % DIMENSIONS;
    // Frequent features count more, but less than in proportion.
    const value = weight * (1 + Math.log(count));
    sums[dimension] = (sums[dimension] ?? 0) + (hash & 1 ? value : -value);
  }
  return normalize(sums);
}

interface Feature {
  readonly weight: number;
  count: number;
}

function extractFeatures(text: string): Map<string, Feature> {
  const features = new Map<string, Feature>();
  const add = (feature: string, weight: number) => {
    const known = features.get(feature);
    if (known === undefined) features.set(feature, { weight, count: 1 });
    else known.count += 1;
  };
  const words = splitWords(text);
  words.forEach((word, index) => {
    if (UNSPACED.test(word)) {
      for (const piece of listPieces(Array.from(word), 2)) add(`w ${piece}`, WORD);
      return;
    }
    const isShort = SHORT.test(word);
    add(`w ${word}`, isShort ? SHORT_WORD : WORD);
    if (index > 0) add(`p ${words[index - 1]} ${word}`, isShort ? SHORT_WORD * PAIR : PAIR);
    if (isShort) return;
    for (const piece of listPieces(["^", ...Array.from(word), "$"], PIECE_CHARACTERS)) add(`c ${piece}`, PIECE);
  });
  // Without words, such as only punctuation, each character is a feature.
  if (words.length === 0) for (const character of text) add(`s ${character}`, WORD);
  return features;
}

/** Yields every run of `size` characters; a shorter text as a whole. */
function* listPieces(characters: readonly string[], size: number): Generator<string> {
  if (characters.length < size) yield characters.join("");
  for (let start = 0; start + size <= characters.length; start += 1)
    yield characters.slice(start, start + size).join("");
}

/** FNV-1a over UTF-16 units, mixed so that its low bits depend on all of them. */
function hashFeature(feature: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < feature.length; i += 1) hash = Math.imul(hash ^ feature.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Scales to length 1. A zero vector becomes the first unit vector. */
function normalize(sums: Float64Array): Float32Array {
  const length = Math.sqrt(sums.reduce((sum, value) => sum + value * value, 0));
  const values = new Float32Array(DIMENSIONS);
  if (length === 0) values[0] = 1;
  else for (let i = 0; i < DIMENSIONS; i += 1) values[i] = (sums[i] ?? 0) / length;
  return values;
}
