/** Reads a document in a dedicated process with limited memory and time. */
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { ReadAnswer, ReadPart, ReadQuestion } from "./children/read-question.ts";
import { type Budget, describeTimeout } from "./budget.ts";
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

/** The share of the remaining time after which the second reading of a PDF's tables has to end. */
const SECOND_READING_SHARE = 2 / 3;

/**
 * Retries once if something outside ends the process, and a PDF without the second reading of its tables if that may
 * have exceeded a limit. Tests replace `start`.
 */
export async function readInProcess(
  bytes: Uint8Array,
  question: ReadQuestion,
  signal: AbortSignal,
  budget: Budget,
  start: ConverterStart = READ_START,
): Promise<Result<ReadPart>> {
  const isPdf = question.kind === "pdf";
  const withTables = isPdf ? { ...question, secondReadingUntilMs: budget.leftMs() * SECOND_READING_SHARE } : question;
  const first = await readOnce(bytes, withTables, signal, budget, start);
  if (!("cause" in first)) return first;
  if (first.cause !== "outside" && !isPdf) return failDocument(first, "read");
  const second = await readOnce(bytes, first.cause === "outside" ? withTables : question, signal, budget, start);
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
    const answer = await process.ask({ head: question, parts: [bytes] }, budget.leftMs(), signal);
    if (answer.kind === "cancelled") return failed("timeout", "The reading was cancelled.");
    if (answer.kind === "timeout") return failed("timeout", describeTimeout("Reading"));
    if (answer.kind === "died") return answer.death;
    return parseAnswer(answer.frame.head as ReadAnswer, answer.frame.parts);
  } finally {
    process.end();
  }
}

function parseAnswer(answer: ReadAnswer, parts: readonly Uint8Array[]): Result<ReadPart> {
  const { error, units, warnings, hasHtml, images } = answer;
  if (error !== null) return failed("invalid_input", error);
  const [markdown = new Uint8Array(), ...rest] = parts;
  const html = hasHtml ? { html: Buffer.from(rest.shift() ?? []).toString("utf8") } : {};
  const named = rest.map((bytes, index) => ({ name: images[index] ?? "", bytes }));
  return ok({ markdown: Buffer.from(markdown).toString("utf8"), units, warnings, images: named, ...html });
}
