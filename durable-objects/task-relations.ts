/**
 * What a task has to do with others: its tenant, which lets it run and keeps its line in the index; its parent, which
 * waits for it; the tasks below it. Everything here can be done again: what fails is tried again by the task's alarm.
 */
import { tasksFromEnv, tenantsFromEnv, type Env, type TaskStub } from "../adapters/from-env.ts";
import { ownUse } from "../core/budget.ts";
import type { TaskReport } from "../core/objects.ts";
import { pendingFrom, subtaskInput } from "../core/subtasks.ts";
import type { Command, SubtaskToMake, Work } from "../core/task-commands.ts";
import type { TaskFacts, TaskState } from "../core/task-state.ts";
import type { TaskView } from "../core/task-view.ts";
import type { StoredTask } from "./task-store.ts";

/** Objects that are asked at the same time. */
const AT_ONCE = 10;

export class TaskRelations {
  private readonly env: Env;
  /** What the parent was last told of waits, as JSON; null: nothing since this object was loaded. */
  private toldParent: string | null = null;

  constructor(env: Env) {
    this.env = env;
  }

  /** Asks the tenant for leave to begin hops. Null: the tenant is gone. */
  async enter(work: Extract<Work, { kind: "enter" }>, { state, version }: StoredTask): Promise<Command> {
    const { id, tenant, key, agent } = state.facts;
    const { used, need, want } = work;
    const asked = { task: id, version, key, agent: agent.id, used, need, want };
    const reply = await tenantsFromEnv(this.env)(tenant).enter(asked);
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

  /** Tells the parent and the tenant how the task stands; true: the tenant is gone, and the task has to go too. */
  async report({ state, version }: StoredTask, view: TaskView, wakeAt: number | null): Promise<boolean> {
    const { id, tenant, kind, key } = state.facts;
    await this.tellParent(state, version, view);
    const row: TaskReport = { task: id, version, view, hidden: kind === "call", wakeAt, key, used: ownUse(state) };
    return (await tenantsFromEnv(this.env)(tenant).report(row)).erased;
  }

  /** Makes subtasks; a command for each that tells what came of it. `argumentsOf` gives those of the dispatching call. */
  async *dispatch(
    { subtasks }: Extract<Work, { kind: "dispatch" }>,
    argumentsOf: (callId: string) => unknown,
  ): AsyncGenerator<Command> {
    for (let at = 0; at < subtasks.length; at += AT_ONCE) {
      const some = subtasks.slice(at, at + AT_ONCE);
      yield* await Promise.all(some.map(async (subtask) => await this.make(subtask, argumentsOf(subtask.callId))));
    }
  }

  /** Cancels tasks below this one; a command for each that is cancelled, has ended, or is gone. */
  async *cancel({ tasks }: Extract<Work, { kind: "cancel" }>, { tenant }: TaskFacts): AsyncGenerator<Command> {
    for (let at = 0; at < tasks.length; at += AT_ONCE) {
      const some = tasks.slice(at, at + AT_ONCE);
      await Promise.all(some.map(async (task) => await this.task(tenant, task).cancel("the end of its parent task")));
      for (const task of some) yield { type: "cancelled_below", task };
    }
  }

  /** Erases the tasks below this one, all of which have ended or are cancelled first. */
  async erase({ facts: { tenant }, subtasks, adopted, disowned }: TaskState): Promise<void> {
    for (const id of [...subtasks, ...adopted, ...disowned]) {
      const task = this.task(tenant, id);
      const erased = await task.erase();
      if (erased.ok || erased.error.code !== "conflict") continue;
      await task.cancel("its task was erased");
      await task.erase();
    }
  }

  private async make({ callId, facts }: SubtaskToMake, given: unknown): Promise<Command> {
    if (facts.depth > 1) {
      const enrolled = await this.task(facts.tenant, facts.rootId).enroll(facts.id);
      if (!enrolled.ok) return { type: "subtask_refused", callId, failure: enrolled.error };
    }
    const input = subtaskInput(given);
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
    const parent = this.task(tenant, parentId);
    const hasEnded = state.phase.name === "ended";
    if (kind === "call") {
      if (!hasEnded) return;
      // What the call attached is the task's to deliver; marking it again changes nothing.
      for (const file of state.attachments) await parent.attach(file);
      await parent.disown(id);
    } else if (hasEnded) {
      await parent.subtaskEnded(view);
    } else {
      const pending = JSON.stringify(pendingFrom(id, view.pending));
      if (pending === (this.toldParent ?? (mayHaveAsked(state) ? null : "[]"))) return;
      await parent.subtaskWaits(id, version, pendingFrom(id, view.pending));
      this.toldParent = pending;
    }
  }

  private task(tenant: string, id: string): TaskStub {
    return tasksFromEnv(this.env)(tenant, id);
  }
}

/** False for a task of which the parent cannot have been told that it waits for a person. */
function mayHaveAsked({ settledWaits, subtasks, facts }: TaskState): boolean {
  const asksOfUnknown = facts.agent.config.on_unknown === "ask";
  return asksOfUnknown || subtasks.length > 0 || Object.keys(settledWaits).length > 0;
}
