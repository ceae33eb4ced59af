/**
 * One task. The methods turn calls into commands for `core/task/task.ts`; `engine.ts` stores its decisions and runs
 * them on the alarm. The object decides nothing.
 */
import { DurableObject } from "cloudflare:workers";
import { blobsFromEnv } from "../../adapters/env/files.ts";
import { settingsFromEnv } from "../../adapters/env/settings.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { NO_RUN_DEPTH, REQUEST_DEPTH } from "../../core/base/call-budget.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { Actor, Actors } from "../../core/connections/actors.ts";
import type { OwnPhases } from "../../core/steps/own-phases.ts";
import { checkEnvelope } from "../../core/gateway/envelope.ts";
import { EXPAND_RESULT } from "../../core/gateway/shape.ts";
import type { NewMemory } from "../../core/memory/memory.ts";
import { getRemaining } from "../../core/task/short-permit.ts";
import { createSummary } from "../../core/task/summary.ts";
import { type FormattedResult, formatResult } from "../../core/prompt/stored-results.ts";
import type { EventPage, LedgerPage, TaskReport, TaskRpc, TrimmedPart, Wake } from "../../core/task/rpc.ts";
import { type Label, OUTSIDE } from "../../core/provenance/label.ts";
import { getCurrentFacts } from "../../core/task/skills-in-force.ts";
import { findCallOfSubtask, toSubtaskEnding, toTextForParent } from "../../core/task/subtasks.ts";
import type {
  Command,
  NewTask,
  ApprovalDecision,
  ConnectionSkip,
  QuestionAnswer,
  SubtaskWaits,
  UnknownDecision,
} from "../../core/task/commands.ts";
import type { LedgerRow, Spend } from "../../core/task/decision.ts";
import type { ShortPermit } from "../../core/task/short-permit.ts";
import type { Attachment, TaskFacts } from "../../core/task/state.ts";
import type { TaskView } from "../../core/task/view.ts";
import { openOwnPhases } from "../../workers/own-phases.ts";
import { TaskEngine } from "./engine.ts";
import { TaskPeople } from "./people.ts";
import { TaskRetention } from "./retention.ts";
import { TaskStore, type StoredTask } from "./store.ts";
import { TaskWatchers } from "./watchers.ts";
import type { TextRange } from "../../core/model/label-parts.ts";

/** Maximum events or calls per page. */
const MAX_PAGE = 500;
/** Placeholder result for a subtask that no call waits for. */
const NOT_READ: FormattedResult = { content: "", isLarge: false };

export class TaskObject extends DurableObject<Env> implements TaskRpc {
  private readonly store = new TaskStore(this.ctx.storage);
  private readonly watchers = new TaskWatchers(this.ctx);
  private readonly engine = new TaskEngine(this.env, this.ctx.storage, this.store, this.watchers, this.openOwnPhases());

  private readonly people = new TaskPeople(this.env, this.store, (...run) => this.runCommand(...run));
  private readonly retention = new TaskRetention(this.env, this.ctx.storage, this.store, this.engine.relations);

  async create(task: NewTask, ...wake: Wake): Promise<Result<TaskView>> {
    if (this.store.load() === null && this.store.erasing.find() === null) this.engine.create(task, ...wake);
    return this.view();
  }

  async view(): Promise<Result<TaskView>> {
    return this.readTask(({ state }) => this.store.toView(state));
  }

  async indexRow(): Promise<Result<TaskReport>> {
    return this.readTask((stored) => this.engine.relations.toReport(stored, this.store.toView(stored.state), []));
  }

  async facts(): Promise<Result<TaskFacts>> {
    return this.readTask(({ state }) => getCurrentFacts(state));
  }

  async subtasks(): Promise<Result<readonly string[]>> {
    return this.readTask(({ state }) => state.subtasks);
  }

  async spending(): Promise<Result<readonly Spend[]>> {
    return this.readTask(() => this.store.readSpending());
  }

