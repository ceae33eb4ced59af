/** Tasks that ask a question, and their answers. */
import { eachAtOnce } from "../../test/drill/api-client.ts";
import { nowMs } from "../clock.ts";
import type { Contender } from "../contenders/contender.ts";
import type { Stage } from "./section.ts";

/** A task that waits. */
export interface WaitingTask {
  readonly name: string;
  readonly answer: () => Promise<void>;
}

/** What requests leave behind is not what a task that waits holds: not all of them come at once. */
const AT_ONCE = 50;

/** Starts so many tasks, whose names it gives, and waits until each of them has asked. */
export async function askTasks(stage: Stage, contender: Contender, count: number): Promise<string[]> {
  await stage.model.take();
  const names = Array.from({ length: count }, () => stage.taskName());
  const job = { kind: "ask", steps: 1, modelMs: 0 } as const;
  const asked = stage.model.until("questions", count);
  await Promise.all([eachAtOnce(names, AT_ONCE, (name) => contender.start(name, job)), asked]);
  return names;
}

/** Finds out what each of these tasks asks. */
export async function questionsOf(contender: Contender, names: readonly string[]): Promise<WaitingTask[]> {
  return await eachAtOnce(names, AT_ONCE, async (name) => ({ name, answer: await contender.question(name) }));
}

/** Answers one task after the other; gives what each took from the answer to its next model call, in milliseconds. */
export async function answerInTurn(stage: Stage, tasks: readonly WaitingTask[]): Promise<number[]> {
  const times: number[] = [];
  for (const { name, answer } of tasks) {
    await stage.model.take();
    const ended = stage.model.until("answers", 1);
    const sentAt = nowMs();
    await Promise.all([answer(), ended]);
    const { calls } = await stage.model.take();
    times.push((calls.find(({ task }) => task === name)?.at ?? Number.NaN) - sentAt);
  }
  return times;
}

/** Answers all at once and waits for their ends. */
export async function answerAll(stage: Stage, tasks: readonly WaitingTask[]): Promise<void> {
  await stage.model.take();
  await Promise.all([...tasks.map(({ answer }) => answer()), stage.model.until("answers", tasks.length)]);
}
