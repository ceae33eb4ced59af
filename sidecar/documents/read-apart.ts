/** Reads a document in a process that is started for it alone, with a bound on its memory and its time. */
import { failed, ok, type Result } from "../../core/errors.ts";
import type { ReadAnswer, ReadPart, ReadQuestion } from "./children/read-question.ts";
import { type ConverterStart, startConverter } from "./converter-process.ts";

const READ_TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 128 * 1024 * 1024;

const READ_START: ConverterStart = {
  script: new URL("children/read-child.ts", import.meta.url),
  nodeFlags: ["--max-old-space-size=320"],
  dataBytes: 900_000_000,
  maxAnswerBytes: MAX_ANSWER_BYTES,
};

/** `start` and `timeoutMs` are others in tests. */
export async function readApart(
  bytes: Uint8Array,
  question: ReadQuestion,
  signal: AbortSignal,
  start: ConverterStart = READ_START,
  timeoutMs: number = READ_TIMEOUT_MS,
): Promise<Result<ReadPart>> {
  const process = await startConverter(start);
  try {
    const asked = await process.ask({ head: question, parts: [bytes] }, timeoutMs, signal);
    if (asked.kind === "cancelled") return failed("timeout", "The reading was given up before it ended.");
    if (asked.kind === "timeout") return failed("timeout", `Reading took longer than ${timeoutMs / 1_000} seconds.`);
    if (asked.kind === "died") return failed("invalid_input", BROKE_DOWN);
    return partOf(asked.frame.head as ReadAnswer, asked.frame.parts);
  } finally {
    process.end();
  }
}

function partOf({ error, units, warnings, images }: ReadAnswer, parts: readonly Uint8Array[]): Result<ReadPart> {
  if (error !== null) return failed("invalid_input", error);
  const [markdown = new Uint8Array(), ...pictures] = parts;
  const named = pictures.map((bytes, index) => ({ name: images[index] ?? "", bytes }));
  return ok({ markdown: Buffer.from(markdown).toString("utf8"), units, warnings, images: named });
}

const BROKE_DOWN =
  "The reader broke down on this document: it is damaged, or needs more memory than reading may use. Try a smaller part of it.";
