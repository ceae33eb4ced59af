/** Reads a document in a process that is started for it alone, with a bound on its memory and its time. */
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { ReadAnswer, ReadPart, ReadQuestion } from "./children/read-question.ts";
import { type Budget, usedUp } from "./budget.ts";
import { type ConverterStart, startConverter } from "./converter-process.ts";
import { type Death, failDocument } from "./death.ts";

const MAX_ANSWER_BYTES = 128 * 1024 * 1024;

const READ_START: ConverterStart = {
  script: new URL("children/read-child.ts", import.meta.url),
  nodeFlags: ["--max-old-space-size=320"],
  dataBytes: 900_000_000,
  memoryMb: 450,
  maxAnswerBytes: MAX_ANSWER_BYTES,
};

/** `budget`: of the document. `start` is another in tests. What something outside ends is tried once more. */
export async function readApart(
  bytes: Uint8Array,
  question: ReadQuestion,
  signal: AbortSignal,
  budget: Budget,
  start: ConverterStart = READ_START,
): Promise<Result<ReadPart>> {
  const first = await readOnce(bytes, question, signal, budget, start);
  if (!("cause" in first)) return first;
  if (first.cause !== "outside") return failDocument(first, "read");
  const second = await readOnce(bytes, question, signal, budget, start);
  return "cause" in second ? failDocument(second, "read") : second;
}

async function readOnce(
  bytes: Uint8Array,
  question: ReadQuestion,
  signal: AbortSignal,
  budget: Budget,
  start: ConverterStart,
): Promise<Result<ReadPart> | Death> {
  const started = await startConverter(start);
  if (!started.ok) return started;
  const process = started.value;
  try {
    const asked = await process.ask({ head: question, parts: [bytes] }, budget.leftMs(), signal);
    if (asked.kind === "cancelled") return failed("timeout", "The reading was given up before it ended.");
    if (asked.kind === "timeout") return failed("timeout", usedUp("Reading"));
    if (asked.kind === "died") return asked.death;
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