  async actors(): Promise<Result<Actors>> {
    return this.readTask(({ state }) => state.actors);
  }

  async call(callId: string): Promise<Result<LedgerRow>> {
    const [row] = this.store.load() === null ? [] : this.store.ledger.readCalls([callId]);
    return row?.settledAt == null ? failed("not_found", "This task has no settled call with that id.") : ok(row);
  }

  async summary(): Promise<Result<NewMemory | null>> {
    return this.readTask(({ state }) => createSummary(state, this.store.toView(state)));
  }

  async start(request: string | null, ...wake: Wake): Promise<Result<TaskView>> {
    return this.runCommand({ type: "start", request }, ...wake);
  }

  async message(
    text: string,
    request: string | null,
    own?: number,
    outside?: readonly TextRange[],
    by?: Actor | null,
    hint?: string,
  ): Promise<Result<TaskView>> {
    return this.people.message(text, request, { own, outside, by, hint });
  }

  async answer(
    question: string,
    answer: QuestionAnswer,
    request: string | null,
    ...wake: Wake
  ): Promise<Result<TaskView>> {
    return this.people.answer(question, answer, request, ...wake);
  }

  async decideApproval(
    approval: string,
    decision: ApprovalDecision,
    request: string | null,
    ...wake: Wake
  ): Promise<Result<TaskView>> {
    return await this.people.decideApproval(approval, decision, request, ...wake);
  }

  async decideUnknown(callId: string, decision: UnknownDecision, request: string | null): Promise<Result<LedgerRow>> {
    return this.people.decideUnknown(callId, decision, request);
  }

  async connected(wait: string, ...wake: Wake): Promise<Result<void>> {
    const connected = this.runCommand({ type: "connect", wait }, ...wake);
    return connected.ok ? ok(undefined) : connected;
  }

  async skipConnection(
    wait: string,
    decision: ConnectionSkip,
    request: string | null,
    ...wake: Wake
  ): Promise<Result<TaskView>> {
    return this.people.skipConnection(wait, decision, request, ...wake);
  }

  async attach(file: Attachment): Promise<Result<TaskView>> {
    return this.runCommand({ type: "attach", file });
  }

  async adopt(task: string): Promise<Result<TaskView>> {
    return this.runCommand({ type: "adopt", task });
  }

  async disown(task: string): Promise<Result<TaskView>> {
    return this.runCommand({ type: "disown", task });
  }

  async enroll(subtask: string): Promise<Result<void>> {
    const enrolled = this.runCommand({ type: "enroll", subtask });
    return enrolled.ok ? ok(undefined) : enrolled;
  }

  async subtaskEnded(
    subtask: TaskView,
    label: Label = OUTSIDE,
    depth = REQUEST_DEPTH,
    permit: ShortPermit | null = null,
    actors?: Actors,
  ): Promise<void> {
    const receivedAt = Date.now();
    const state = this.store.load()?.state;
    if (state === undefined) return;
    const callId = findCallOfSubtask(state, subtask.id);
    // With no waiting call nobody reads the text; only the subtask's use counts.
    const formatted =
      callId === null ? NOT_READ : await this.formatText(toTextForParent(subtask), getCurrentFacts(state), callId);
    const ending = toSubtaskEnding(subtask, formatted, { label, actors });
    const wake = [depth, getRemaining(permit, receivedAt, Date.now())] as const;
    await this.engine.subtaskEnds.add({ command: { type: "subtask_ended", ending }, wake });
  }

  async subtaskWaits(subtask: string, version: number, waits: SubtaskWaits): Promise<void> {
    this.engine.apply({ type: "subtask_waits", subtask, version, ...waits }, NO_RUN_DEPTH);
  }

  async cancel(by: string, depth?: number): Promise<Result<TaskView>> {
    const result = this.runCommand({ type: "cancel", by }, depth);
    if (result.ok) this.engine.phases.cancel();
    return result;
  }

  async called(): Promise<void> {
    this.engine.apply({ type: "called" }, NO_RUN_DEPTH);
  }

