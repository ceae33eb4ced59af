/**
 * What a task has to do with others: its tenant, which lets it run and keeps its line in the index; its parent, which
 * waits for it; the tasks below it. Everything here can be done again: what fails is tried again by the task's alarm.
 */
import { tasksFromEnv, type TaskStub } from "../../adapters/env/tasks.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { toNoticeFacts, type ReportedNotice } from "../../core/task/notice.ts";
import { getOwnUse } from "../../core/task/budget.ts";
import type { CallBudget } from "../../core/base/call-budget.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import type { PermitReply } from "../../core/tenant/rpc.ts";
import type { TaskReport } from "../../core/task/rpc.ts";
import { getOpenWaits } from "../../core/task/open-waits.ts";
import { addSubtaskId, formatSubtaskInput } from "../../core/task/subtasks.ts";
import type { Command } from "../../core/task/commands.ts";
import type { NewSubtask, Work } from "../../core/task/decision.ts";
import type { TaskFacts, TaskState } from "../../core/task/state.ts";
import { findNextWake } from "../../core/task/task.ts";
import type { TaskView } from "../../core/task/view.ts";
import { getPayer } from "../../core/tenant/budget-tree.ts";
import type { StoredTask } from "./store.ts";
import { awaitWithin } from "../../core/base/deadline.ts";

/** Who cancels a task whose parent ended. */
const PARENT_ENDED = "the end of its parent task";
/** So long the tenant, which is to give the place to somebody else, waits for the parent to have heard. */
const PARENT_FIRST_MS = 50;
/** Objects that are asked at the same time. */
const AT_ONCE = 10;
/** What a run leaves for the reports to the parent and the tenant. */
const REPORT_CALLS = 2;

export class TaskRelations {
  private readonly env: Env;
  /** What the parent was last told, as JSON; null: nothing since this object was loaded. */
  private toldParent: string | null = null;
  private readonly countCalls: (calls: number) => void;

  /** `countCalls` is told of each call to another object before it is made. */
  constructor(env: Env, countCalls: (calls: number) => void) {
    this.env = env;
    this.countCalls = countCalls;
  }

  /**
   * Asks the tenant for leave to begin hops. `news` is given for a task that has some: when nobody but the tenant has to
   * hear it, it goes along. `told`: the tenant has it.
   */
  async enter(
    work: Extract<Work, { kind: "enter" }>,
    stored: StoredTask,
    news: { readonly view: TaskView; readonly notices: readonly ReportedNotice[] } | null,
  ): Promise<{ readonly command: Command; readonly told: boolean }> {
    const { id, tenant, agent } = stored.state.facts;
    const key = getPayer(stored.state.facts);
    const { kind: _, ...amounts } = work;
    const report =
      news !== null && this.parentKnows(stored.state, news.view)
        ? this.reportOf(stored, news.view, news.notices)
        : null;
    const asked = { task: id, version: stored.version, key, agent: agent.id, ...amounts };
    const reply = await this.tenant(tenant).enter(asked, report);
    // A tenant that stops could be gone, which it says to a report alone.
    return { command: commandOf(reply), told: report !== null && reply.kind !== "stopped" };
  }

  /**
   * Tells how the task stands: the parent, which waits for it, and then the tenant, also when the parent could not be told
   * or is slow to hear. True: the tenant is gone, and the task has to go too.
   */
  async report(stored: StoredTask, view: TaskView, notices: readonly ReportedNotice[]): Promise<boolean> {
    const told = this.tellParent(stored.state, stored.version, view);
    const heard = told.catch(() => undefined);
    if (stored.state.facts.parentId !== null) await awaitWithin(globalThis, PARENT_FIRST_MS, heard, undefined);
    const { erased } = await this.tenant(stored.state.facts.tenant).report(this.reportOf(stored, view, notices));
    if (!erased) await told;
    return erased;
  }

  /**
   * Makes subtasks, as many as the run has calls for; commands, one for each, that tell what came of it. `argumentsOf` gives
   * those of the dispatching call. The next run makes the rest.
   */
  async *dispatch(
    { subtasks }: Extract<Work, { kind: "dispatch" }>,
    argumentsOf: (callId: string) => unknown,
    calls: CallBudget,
  ): AsyncGenerator<readonly Command[]> {
    for (const some of takeWithin(subtasks, calls, isBelowRoot(subtasks) ? 2 : 1)) {
      yield await Promise.all(some.map(async (subtask) => await this.make(subtask, argumentsOf(subtask.callId))));
    }
  }

  /**
   * Cancels tasks below this one, as many as the run has calls for; commands, one for each that is cancelled, has ended, or is
   * gone. One that fails stops no other. The next run cancels the rest.
   */
  async *cancel(
    { tasks }: Extract<Work, { kind: "cancel" }>,
    { tenant }: TaskFacts,
    calls: CallBudget,
  ): AsyncGenerator<readonly Command[]> {
    let failure: unknown = null;
    // Starts anywhere: tasks that fail each time do not keep the others from their turn.
    const first = Math.floor(Math.random() * tasks.length);
    for (const some of takeWithin([...tasks.slice(first), ...tasks.slice(0, first)], calls, 1)) {
      const told = await Promise.allSettled(some.map((task) => this.task(tenant, task).cancel(PARENT_ENDED)));
      const cancelled = some.filter((_, index) => told[index]?.status === "fulfilled");
      yield cancelled.map((task) => ({ type: "cancelled_below", task }));
      failure ??= told.find((one) => one.status === "rejected")?.reason ?? null;
    }
    if (failure !== null) throw new Error("a task below could not be cancelled", { cause: failure });
  }

