/**
 * A task's calls to others: its tenant, which admits it and stores its index row; its parent, which waits for it; and
 * its subtasks. Every call is idempotent, and the task's alarm retries failures.
 */
import { tasksFromEnv, type TaskStub } from "../../adapters/env/tasks.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { toNoticeFacts, type ReportedNotice } from "../../core/task/notice.ts";
import { getOwnUse } from "../../core/task/budget.ts";
import { type CallBudget, NO_RUN_DEPTH } from "../../core/base/call-budget.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import type { PermitReply } from "../../core/tenant/rpc.ts";
import type { TaskReport } from "../../core/task/rpc.ts";
import { getOpenWaits } from "../../core/task/open-waits.ts";
import { addSubtaskId, formatSubtaskInput } from "../../core/task/subtasks.ts";
import type { Command } from "../../core/task/commands.ts";
import type { NewSubtask, Work } from "../../core/task/decision.ts";
import { getRemaining, getShortPermit, type ShortPermit } from "../../core/task/short-permit.ts";
import type { TaskFacts, TaskState } from "../../core/task/state.ts";
import { findNextWake } from "../../core/task/task.ts";
import type { TaskView } from "../../core/task/view.ts";
import { getPayer } from "../../core/tenant/budget-tree.ts";
import type { StoredTask } from "./store.ts";
import { awaitWithin } from "../../core/base/deadline.ts";

/** Who cancels a task whose parent ended. */
const PARENT_ENDED = "the end of its parent task";
/** Maximum time to notify the parent before the tenant may release the slot. */
const PARENT_NOTIFY_MS = 50;
/** Concurrent calls of objects. */
const AT_ONCE = 10;
/** Calls that a run reserves for the reports to the parent and the tenant. */
const REPORT_CALLS = 2;

export class TaskRelations {
  private readonly env: Env;
  /** The last report to the parent as JSON; null since this object was loaded. */
  private lastParentReport: string | null = null;
  private readonly countCalls: (calls: number) => void;
  private readonly getDepth: () => number;

  /** `countCalls` runs before each call to another object. `getDepth`: how deeply this object's calls are nested. */
  constructor(env: Env, countCalls: (calls: number) => void, getDepth: () => number) {
    this.env = env;
    this.countCalls = countCalls;
    this.getDepth = getDepth;
  }

  /**
   * Requests a permit from the tenant. The unpublished `news` goes along when only the tenant needs it; `reported` says
   * that the tenant has it.
   */
  async enter(
    work: Extract<Work, { kind: "enter" }>,
    stored: StoredTask,
    news: { readonly view: TaskView; readonly notices: readonly ReportedNotice[] } | null,
  ): Promise<{ readonly command: Command; readonly reported: boolean }> {
    const { id, tenant, agent } = stored.state.facts;
    const key = getPayer(stored.state.facts);
    const { kind: _, ...amounts } = work;
    const report =
      news !== null && this.isParentCurrent(stored.state, news.view)
        ? this.toReport(stored, news.view, news.notices)
        : null;
    const request = { task: id, version: stored.version, key, agent: agent.id, ...amounts };
    const reply = await this.tenant(tenant).enter(request, report);
    // A tenant that stops may be erased; only the reply to a report says so.
    return { command: toCommand(reply), reported: report !== null && reply.kind !== "stopped" };
  }

  /**
   * Reports the task's state to the parent and then to the tenant, even if the parent fails or is slow. True if the
   * tenant was erased, and the task has to be erased too.
   */
  async report(stored: StoredTask, view: TaskView, notices: readonly ReportedNotice[]): Promise<boolean> {
    const notified = this.notifyParent(stored.state, stored.version, view);
    const settled = notified.catch(() => undefined);
    if (stored.state.facts.parentId !== null) await awaitWithin(globalThis, PARENT_NOTIFY_MS, settled, undefined);
    const { erased } = await this.tenant(stored.state.facts.tenant).report(this.toReport(stored, view, notices));
    if (!erased) await notified;
    return erased;
  }

