/** The loop of a converter's process: reads questions from standard input and writes an answer for each to standard output. */
import { type Frame, framePieces, FrameReader } from "../frames.ts";

// Libraries print; standard output holds answers and nothing else.
for (const name of ["log", "info", "warn", "error", "debug"] as const) console[name] = () => undefined;

/** A question is answered before the next one is read. When `answer` throws, the process ends without one. */
export async function answerQuestions(
  maxQuestionBytes: number,
  answer: (question: Frame) => Promise<Frame>,
): Promise<void> {
  const write = process.stdout.write.bind(process.stdout);
  const reader = new FrameReader(maxQuestionBytes);
  for await (const chunk of process.stdin as AsyncIterable<Uint8Array>) {
    const question = reader.push(chunk);
    if (question === null) continue;
    for (const piece of framePieces(await answer(question))) await new Promise((done) => write(piece, done));
  }
}
