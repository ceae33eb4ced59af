/** A repository of generated TypeScript: the same files for the same generation, with names and words of shops. */

export const FILES = 1_000;
const FILE_BYTES = 10_000;
const VERBS = "add remove find load save send parse format check compute merge split cancel retry render".split(" ");
const NOUNS =
  "Order Invoice Customer Basket Price Discount Shipment Refund Payment Stock Supplier Address Receipt Coupon Label".split(
    " ",
  );
const WORDS =
  "the total of every line before taxes when a customer changes the address and shipment waits for payment".split(" ");

/** The path of a file. */
export function toPath(file: number): string {
  return `src/part${file % 40}/module${file}.ts`;
}

/** The name of a function of a file. */
export function toName(file: number, index: number): string {
  const [verb, noun] = [VERBS[(file + index) % VERBS.length], NOUNS[(file * 7 + index * 3) % NOUNS.length]];
  return `${verb}${noun}${file}x${index}`;
}

/** About 10 KB. */
export function makeFile(file: number, generation: number): string {
  const parts: string[] = [`// Part ${file}, generation ${generation}.\n`];
  for (let index = 0, length = 0; length < FILE_BYTES; index += 1) {
    const comment = Array.from({ length: 12 }, (_, word) => WORDS[(file + index * word + word) % WORDS.length]).join(
      " ",
    );
    const name = toName(file, index);
    const other = toName((file + 1) % FILES, index);
    const text = `
/** Returns ${comment}. */
export function ${name}(input: Record<string, number>, limit = ${index}): number {
  const rows = Object.entries(input).filter(([key]) => key !== "${name}");
  const sum = rows.reduce((total, [, value]) => total + value, 0);
  return sum > limit ? ${other}(input) : sum;
}
`;
    parts.push(text);
    length += text.length;
  }
  return parts.join("");
}
