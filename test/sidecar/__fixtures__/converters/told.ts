/** A converter that does what its input says, so that tests can have it hang, die or talk nonsense. */
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { answerQuestions } from "../../../../sidecar/documents/children/answer-questions.ts";

await answerQuestions(1_000_000, async ({ parts }) => {
  const told = Buffer.from(parts[0] ?? []).toString();
  if (told === "hang") for (;;);
  if (told === "die") process.exit(3);
  if (told === "talk") writeSync(1, "this is no frame\n");
  if (told === "grow") for (const hoard: Buffer[] = []; ; ) hoard.push(Buffer.alloc(10_000_000, 1));
  if (told.startsWith("wait ")) await sleep(Number(told.slice(5)));
  return { head: { error: null, media: [], warnings: [String(process.pid)] }, parts: [Buffer.from(told)] };
});
