/**
 * Synchronous SHA-256, for `decide` (FIPS 180-4, section 6.2). For short texts; all other code uses the native
 * `sha256.ts`.
 */
import { toHex } from "./hex.ts";

const PRIMES = listPrimes(64);
/** The first 32 bits of the fractions of the cube roots of the first 64 primes, and of the square roots of the first 8. */
const ROUND = Uint32Array.from(PRIMES, (prime) => getFractionBits(Math.cbrt(prime)));
const START = Uint32Array.from(PRIMES.slice(0, 8), (prime) => getFractionBits(Math.sqrt(prime)));

/** Returns the SHA-256 of a text in UTF-8, in lower-case hex. */
export function sha256HexSync(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  const hash = START.slice();
  for (let block = 0; block < padded.length; block += 64) addBlock(hash, view, block);
  const out = new DataView(new ArrayBuffer(32));
  hash.forEach((word, at) => {
    out.setUint32(at * 4, word);
  });
  return toHex(new Uint8Array(out.buffer));
}

function addBlock(hash: Uint32Array, view: DataView, block: number): void {
  const words = new Uint32Array(64);
  const word = (at: number) => words[at] ?? 0;
  for (let at = 0; at < 64; at += 1) {
    const [early, late] = [word(at - 15), word(at - 2)];
    words[at] =
      at < 16
        ? view.getUint32(block + at * 4)
        : word(at - 16) +
          (rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)) +
          word(at - 7) +
          (rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10));
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (let at = 0; at < 64; at += 1) {
    const one = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + (ROUND[at] ?? 0) + word(at);
    const two = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) >>> 0, c, b, a, (one + two) >>> 0];
  }
  [a, b, c, d, e, f, g, h].forEach((value, at) => {
    hash[at] = (hash[at] ?? 0) + value;
  });
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

function getFractionBits(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32);
}

function listPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let number = 2; primes.length < count; number += 1) {
    if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  }
  return primes;
}