  /**
   * Creates subtasks, as many as the run has calls for, and yields a command with the outcome of each. `argumentsOf`
   * returns the arguments of the dispatching call. The next run creates the rest.
   */
  async *dispatch(
    { subtasks }: Extract<Work, { kind: "dispatch" }>,
    argumentsOf: (callId: string) => unknown,
    calls: CallBudget,
  ): AsyncGenerator<readonly Command[]> {
    const callsEach = isBelowRoot(subtasks) ? 2 : 1;
    for (const some of sliceWithin(subtasks, calls, callsEach)) {
      // Each subtask requests its own permit if the run has no call left to request them together.
      const mayAsk = calls.hasRoom(some.length * callsEach + 1 + REPORT_CALLS);
      const requestedAt = Date.now();
      const permit = mayAsk ? await this.permitSubtasks(some) : null;
      const takePermit = () => getRemaining(permit, requestedAt, Date.now());
      yield await Promise.all(
        some.map(async (subtask) => await this.createSubtask(subtask, argumentsOf(subtask.callId), takePermit)),
      );
    }
  }

  /**
   * Cancels tasks below this one, as many as the run has calls for, and yields a command for each that is cancelled,
   * ended or erased. A failure stops no other. The next run cancels the rest.
   */
  async *cancel(
    { tasks }: Extract<Work, { kind: "cancel" }>,
    { tenant }: TaskFacts,
    calls: CallBudget,
  ): AsyncGenerator<readonly Command[]> {
    let failure: unknown = null;
    // Starts at a random task: repeated failures of some do not block the others.
    const first = Math.floor(Math.random() * tasks.length);
    for (const some of sliceWithin([...tasks.slice(first), ...tasks.slice(0, first)], calls, 1)) {
      const depth = this.getDepth() + 1;
      const results = await Promise.allSettled(some.map((task) => this.task(tenant, task).cancel(PARENT_ENDED, depth)));
      const cancelled = some.filter((_, index) => results[index]?.status === "fulfilled");
      yield cancelled.map((task) => ({ type: "cancelled_below", task }));
      failure ??= results.find((one) => one.status === "rejected")?.reason ?? null;
    }
    if (failure !== null) throw new Error("a subtask could not be cancelled", { cause: failure });
  }

  /** Erases the tasks below this one; cancels those that run first. Fails if one cannot be erased now. */
  async erase(state: TaskState, retainsSummary: boolean): Promise<Result<void>> {
    for (const task of this.getTasksBelow(state)) {
      let erased = await task.erase(retainsSummary);
      if (!erased.ok && erased.error.code === "conflict") {
        await task.cancel(PARENT_ENDED, NO_RUN_DEPTH);
        erased = await task.erase(retainsSummary);
      }
      if (!erased.ok && erased.error.code !== "not_found") return erased;
    }
    return ok(undefined);
  }

  /** Returns the tasks directly below this one, including hidden ones. An erased one replies `not_found`. */
  getTasksBelow({ facts: { tenant }, subtasks, adopted, disowned, toCancel }: TaskState): TaskStub[] {
    return [...new Set([...subtasks, ...adopted, ...disowned, ...toCancel])].map((id) => this.task(tenant, id));
  }

  /** Requests permits for subtasks together. Null if each has to request its own. */
  private async permitSubtasks(subtasks: readonly NewSubtask[]): Promise<ShortPermit | null> {
    const [first] = subtasks;
    if (first === undefined) return null;
    try {
      return await this.tenant(first.facts.tenant).permitSubtasks(getPayer(first.facts), subtasks.length);
    } catch {
      // A tenant's object of an earlier release has no such method.
      return null;
    }
  }

  private async createSubtask(
    { callId, facts }: NewSubtask,
    given: unknown,
    takePermit: () => ShortPermit | null,
  ): Promise<Command> {
    if (facts.depth > 1) {
      const enrolled = await this.task(facts.tenant, facts.rootId).enroll(facts.id);
      if (!enrolled.ok) return { type: "subtask_refused", callId, failure: enrolled.error };
    }
    const input = formatSubtaskInput(given);
    const task = { facts: { ...facts, input }, hold: false, call: null };
    const made = await this.task(facts.tenant, facts.id).create(task, this.getDepth() + 1, takePermit());
    return made.ok ? { type: "subtask_opened", callId } : { type: "subtask_refused", callId, failure: made.error };
  }

