/** The main loop of a converter's process: reads questions from standard input and writes an answer to each to standard output. */
import { type Frame, encodeFrame, FrameReader } from "../frames.ts";

// Silence libraries that print: standard output carries answers only.
for (const name of ["log", "info", "warn", "error", "debug"] as const) console[name] = () => undefined;

/** Answers one question at a time. When `answer` throws, the process exits without an answer. */
export async function answerQuestions(
  maxQuestionBytes: number,
  answer: (question: Frame) => Promise<Frame>,
): Promise<void> {
  const write = process.stdout.write.bind(process.stdout);
  const reader = new FrameReader(maxQuestionBytes);
  for await (const chunk of process.stdin as AsyncIterable<Uint8Array>) {
    const question = reader.push(chunk);
    if (question === null) continue;
    for (const piece of encodeFrame(await answer(question))) await new Promise((done) => write(piece, done));
  }
}
