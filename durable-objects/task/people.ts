/** What people send to a task: messages, answers and decisions, turned into commands. */
import { stepsFromEnv } from "../../adapters/env/steps.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { Actor } from "../../core/connections/actors.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { TextRange } from "../../core/model/label-parts.ts";
import { JOB_VERSION } from "../../core/steps/job-version.ts";
import { formatRevisionNote, refuseOthers } from "../../core/task/answers.ts";
import type {
  ApprovalDecision,
  Command,
  ConnectionSkip,
  QuestionAnswer,
  UnknownDecision,
} from "../../core/task/commands.ts";
import type { LedgerRow } from "../../core/task/decision.ts";
import type { Wake } from "../../core/task/rpc.ts";
import { getRemaining } from "../../core/task/short-permit.ts";
import { getCurrentFacts } from "../../core/task/skills-in-force.ts";
import type { TaskView } from "../../core/task/view.ts";
import { findWaitingCall } from "../../core/task/waits.ts";
import type { TaskStore } from "./store.ts";

/** Applies a command, and returns the task after it or why it is refused. */
type RunCommand = (command: Command, ...wake: Wake) => Result<TaskView>;

/** The parts of a message, and who wrote it. As in `TaskRpc`. */
interface SentMessage {
  readonly own: number | undefined;
  readonly outside: readonly TextRange[] | undefined;
  readonly by: Actor | null | undefined;
  readonly hint: string | undefined;
}

const UNKNOWN_CALL = failed("not_found", "This task has no call with that id.");

/** The methods of `TaskRpc` with the same names. */
export class TaskPeople {
  private readonly env: Env;
  private readonly store: TaskStore;
  private readonly runCommand: RunCommand;

  constructor(env: Env, store: TaskStore, runCommand: RunCommand) {
    this.env = env;
    this.store = store;
    this.runCommand = runCommand;
  }

  message(text: string, request: string | null, { own, outside, by = null, hint = "" }: SentMessage): Result<TaskView> {
    const known = { ...(own === undefined ? {} : { own }), ...(outside === undefined ? {} : { outside }) };
    return this.runCommand({ type: "message", text, request, by, hint, ...known });
  }

  answer(
    question: string,
    { text, isChoice, by, person = null }: QuestionAnswer,
    request: string | null,
    ...wake: Wake
  ): Result<TaskView> {
    return this.runCommand({ type: "answer", question, answer: text, isChoice, by, person, request }, ...wake);
  }

  async decideApproval(
    approval: string,
    { decision, arguments: given, reason, by, person = null, mayApprove = false }: ApprovalDecision,
    request: string | null,
    ...[depth, permit = null]: Wake
  ): Promise<Result<TaskView>> {
    const receivedAt = Date.now();
    const revised =
      given === null || decision === "refuse" ? ok(null) : await this.revise(approval, given, { person, mayApprove });
    if (!revised.ok) return revised;
    const decided = { approval, decision, revised: revised.value, reason, by, person, mayApprove, request } as const;
    return this.runCommand(
      { type: "approval_decided", ...decided },
      depth,
      getRemaining(permit, receivedAt, Date.now()),
    );
  }

  decideUnknown(callId: string, { decision, by }: UnknownDecision, request: string | null): Result<LedgerRow> {
    const isKnown = this.store.load() !== null && this.store.ledger.readCalls([callId]).length > 0;
    if (!isKnown) return UNKNOWN_CALL;
    const decided = this.runCommand({ type: "unknown_decided", callId, decision, by, request });
    if (!decided.ok) return decided;
    const [row] = this.store.ledger.readCalls([callId]);
    return row === undefined ? UNKNOWN_CALL : ok(row);
  }

  skipConnection(wait: string, { by }: ConnectionSkip, request: string | null, ...wake: Wake): Result<TaskView> {
    return this.runCommand({ type: "skip_connection", wait, by, request }, ...wake);
  }

  /** Checks and hashes a person's arguments. Null when they equal the requested ones, or no call waits for them. */
  private async revise(
    approval: string,
    given: Readonly<Record<string, unknown>>,
    decider: Pick<ApprovalDecision, "person" | "mayApprove">,
  ) {
    const state = this.store.load()?.state;
    const call = state === undefined ? null : findWaitingCall(state.batch, "approval", approval);
    if (state === undefined || call?.wait?.kind !== "approval") return ok(null);
    const refused = refuseOthers(call.wait, decider);
    if (refused !== null) return { ok: false, error: refused } as const;
    const { tool, argumentsHash: revisedFrom, account } = call;
    const through = account === undefined ? {} : { account };
    const job = { version: JOB_VERSION, facts: getCurrentFacts(state), tool, arguments: given, ...through };
    const revised = await stepsFromEnv(this.env).reviseCall(job);
    if (!revised.ok) return revised;
    if (revised.value.argumentsHash === revisedFrom) return ok(null);
    return ok({ ...revised.value, revisedFrom, note: formatRevisionNote(revised.value.arguments) });
  }
}
