/** Judges a task during an outage: it must continue or hold back, and do each call once. */
import type { RecordedRequest } from "../../mock-servers/recorder.ts";
import type { LedgerBody, TaskBody } from "../api-client.ts";
import { fileText, notePath } from "../calls.ts";
import { readText } from "../received.ts";
import type { TaskTrace } from "../task-log.ts";
import { isStandstill, getKind, type OutageInput, persistedText } from "./outage-script.ts";

/** Requests that a blocked task may send: an initial number, and a number per second. */
const LARGEST_START = 12;
const LARGEST_RATE = 0.5;

/** `performance.now()` milliseconds. */
export interface Outage {
  readonly from: number;
  readonly back: number;
}

/** Counts a task's requests at the model server and the recorders during the outage. */
export function countRequests({ requests, recorded }: TaskTrace, { from, back }: Outage): number {
  return [...requests, ...recorded].filter(({ at }) => at > from && at < back).length;
}

/** Checks a task that continues during the outage: it must take `fewestSteps`. */
export function judgeOnItsWay(drill: string, { requests }: TaskTrace, { from, back }: Outage, fewestSteps: number) {
  const answered = requests.filter(({ at, repliedWallAt }) => at > from && at < back && repliedWallAt !== null);
  const steps = new Set(answered.map(({ step }) => step)).size;
  return steps >= fewestSteps ? [] : [`${drill} took ${steps} steps meanwhile, and ${fewestSteps} were to be taken`];
}

/** Checks a task that is blocked during the outage. */
export function judgeHeldBack(drill: string, trace: TaskTrace, outage: Outage): string[] {
  const seconds = (outage.back - outage.from) / 1000;
  const requests = countRequests(trace, outage);
  const bound = LARGEST_START + seconds * LARGEST_RATE;
  return requests <= bound ? [] : [`${drill} made ${requests} requests in ${Math.round(seconds)} s`];
}

/**
 * Returns when a task resumed: at the first answered model request after the outage that follows a successful call. Null before that. Other
 * requests may hang, or report a failure of the outage.
 */
export function findResumeTime({ requests }: Pick<TaskTrace, "requests">, back: number): number | null {
  const first = requests.find(
    ({ at, repliedWallAt, lastResult }) =>
      at > back && repliedWallAt !== null && (lastResult === null || !isStandstill(lastResult)),
  );
  return first?.at ?? null;
}

/** Whether the model gave the final answer. */
export function isAnswered({ requests }: Pick<TaskTrace, "requests">, { goals }: OutageInput): boolean {
  return requests.some(({ step, repliedWallAt }) => step > goals && repliedWallAt !== null);
}

/** All evidence of an ended task. `files` are texts by path, `seen` its requests at both recorders. */
export interface OutageEvidence {
  readonly task: TaskBody | undefined;
  readonly ledger: readonly LedgerBody[];
  readonly requests: TaskTrace["requests"];
  readonly seen: readonly RecordedRequest[];
  readonly files: Readonly<Record<string, string | null>>;
}

/** Returns the files that a task writes, by path. */
export function filesOfGoals(input: OutageInput): Record<string, string> {
  const goals = Array.from({ length: input.goals }, (_, index) => index + 1);
  const written = goals.filter((goal) => getKind(input, goal) === "file").map(String);
  return Object.fromEntries(written.map((goal) => [notePath(goal), fileText(input.drill, goal)]));
}

/** Checks that every goal was reached once, and that the ledger agrees with the recorders. */
export function judgeTask(input: OutageInput, { task, ledger, requests, seen, files }: OutageEvidence): string[] {
  const { drill } = input;
  const found: string[] = [];
  if (task?.status !== "completed" || task.output?.text !== persistedText(input))
    found.push(`${drill} ended as ${task?.status} with ${JSON.stringify(task?.output?.text)}`);
  const back = requests.find(({ step }, index) => step < (requests[index - 1]?.step ?? 0));
  if (back !== undefined) found.push(`${drill}: step ${back.step} was asked for again after a later one`);
  const results = (requests.at(-1)?.body.messages ?? []).filter(({ role }) => role === "tool");
  let goal = 1;
  for (const [index, row] of ledger.entries()) {
    if (row.tool === "wait") continue;
    const kind = getKind(input, goal);
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
    const result = results[index] === undefined ? "" : readText(results[index]);
    if (row.state === "unknown" && !result.startsWith("Error (outcome_unknown)"))
      found.push(`${where}: the model read ${result}`);
    if (row.state === "confirmed" || (row.state === "unknown" && isRequest)) goal += 1;
  }
  if (goal !== input.goals + 1) found.push(`${drill}: the ledger has ${goal - 1} goals of ${input.goals}`);
  for (const [path, wanted] of Object.entries(filesOfGoals(input))) {
    if (files[path] !== wanted) found.push(`${drill}: ${path} holds ${files[path]?.slice(0, 40)}`);
  }
  return found;
}
