/** Judges whether each timer fired once and on time, by the next step's model request. */
import type { EventBody, PendingBody, TaskBody } from "../api-client.ts";
import type { TaskTrace } from "../task-log.ts";
import { formatAnswered, restedText } from "./timer-script.ts";

/** `lateMs` is the delay of each fired timer, from its due time to the next model request. Negative is early. */
export interface TimerFinding {
  readonly lateMs: readonly number[];
  readonly isAnswered: boolean;
  readonly violations: readonly string[];
}

interface OfEach {
  readonly drill: string;
  readonly task: TaskBody;
  readonly events: readonly EventBody[];
  readonly trace: Pick<TaskTrace, "requests">;
}

/**
 * Judges naps. A nap is due its seconds after the log entry of the sleep and, by the model server's clock, its seconds after the request
 * whose reply started it.
 */
export function judgeNaps({
  drill,
  naps,
  task,
  events,
  trace,
}: OfEach & { readonly naps: readonly number[] }): TimerFinding {
  const violations: string[] = [];
  const lateMs: number[] = [];
  const slept = events.filter(({ type, data }) => type === "task.waiting" && data["error"] === undefined);
  const waited = events.filter(({ type }) => type === "task.waiting").length;
  const resumed = events.filter(({ type }) => type === "task.resumed").length;
  if (task.status !== "completed" || task.output?.text !== restedText(drill))
    violations.push(`${drill}: ended as ${task.status} with ${JSON.stringify(task.output?.text)}`);
  if (slept.length !== naps.length) violations.push(`${drill}: slept ${slept.length} times for ${naps.length} naps`);
  if (resumed !== waited) violations.push(`${drill}: resumed ${resumed} times and waited ${waited} times`);
  violations.push(...judgeSteps(drill, naps.length + 1, events));
  for (const [index, seconds] of naps.entries()) {
    const next = findFirstRequest(trace, index + 2);
    const before = trace.requests.findLast(({ step }) => step === index + 1);
    if (next === undefined || before === undefined) {
      violations.push(`${drill}: the model was not asked after nap ${index + 1}`);
      continue;
    }
    const dueMs = Date.parse(String(slept[index]?.data["at"])) + seconds * 1000;
    const late = next.wallAt - dueMs;
    lateMs.push(late);
    if (!(late >= 0)) violations.push(`${drill}: nap ${index + 1} of ${seconds} s ended ${-late} ms early`);
    if (next.wallAt - before.wallAt < seconds * 1000)
      violations.push(`${drill}: nap ${index + 1} of ${seconds} s ended within ${next.wallAt - before.wallAt} ms`);
  }
  violations.push(...judgeOrder(drill, trace));
  return { lateMs, isAnswered: false, violations };
}

/**
 * Judges a question or an approval with an expiry: it is answered once, or expires at the time in the task view or later. `statuses` are
 * those of its two answers, if any. `effects` counts the approved call.
 */
export function judgeExpiry(
  given: OfEach & {
    readonly kind: "question" | "approval";
    readonly pending: PendingBody | null;
    readonly statuses: readonly number[];
    readonly defaultAnswer: string | null;
    readonly effects: number;
  },
): TimerFinding {
  const { drill, kind, pending, statuses, task, events, trace } = given;
  const violations: string[] = [];
  const check = (holds: boolean, otherwise: string): void => {
    if (!holds) violations.push(`${drill}: ${otherwise}`);
  };
  const times = (type: string): number => events.filter((event) => event.type === type).length;
  const answered = times(kind === "question" ? "question.answered" : "approval.decided");
  const expired = times(`${kind}.expired`);
  check(task.status === "completed", `ended as ${task.status}`);
  check(answered + expired === 1, `answered ${answered} times and expired ${expired} times`);
  // A first answer whose reply a kill cut off counts, and then both retries are refused.
  const wanted = answered === 1 ? [" ", "200 409", "409 409"] : [" ", "", "410 410"];
  check(
    wanted.includes(statuses.join(" ")),
    `was ${answered === 1 ? "answered" : "expired"} and its answers got ${statuses.join(" and ")}`,
  );
  check(answered === 0 || statuses.length === 2, "was answered although no answer was sent");
  violations.push(...judgeSteps(drill, 2, events), ...judgeOrder(drill, trace));
  if (kind === "approval") check(given.effects === answered, `the call was made ${given.effects} times`);
  else
    check(
      task.output?.text === formatAnswered(drill, answerTo(answered === 1, given.defaultAnswer)),
      `was told ${JSON.stringify(task.output?.text)}`,
    );
  const next = findFirstRequest(trace, 2);
  check(next !== undefined, "the model was not asked afterwards");
  if (expired === 0 || next === undefined) return { lateMs: [], isAnswered: answered === 1, violations };
  // If a wait ended before its task was read, only the log has its time.
  const dueMs = Date.parse(pending?.expires_at ?? loggedExpiry(events));
  const late = next.wallAt - dueMs;
  check(late >= 0, `expired ${-late} ms early`);
  return { lateMs: [late], isAnswered: false, violations };
}

/** Checks that some questions and approvals were answered, which expiries would hide. */
export function judgeShares(found: Readonly<Record<"questions" | "approvals", readonly TimerFinding[]>>): string[] {
  const kinds = ["questions", "approvals"] as const;
  return kinds.flatMap((kind) =>
    found[kind].some(({ isAnswered }) => isAnswered) ? [] : [`none of ${found[kind].length} ${kind} was answered`],
  );
}

function answerTo(isAnswered: boolean, defaultAnswer: string | null): string {
  if (isAnswered) return "by a person";
  return defaultAnswer === null
    ? "Nobody answered in time."
    : `Nobody answered in time. The agreed default stands: ${defaultAnswer}`;
}

function loggedExpiry(events: readonly EventBody[]): string {
  const waiting = events.find(({ type }) => type === "task.waiting")?.data["pending"] as
    | readonly PendingBody[]
    | undefined;
  return waiting?.[0]?.expires_at ?? "";
}

function findFirstRequest({ requests }: OfEach["trace"], wanted: number) {
  return requests.find(({ step }) => step === wanted);
}

/** Checks that each step ended once. */
function judgeSteps(drill: string, steps: number, events: readonly EventBody[]): string[] {
  return Array.from({ length: steps }, (_, index) => index + 1).flatMap((step) => {
    const ended = events.filter(({ type, data }) => type === "step.completed" && data["step"] === step).length;
    return ended === 1 ? [] : [`${drill}: step ${step} completed ${ended} times`];
  });
}

/** Checks that no earlier step is requested again. */
function judgeOrder(drill: string, { requests }: OfEach["trace"]): string[] {
  const back = requests.find(({ step }, index) => step < (requests[index - 1]?.step ?? 0));
  return back === undefined ? [] : [`${drill}: step ${back.step} was asked for again after a later one`];
}