  async halt(message: string): Promise<void> {
    await this.engine.halt(message);
  }

  async events(after: number, limit: number): Promise<Result<EventPage>> {
    return this.readTask((stored) => this.store.log.readPage(stored, after, Math.min(Math.max(limit, 1), MAX_PAGE)));
  }

  async ledger(page: { after: string | null; limit: number; withResults: boolean }): Promise<Result<LedgerPage>> {
    return this.readTask(() =>
      this.store.ledger.readPage({ ...page, limit: Math.min(Math.max(page.limit, 1), MAX_PAGE) }),
    );
  }

  async poke(): Promise<boolean> {
    if (this.store.load() === null && this.store.erasing.find() === null) return false;
    this.engine.poke();
    return true;
  }

  async treeEndedAt(): Promise<Result<number | null>> {
    return await this.retention.treeEndedAt();
  }

  async hasPart(part: TrimmedPart): Promise<Result<boolean>> {
    return await this.retention.hasPart(part);
  }

  async trim(part: TrimmedPart): Promise<Result<void>> {
    return await this.retention.trim(part);
  }

  async erase(retainsSummary = false): Promise<Result<void>> {
    const stored = this.store.load();
    if (stored === null) return (await this.engine.eraser.finish()) ? ok(undefined) : this.failAbsent();
    if (stored.state.phase.name !== "ended") return failed("conflict", "The task has not ended. Cancel it first.");
    // The state then includes what the alarm is creating now, such as subtasks.
    await this.engine.waitForRun();
    // A parent that waits for this task has to receive its end first.
    if (this.store.hasUnpublished()) await this.engine.report();
    const last = this.store.load();
    // The tenant was erased, and the task with it.
    if (last === null) return ok(undefined);
    if (this.store.hasUnpublished()) return failed("upstream_failed", "The end of the task is not reported yet.");
    const below = await this.engine.relations.erase(last.state, retainsSummary);
    if (!below.ok) return below;
    await this.engine.eraser.erase(last, retainsSummary);
    return ok(undefined);
  }

  override async alarm(): Promise<void> {
    await this.engine.run(`task ${this.ctx.id.name ?? this.ctx.id.toString()}`);
  }

  override async fetch(request: Request): Promise<Response> {
    const stored = this.store.load();
    return stored === null ? new Response(null, { status: 404 }) : this.watchers.accept(request, stored.state);
  }

  override async webSocketMessage(): Promise<void> {
    // Watchers only receive.
  }

  override async webSocketClose(socket: WebSocket, code: number): Promise<void> {
    socket.close(code === 1005 || code === 1006 ? 1000 : code);
  }

  /** The phases that this object runs itself. A test's object adds its own tools. */
  protected openOwnPhases(): OwnPhases {
    return openOwnPhases(this.env);
  }

  /** Formats a subtask's text for the model; stores the full text first when it is long. */
  private async formatText(text: string, facts: TaskFacts, callId: string): Promise<FormattedResult> {
    const { mediumResultThreshold, largeResultThreshold } = settingsFromEnv(this.env);
    return await formatResult(text, facts, callId, {
      blobs: blobsFromEnv(this.env),
      limits: { mediumCharacters: mediumResultThreshold, largeCharacters: largeResultThreshold },
      canExpand: checkEnvelope({ name: EXPAND_RESULT, permissions: [] }, facts).ok,
    });
  }

  private runCommand(command: Command, ...wake: Wake): Result<TaskView> {
    const decision = this.engine.apply(command, ...wake);
    if (decision === null) return this.failAbsent();
    return decision.refused === null ? ok(this.store.toView(decision.state)) : { ok: false, error: decision.refused };
  }

  private readTask<T>(look: (stored: StoredTask) => T): Result<T> {
    const stored = this.store.load();
    return stored === null ? this.failAbsent() : ok(look(stored));
  }

  private failAbsent(): Result<never> {
    return { ok: false, error: this.store.erasing.explainAbsence() };
  }
}
