/** What a task must show that ran while a dependency was away: that it went on or held back, and that it did all of it once. */
import type { RecordedRequest } from "../../mock-servers/recorder.ts";
import type { LedgerBody, TaskBody } from "../api-client.ts";
import { fileText, notePath } from "../calls.ts";
import { textOf } from "../received.ts";
import type { TaskTrace } from "../task-log.ts";
import { isStandstill, kindOf, type OutageInput, persistedText } from "./outage-script.ts";

/** What a task that cannot go on may ask of the model and the recorders: so much at first, and so much a second. */
const LARGEST_START = 12;
const LARGEST_RATE = 0.5;

/** `performance.now()` milliseconds. */
export interface Outage {
  readonly from: number;
  readonly back: number;
}

/** Requests of a task at the model server and the recorders while the dependency was away. */
export function requestsIn({ asked, recorded }: TaskTrace, { from, back }: Outage): number {
  return [...asked, ...recorded].filter(({ at }) => at > from && at < back).length;
}

/** What is wrong with a task that can do without what is away: it has to take `fewestSteps` meanwhile. */
export function judgeOnItsWay(drill: string, { asked }: TaskTrace, { from, back }: Outage, fewestSteps: number) {
  const answered = asked.filter(({ at, repliedWallAt }) => at > from && at < back && repliedWallAt !== null);
  const steps = new Set(answered.map(({ step }) => step)).size;
  return steps >= fewestSteps ? [] : [`${drill} took ${steps} steps meanwhile, and ${fewestSteps} were to be taken`];
}

/** What is wrong with a task that cannot. */
export function judgeHeldBack(drill: string, trace: TaskTrace, outage: Outage): string[] {
  const seconds = (outage.back - outage.from) / 1000;
  const requests = requestsIn(trace, outage);
  const bound = LARGEST_START + seconds * LARGEST_RATE;
  return requests <= bound ? [] : [`${drill} made ${requests} requests in ${Math.round(seconds)} s`];
}

/**
 * When a task went on: the first request to the model after the return that was answered and comes of a call that
 * brought the task on. Null: not yet. A request alone may still hang, and one that tells of a failure comes also while nothing works.
 */
export function wentOnAt({ asked }: Pick<TaskTrace, "asked">, back: number): number | null {
  const first = asked.find(
    ({ at, repliedWallAt, lastResult }) =>
      at > back && repliedWallAt !== null && (lastResult === null || !isStandstill(lastResult)),
  );
  return first?.at ?? null;
}

/** True when the model gave the task its answer. */
export function isAnswered({ asked }: Pick<TaskTrace, "asked">, { goals }: OutageInput): boolean {
  return asked.some(({ step, repliedWallAt }) => step > goals && repliedWallAt !== null);
}

/** Everything that is known of a task at its end. `files`: texts by path; `seen`: its requests at both recorders. */
export interface OutageEvidence {
  readonly task: TaskBody | undefined;
  readonly ledger: readonly LedgerBody[];
  readonly asked: TaskTrace["asked"];
  readonly seen: readonly RecordedRequest[];
  readonly files: Readonly<Record<string, string | null>>;
}

/** The files that a task leaves behind, by path. */
export function filesOfGoals(input: OutageInput): Record<string, string> {
  const goals = Array.from({ length: input.goals }, (_, index) => index + 1);
  const written = goals.filter((goal) => kindOf(input, goal) === "file").map(String);
  return Object.fromEntries(written.map((goal) => [notePath(goal), fileText(input.drill, goal)]));
}

/** Every goal was reached once, and what the ledger says of a request is what the recorders saw. */
export function judgeTask(input: OutageInput, { task, ledger, asked, seen, files }: OutageEvidence): string[] {
  const { drill } = input;
  const found: string[] = [];
  if (task?.status !== "completed" || task.output?.text !== persistedText(input))
    found.push(`${drill} ended as ${task?.status} with ${JSON.stringify(task?.output?.text)}`);
  const back = asked.find(({ step }, index) => step < (asked[index - 1]?.step ?? 0));
  if (back !== undefined) found.push(`${drill}: step ${back.step} was asked for again after a later one`);
  const results = (asked.at(-1)?.body.messages ?? []).filter(({ role }) => role === "tool");
  let goal = 1;
  for (const [index, row] of ledger.entries()) {
    if (row.tool === "wait") continue;
    const kind = kindOf(input, goal);
    const where = `${drill} goal ${goal} (${kind}), call ${index + 1}, ${row.state}`;
    const own = seen.filter(({ path }) => path === `/${drill}/${kind}/${goal}/${index + 1}`);
    const keys = new Set(own.map(({ idempotencyKey }) => idempotencyKey));
    const isRequest = kind === "keyed" || kind === "once";
    if (row.state === "confirmed" && isRequest && own.length === 0) found.push(`${where}: it never happened`);
    if (row.state === "failed" && own.length > 0) found.push(`${where}: it happened`);
    if (kind === "once" && own.length > 1) found.push(`${where}: it happened ${own.length} times`);
    if (kind === "keyed" && keys.has(null)) found.push(`${where}: sent without a key`);
    const effects = own.filter(({ acted }) => acted).length;
    if (kind === "keyed" && keys.size === 1 && effects > 1) found.push(`${where}: it happened ${effects} times`);
    if (kind === "keyed" && keys.size > 1) found.push(`${where}: sent under ${keys.size} keys`);
    const told = results[index] === undefined ? "" : textOf(results[index]);
    if (row.state === "unknown" && !told.startsWith("Error (outcome_unknown)"))
      found.push(`${where}: the model read ${told}`);
    if (row.state === "confirmed" || (row.state === "unknown" && isRequest)) goal += 1;
  }
  if (goal !== input.goals + 1) found.push(`${drill}: the ledger has ${goal - 1} goals of ${input.goals}`);
  for (const [path, wanted] of Object.entries(filesOfGoals(input))) {
    if (files[path] !== wanted) found.push(`${drill}: ${path} holds ${files[path]?.slice(0, 40)}`);
  }
  return found;
}
