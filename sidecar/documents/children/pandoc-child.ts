/**
 * Runs pandoc in a separate process, one document at a time. When pandoc crashes, the process exits and the caller starts another.
 */
import { z } from "zod";
import { answerQuestions } from "./answer-questions.ts";
import type { Frame } from "../frames.ts";
import { loadPandoc, type Pandoc } from "./pandoc-wasm.ts";

/** pandoc reports an exhausted heap itself. The module's memory limit is the second bound. */
const MAX_HEAP_MB = 200;
const MAX_MEMORY_PAGES = 3_584;
const MAX_QUESTION_BYTES = 26 * 1024 * 1024;

/** The question's head. Its parts are the input and the resources in the order of `names`. */
export interface PandocQuestion {
  readonly from: string;
  readonly to: string;
  readonly names: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** The answer's head. Its parts are the output and the extracted pictures, absent when `error` is set. */
export interface PandocAnswer {
  readonly error: string | null;
  readonly media: readonly string[];
  readonly warnings: readonly string[];
}

const INPUT = "input";
const OUTPUT = "output";

const messages = z.array(z.object({ verbosity: z.string().optional(), pretty: z.string().optional() }));

function convert(pandoc: Pandoc, { head, parts }: Frame): Frame {
  const { from, to, names, options } = head as PandocQuestion;
  const files = new Map([INPUT, ...names].map((name, index) => [name, parts[index] ?? new Uint8Array()]));
  const done = pandoc.run({ ...options, from, to, "input-files": [INPUT], "output-file": OUTPUT }, files);
  const error = /^\s*ERROR:?\s*(.*)/s.exec(done.errors)?.[1] ?? null;
  const failed: PandocAnswer = { error, media: [], warnings: [] };
  if (error !== null) return { head: failed, parts: [] };
  const media = [...done.written].filter(([path]) => path !== OUTPUT);
  const answer: PandocAnswer = {
    error: null,
    media: media.map(([path]) => path),
    warnings: parseWarnings(done.messages),
  };
  return { head: answer, parts: [done.written.get(OUTPUT) ?? new Uint8Array(), ...media.map(([, bytes]) => bytes)] };
}

function parseWarnings(json: string): string[] {
  const parsed = json === "" ? null : messages.safeParse(JSON.parse(json));
  return (parsed?.data ?? []).flatMap(({ verbosity, pretty }) =>
    verbosity === "WARNING" && pretty !== undefined ? [pretty] : [],
  );
}

const pandoc = await loadPandoc(MAX_HEAP_MB, MAX_MEMORY_PAGES);
// Free the module's 58 MB, which are not needed after compilation.
(globalThis as { gc?: () => void }).gc?.();
await answerQuestions(MAX_QUESTION_BYTES, (question) => Promise.resolve(convert(pandoc, question)));
