/**
 * pandoc in a process of its own: a WebAssembly module without network and with files in memory only. Its heap is bounded
 * by the module's own declaration, which V8 enforces at every growth; what goes beyond ends the process.
 */
import { readFile } from "node:fs/promises";
import { answerQuestions } from "./answer-questions.ts";
import type { Frame } from "../frames.ts";
import { boundMemory } from "./wasm-memory.ts";

/** 224 MB. With Node, the compiled module and a document of the largest size the process stays below 512 MB. */
const MAX_HEAP_PAGES = 3_584;
const MAX_QUESTION_BYTES = 26 * 1024 * 1024;

/** The question's head; its parts are the input and then the resources, as `names` has them. */
export interface PandocQuestion {
  readonly from: string;
  readonly to: string;
  readonly names: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** The answer's head; the parts are what was written and then the pictures that were taken out. With `error` there are none. */
export interface PandocAnswer {
  readonly error: string | null;
  readonly media: readonly string[];
  readonly warnings: readonly string[];
}

interface Pandoc {
  convert(
    options: Readonly<Record<string, unknown>>,
    stdin: null,
    files: Readonly<Record<string, Blob>>,
  ): Promise<{
    readonly stderr: string;
    readonly warnings: readonly { readonly verbosity?: string; readonly pretty?: string }[];
    readonly files: Readonly<Record<string, Blob>>;
    readonly mediaFiles: Readonly<Record<string, Blob>>;
  }>;
}

const INPUT = "input";
const OUTPUT = "output";

async function loadPandoc(): Promise<Pandoc> {
  const entry = import.meta.resolve("pandoc-wasm");
  const { createPandocInstance } = (await import(new URL("core.js", entry).href)) as {
    readonly createPandocInstance: (wasm: Uint8Array) => Promise<Pandoc>;
  };
  return await createPandocInstance(boundMemory(await readFile(new URL("pandoc.wasm", entry)), MAX_HEAP_PAGES));
}

async function convert(pandoc: Pandoc, { head, parts }: Frame): Promise<Frame> {
  const { from, to, names, options } = head as PandocQuestion;
  const files = Object.fromEntries([INPUT, ...names].map((name, index) => [name, new Blob([bytesOf(parts[index])])]));
  const asked = { ...options, from, to, "input-files": [INPUT], "output-file": OUTPUT };
  const done = await pandoc.convert(asked, null, files);
  const output = done.files[OUTPUT] ?? new Blob([]);
  const error = /^\s*ERROR:?\s*(.*)/s.exec(done.stderr)?.[1] ?? null;
  const warnings = done.warnings.flatMap(({ verbosity, pretty }) =>
    verbosity === "WARNING" && pretty !== undefined ? [pretty] : [],
  );
  const media = error === null ? Object.entries(done.mediaFiles) : [];
  const answer: PandocAnswer = { error, warnings, media: media.map(([name]) => name) };
  const blobs = error === null ? [output, ...media.map(([, blob]) => blob)] : [];
  const written = await Promise.all(blobs.map(async (blob) => new Uint8Array(await blob.arrayBuffer())));
  return { head: answer, parts: written };
}

function bytesOf(part: Uint8Array | undefined): Uint8Array<ArrayBuffer> {
  return (part ?? new Uint8Array()) as Uint8Array<ArrayBuffer>;
}

const pandoc = await loadPandoc();
// The module's bytes are 58 MB that nobody needs once it is compiled.
(globalThis as { gc?: () => void }).gc?.();
await answerQuestions(MAX_QUESTION_BYTES, (question) => convert(pandoc, question));