  private async notifyParent(state: TaskState, version: number, view: TaskView): Promise<void> {
    const { id, tenant, parentId, kind } = state.facts;
    if (parentId === null) return;
    const hasEnded = state.phase.name === "ended";
    if (kind === "call" && !hasEnded) return;
    const parent = this.task(tenant, parentId);
    if (kind === "call") {
      this.countCalls(state.attachments.length);
      // This task delivers what the call attached; attaching a file again changes nothing.
      for (const file of state.attachments) await parent.attach(file);
      await parent.disown(id);
    } else if (hasEnded) {
      const permit = getShortPermit(state, Date.now());
      await parent.subtaskEnded(view, state.steeredBy, this.getDepth() + 1, permit, state.actors);
    } else {
      const waits = { pending: addSubtaskId(id, view.pending), stands: state.clock.since === null };
      const text = JSON.stringify(waits);
      if (text === this.lastParentReport || this.isParentCurrent(state, view)) return;
      await parent.subtaskWaits(id, version, waits);
      this.lastParentReport = text;
    }
  }

  /** True when the parent needs no report: it has received none, and nothing waits. */
  private isParentCurrent(state: TaskState, view: TaskView): boolean {
    if (state.facts.parentId === null) return true;
    return this.lastParentReport === null && state.phase.name !== "ended" && hasNoWaits(state, view);
  }

  /** Returns the task's index row. */
  toReport({ state, version }: StoredTask, view: TaskView, notices: readonly ReportedNotice[]): TaskReport {
    const { id, kind, rootId } = state.facts;
    const key = getPayer(state.facts);
    const wakeAt = findNextWake(state, Date.now());
    const waits = getOpenWaits(state);
    const report = {
      task: id,
      version,
      view,
      hidden: kind === "call",
      wakeAt,
      key,
      used: getOwnUse(state),
      ...(waits.length === 0 ? {} : { waits }),
      ...(rootId === id ? {} : { root: rootId }),
    };
    return notices.length === 0 ? report : { ...report, news: { facts: toNoticeFacts(state.facts), notices } };
  }

  private task(tenant: string, id: string): TaskStub {
    this.countCalls(1);
    return tasksFromEnv(this.env)(tenant, id);
  }

  private tenant(id: string) {
    this.countCalls(1);
    return tenantsFromEnv(this.env)(id);
  }
}

/** True for subtasks of a subtask: each is enrolled at the root and then created, which takes two calls. */
function isBelowRoot(subtasks: readonly NewSubtask[]): boolean {
  return subtasks.some(({ facts: { depth } }) => depth > 1);
}

/** Yields slices of at most `AT_ONCE`, while the run has room for the calls of each item. */
function* sliceWithin<T>(items: readonly T[], calls: CallBudget, callsEach: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; ) {
    const most = Math.min(AT_ONCE, Math.floor((calls.getRoom() - REPORT_CALLS) / callsEach));
    if (most <= 0) return;
    yield items.slice(at, at + most);
    at += most;
  }
}

/** Turns the tenant's reply into a command. */
function toCommand(reply: PermitReply): Command {
  switch (reply.kind) {
    case "admitted": {
      const { kind: type, ...permit } = reply;
      return { type, ...permit };
    }
    case "exceeded":
      return { type: "exhausted", message: reply.message };
    case "stopped":
      return { type: "turned_away", why: "stopped", message: reply.message, askAgainAfterMs: reply.askAgainAfterMs };
    case "queued":
      return { type: "turned_away", why: reply.why, message: reply.message, askAgainAfterMs: reply.askAgainAfterMs };
  }
}

/** True for a task whose parent received no wait and needs none: no person is asked and no time is limited. */
function hasNoWaits({ settledWaits, subtasks, facts }: TaskState, { pending }: TaskView): boolean {
  const asksOfUnknown = facts.agent.config.on_unknown === "ask";
  const askedBefore = asksOfUnknown || subtasks.length > 0 || Object.keys(settledWaits).length > 0;
  return pending.length === 0 && !askedBefore && facts.limits.maxDurationMs === null;
}
