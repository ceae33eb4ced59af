/** Memory of tasks that wait for a person, at once and after a while, and how fast one resumes after that. */
import { setTimeout as sleep } from "node:timers/promises";
import { quantile } from "../../test/drill/random.ts";
import type { Contender } from "../contenders/contender.ts";
import { armedAlarms, objectsInMemory } from "../objects-on-disk.ts";
import { memoryKib } from "../processes.ts";
import { answerAll, answerInTurn, askTasks, questionsOf, type WaitingTask } from "./ask-and-answer.ts";
import { freshProcess } from "./fresh-process.ts";
import type { Note, Section, Stage } from "./section.ts";

const TASKS = 300;
/** Those that are answered in turn after the idle time. */
const ANSWERED_IN_TURN = 30;
/** The runtime puts an object out of memory that nobody called for ten seconds. */
const IDLE_MS = 15_000;
/** The last task has asked; what it stores of that takes a moment. */
const SETTLE_MS = 500;

/** A contender whose tasks wait. */
interface Waiting {
  readonly contender: Contender;
  readonly beforeKib: number;
  readonly tasks: readonly WaitingTask[];
}

export const WAITING: Section = {
  name: "waiting",
  rows: [
    {
      key: "memory",
      label: `memory a waiting task, of ${TASKS}, KiB`,
      digits: 0,
      target: "≤ 1.4 × → 1.1 ×",
      mustTimes: 1.4,
    },
    { key: "memory-idle", label: "– after 15 s idle, KiB", digits: 0, target: "" },
    { key: "in-memory", label: `– objects of the ${TASKS} in memory after 15 s idle`, digits: 0, target: "0", must: 0 },
    { key: "alarms", label: `– alarms armed for the ${TASKS} after 15 s idle`, digits: 0, target: "0", must: 0 },
    {
      key: "resume-idle",
      label: "resume after 15 s idle, ms (p50)",
      digits: 2,
      target: "≤ 2 × → 1.3 ×",
      mustTimes: 2,
    },
  ],
  async measure(stage, note) {
    const waiting: Waiting[] = [];
    for (const contender of stage.contenders) waiting.push(await begin(stage, contender, note));
    await sleep(IDLE_MS);
    for (const one of waiting) noteIdle(one, note);
    for (const one of waiting) await end(stage, one, note);
  },
};

/** In a process that was started for it. */
async function begin(stage: Stage, contender: Contender, note: Note): Promise<Waiting> {
  await freshProcess(stage, contender);
  const beforeKib = memoryKib(contender.runtimePid());
  const names = await askTasks(stage, contender, TASKS);
  await sleep(SETTLE_MS);
  note("memory", contender.name, (memoryKib(contender.runtimePid()) - beforeKib) / TASKS);
  const tasks = await questionsOf(contender, names);
  mustSeeObjects(contender);
  return { contender, beforeKib, tasks };
}

/** None in memory after a while says nothing unless they were counted when they were. */
function mustSeeObjects(contender: Contender): void {
  const folder = contender.objectsFolder();
  if (folder === null) return;
  const seen = objectsInMemory(contender.runtimePid(), folder);
  if (seen < TASKS) throw new Error(`${contender.name} has ${seen} objects in memory of ${TASKS} that were just asked`);
}

function noteIdle({ contender, beforeKib }: Waiting, note: Note): void {
  const pid = contender.runtimePid();
  note("memory-idle", contender.name, (memoryKib(pid) - beforeKib) / TASKS);
  const folder = contender.objectsFolder();
  if (folder === null) return;
  note("in-memory", contender.name, objectsInMemory(pid, folder));
  note("alarms", contender.name, armedAlarms(folder));
}

async function end(stage: Stage, { contender, tasks }: Waiting, note: Note): Promise<void> {
  const times = await answerInTurn(stage, tasks.slice(0, ANSWERED_IN_TURN));
  note("resume-idle", contender.name, quantile(times, 0.5));
  await answerAll(stage, tasks.slice(ANSWERED_IN_TURN));
}
