/** A converter that does what its input says, so that tests can have it hang, die or talk nonsense. */
import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { answerQuestions } from "../../../../sidecar/documents/children/answer-questions.ts";

/** In its cage each process has the same number. */
const NAME = randomUUID();
const OUT_OF_MEMORY = "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory";
let served = 0;

await answerQuestions(1_000_000, async ({ head, parts }) => {
  // What draws gets it in a picture.
  const told = Buffer.from(parts[0] ?? []).toString().replace(/^<svg><!--(.*)--><\/svg>$/, "$1");
  const hadServed = served > 0;
  served += 1;
  if (told === "need a fresh one" && hadServed) throw new Error(OUT_OF_MEMORY);
  if (told === "ask for a fresh one" && hadServed) return { head: { error: OUT_OF_MEMORY, media: [], warnings: [] }, parts: [] };
  if (told === "hang") for (;;);
  if (told === "die") process.exit(3);
  if (told === "die in a second reading" && "secondReadingUntilMs" in (head as object)) process.exit(3);
  if (told === "talk") writeSync(1, "this is no frame\n");
  if (told === "grow") for (const hoard: Buffer[] = []; ; ) hoard.push(Buffer.alloc(10_000_000, 1));
  if (told === "exhaust") throw new Error(OUT_OF_MEMORY);
  if (told === "flood") return { head: { error: null, media: [], warnings: [] }, parts: [Buffer.alloc(2_000_000)] };
  if (told.startsWith("wait ")) await sleep(Number(told.slice(5).split(" ")[0]));
  return { head: { error: null, media: [], warnings: [NAME] }, parts: [Buffer.from(told)] };
});
