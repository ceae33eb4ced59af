/** A file as the sidecar reads it: its symbols, and its text in chunks. */
import { z } from "zod";
import {
  MAX_CALLS,
  MAX_CHUNK_CHARACTERS,
  MAX_DOC_CHARACTERS,
  MAX_FILES,
  MAX_SIGNATURE_CHARACTERS,
  MAX_SYMBOL_CHARACTERS,
  MAX_SYMBOLS,
} from "./limits.ts";

export const SYMBOL_KINDS = [
  "class",
  "constant",
  "enum",
  "function",
  "interface",
  "method",
  "module",
  "struct",
  "trait",
  "type",
  "variable",
] as const;
export type SymbolKind = (typeof SYMBOL_KINDS)[number];

/** Why files are not in the index. */
export const SKIP_REASONS = ["binary", "too_large", "ignored", "denied", "secret", "link"] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

const line = z.int().min(1);
const path = z.string().min(1).max(1_024);

/** `name` includes its containers (`Cart.add`). `calls` are the last names of what it calls (`this.api.send()` → `send`). */
export const codeSymbolSchema = z.strictObject({
  name: z.string().min(1).max(MAX_SYMBOL_CHARACTERS),
  kind: z.enum(SYMBOL_KINDS),
  signature: z.string().max(MAX_SIGNATURE_CHARACTERS),
  doc: z.string().max(MAX_DOC_CHARACTERS),
  start_line: line,
  end_line: line,
  calls: z.array(z.string().min(1).max(MAX_SYMBOL_CHARACTERS)).max(MAX_CALLS),
});
export type CodeSymbol = z.infer<typeof codeSymbolSchema>;

/** `words`: those of `names.ts`. */
const codeChunkSchema = z.strictObject({
  start_line: line,
  end_line: line,
  text: z.string().max(MAX_CHUNK_CHARACTERS + 200),
  words: z.array(z.string().min(1).max(60)).max(400),
});

export const indexedFileSchema = z.strictObject({
  path,
  /** SHA-256 of the file's bytes, in hex. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  language: z.string().max(40),
  size: z.int().min(0),
  lines: z.int().min(0),
  symbols: z.array(codeSymbolSchema).max(MAX_SYMBOLS),
  chunks: z.array(codeChunkSchema).max(20_000),
});
export type IndexedFile = z.infer<typeof indexedFileSchema>;

/**
 * What was found. `unchanged` counts the files that had the hash that the order named; `deleted` are the paths of the order
 * that are no longer read.
 */
export const codeFactsSchema = z.strictObject({
  commit: z
    .string()
    .regex(/^[0-9a-f]{40,64}$/)
    .nullable(),
  unchanged: z.int().min(0),
  changed: z.int().min(0),
  deleted: z.array(path).max(MAX_FILES),
  skipped: z.record(z.enum(SKIP_REASONS), z.int().min(0)),
  /** True if the parser failed at some file, so that none has symbols. */
  without_symbols: z.boolean(),
});
export type CodeFacts = z.infer<typeof codeFactsSchema>;