  /** Erases the tasks below this one; those that live are cancelled first. A failure: one could not be erased now. */
  async erase(state: TaskState, keepsMemory: boolean): Promise<Result<void>> {
    for (const task of this.tasksBelow(state)) {
      let erased = await task.erase(keepsMemory);
      if (!erased.ok && erased.error.code === "conflict") {
        await task.cancel(PARENT_ENDED);
        erased = await task.erase(keepsMemory);
      }
      if (!erased.ok && erased.error.code !== "not_found") return erased;
    }
    return ok(undefined);
  }

  /** The tasks directly below this one, hidden ones too. One that is gone answers `not_found`. */
  tasksBelow({ facts: { tenant }, subtasks, adopted, disowned, toCancel }: TaskState): TaskStub[] {
    return [...new Set([...subtasks, ...adopted, ...disowned, ...toCancel])].map((id) => this.task(tenant, id));
  }

  private async make({ callId, facts }: NewSubtask, given: unknown): Promise<Command> {
    if (facts.depth > 1) {
      const enrolled = await this.task(facts.tenant, facts.rootId).enroll(facts.id);
      if (!enrolled.ok) return { type: "subtask_refused", callId, failure: enrolled.error };
    }
    const input = formatSubtaskInput(given);
    const made = await this.task(facts.tenant, facts.id).create({
      facts: { ...facts, input },
      hold: false,
      call: null,
    });
    return made.ok ? { type: "subtask_opened", callId } : { type: "subtask_refused", callId, failure: made.error };
  }

  private async tellParent(state: TaskState, version: number, view: TaskView): Promise<void> {
    const { id, tenant, parentId, kind } = state.facts;
    if (parentId === null) return;
    const hasEnded = state.phase.name === "ended";
    if (kind === "call" && !hasEnded) return;
    const parent = this.task(tenant, parentId);
    if (kind === "call") {
      this.countCalls(state.attachments.length);
      // What the call attached is the task's to deliver; marking it again changes nothing.
      for (const file of state.attachments) await parent.attach(file);
      await parent.disown(id);
    } else if (hasEnded) {
      await parent.subtaskEnded(view, state.steeredBy);
    } else {
      const told = { pending: addSubtaskId(id, view.pending), stands: state.clock.since === null };
      const text = JSON.stringify(told);
      if (text === this.toldParent || this.parentKnows(state, view)) return;
      await parent.subtaskWaits(id, version, told);
      this.toldParent = text;
    }
  }

  /** True while there is no parent that has to be told anything: it was told nothing, and there is nothing to tell. */
  private parentKnows(state: TaskState, view: TaskView): boolean {
    if (state.facts.parentId === null) return true;
    return this.toldParent === null && state.phase.name !== "ended" && hasNothingToTell(state, view);
  }

  /** The task's line in the index, as it stands. */
  reportOf({ state, version }: StoredTask, view: TaskView, notices: readonly ReportedNotice[]): TaskReport {
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

/** True for subtasks of a subtask: each is enrolled at the root and then made, which takes two calls. */
function isBelowRoot(subtasks: readonly NewSubtask[]): boolean {
  return subtasks.some(({ facts: { depth } }) => depth > 1);
}

/** Slices of at most `AT_ONCE`, while the run has room for the calls that each item takes. */
function* takeWithin<T>(items: readonly T[], calls: CallBudget, callsEach: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; ) {
    const most = Math.min(AT_ONCE, Math.floor((calls.getRoom() - REPORT_CALLS) / callsEach));
    if (most <= 0) return;
    yield items.slice(at, at + most);
    at += most;
  }
}

/** What the tenant's answer means to the task. */
function commandOf(reply: PermitReply): Command {
  switch (reply.kind) {
    case "admitted":
      return { type: "admitted", forMs: reply.forMs, grant: reply.grant, near: reply.near };
    case "exceeded":
      return { type: "exhausted", message: reply.message };
    case "stopped":
      return { type: "turned_away", why: "stopped", message: reply.message, askAgainAfterMs: reply.askAgainAfterMs };
    case "queued":
      return { type: "turned_away", why: reply.why, message: reply.message, askAgainAfterMs: reply.askAgainAfterMs };
  }
}

/** True for a task whose parent cannot have been told anything, and need not be: nobody is asked, and no time is counted. */
function hasNothingToTell({ settledWaits, subtasks, facts }: TaskState, { pending }: TaskView): boolean {
  const asksOfUnknown = facts.agent.config.on_unknown === "ask";
  const askedBefore = asksOfUnknown || subtasks.length > 0 || Object.keys(settledWaits).length > 0;
  return pending.length === 0 && !askedBefore && facts.limits.maxDurationMs === null;
}
