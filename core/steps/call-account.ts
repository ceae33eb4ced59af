/**
 * The account of a call: chosen when the call is prepared, checked just before its effect, and chosen again after a wait
 * for a connection or another consent. Only for tools with `app`.
 */
import type { Failure, Result } from "../base/errors.ts";
import { type Account, type ConnectNeed, getOwnerPerson } from "../connections/account.ts";
import { type Actors, isOnlyActor, UNKNOWN_ACTORS } from "../connections/actors.ts";
import {
  type AccountContext,
  type AccountRuling,
  NO_CONNECTIONS,
  ruleAccount,
  toApproval,
  toCheckFailure,
} from "../gateway/account.ts";
import { hashArguments } from "../gateway/arguments-hash.ts";
import { findTouches } from "../gateway/touches.ts";
import type { AppRightsPort } from "../ports/app-rights.ts";
import type { ConnectionsPort } from "../ports/connections.ts";
import type { DatabasesPort } from "../ports/databases.ts";
import { getApprovalExpiryMs } from "../agents/agent.ts";
import type { AccountedCall, PreparedCall } from "../task/commands.ts";
import type { RunnableCall } from "../task/decision.ts";
import { isUnattended } from "../task/source.ts";
import type { TaskFacts } from "../task/state.ts";
import type { Tool } from "../tool/tool.ts";
import { type AdmitContext, type AdmittedCall, rulePolicy } from "./admit.ts";
import { checkAction } from "./app-access.ts";
import { findDatabaseRefusal, ruleDatabase } from "./database-account.ts";

/** The task of a call. */
interface AccountTask {
  readonly facts: TaskFacts;
  /** Who steered it. Absent: unknown. */
  readonly actors?: Actors;
}

/** A call of a tool with `app`, as the stage of the account and policy rule it. */
interface CallRulings {
  readonly admitted: Result<AdmittedCall>;
  /** Null for a call that does not run. */
  readonly ruling: AccountRuling | null;
}

/**
 * Takes a call through envelope, validation, rights, account and policy. Policy rules under any account: no person connects one
 * for a call that it denies. Absent `connections`: the tenant has none.
 */
export async function admitWithAccount(
  tool: Tool,
  given: unknown,
  context: AdmitContext &
    AccountTask & {
      readonly connections?: Pick<ConnectionsPort, "choose">;
      readonly appRights?: AppRightsPort;
      readonly databases?: Pick<DatabasesPort, "find">;
    },
): Promise<CallRulings> {
  const checked = await checkAction(tool, given, context);
  if (!checked.ok) return { admitted: checked, ruling: null };
  const ruling = checked.value.answer === null ? await ruleThrough(tool, checked.value.arguments, context) : null;
  return { admitted: rulePolicy(checked.value.tool, checked.value, context), ruling };
}

/** Null for a tool that acts through no account. */
async function ruleThrough(
  tool: Tool,
  given: unknown,
  context: AccountTask & {
    readonly connections?: Pick<ConnectionsPort, "choose">;
    readonly databases?: Pick<DatabasesPort, "find">;
  },
): Promise<AccountRuling | null> {
  if (tool.queries !== undefined) return await ruleDatabase(tool, given, context.databases);
  return tool.app === undefined ? null : await ruleAccount(tool.app, toAccountContext(context, context.connections));
}

function toAccountContext(
  { facts, actors = UNKNOWN_ACTORS }: AccountTask,
  connections: Pick<ConnectionsPort, "choose"> = NO_CONNECTIONS,
): AccountContext {
  const caller = facts.actsFor?.person ?? null;
  const { agent, via } = facts;
  return { config: agent.config, actors: { ...actors, caller }, isUnattended: isUnattended(via), connections };
}

/** Returns the fields of a call that acts through an account, or waits for one: then its approval follows that. */
export function toAccountFields(
  ruling: AccountRuling,
  askFirst: string | null,
  expiresInMs: number,
): Pick<PreparedCall, "account" | "connect" | "askFirst"> & Partial<Pick<PreparedCall, "approval">> {
  const reason = askFirst === null ? {} : { askFirst };
  switch (ruling.kind) {
    case "account":
      return { ...reason, account: ruling.account, approval: toApproval(ruling, askFirst, expiresInMs) };
    case "needed":
      return { ...reason, connect: ruling.need, approval: null };
    case "refused":
      return {};
  }
}

/** What a check of a call's account finds. `refused`: nothing was sent. */
export type AccountCheck =
  | { readonly kind: "same" }
  | { readonly kind: "refused"; readonly failure: Failure }
  | { readonly kind: "accounted"; readonly ruling: AccountedCall };

/** The call, its tool, its task, and the connections of its tenant. */
interface AccountVisit extends AccountTask {
  readonly call: RunnableCall;
  readonly tool: Tool;
  readonly connections: Pick<ConnectionsPort, "choose" | "current"> | undefined;
  readonly databases?: Pick<DatabasesPort, "find">;
}

/**
 * Reads the account of a call just before its effect. After another consent, and once others steered the task, the account
 * is chosen again and with it the approval. `isRepeat`: an earlier attempt may have happened, under the rules of its time.
 */
export async function checkAccount(visit: AccountVisit, isRepeat: boolean): Promise<AccountCheck> {
  const { call, tool, connections = NO_CONNECTIONS } = visit;
  if (tool.queries !== undefined) {
    const failure = await findDatabaseRefusal(tool, call, visit.databases);
    return failure === null ? { kind: "same" } : { kind: "refused", failure };
  }
  const { account } = call;
  // A call through an account never runs without one, nor as a call of another app.
  if (account === undefined || tool.app?.app !== account.app) return await chooseAgain(visit);
  const current = await connections.current(account, isUnattended(visit.facts.via));
  if (!current.ok) return { kind: "refused", failure: toCheckFailure(current.error) };
  const { value } = current;
  if (!("needed" in value)) {
    const isSame = value.consent === account.consent && (isRepeat || mayRun(account, visit));
    return isSame ? { kind: "same" } : await chooseAgain(visit);
  }
  const { needed } = value;
  if (needed === "revoked" || needed === "missing") return { kind: "refused", failure: toDisconnected(account) };
  return { kind: "accounted", ruling: { kind: "needed", need: toNeed(account, needed) } };
}

/** True for a failure by which the account of the call stopped working. */
export function isEndOf({ connection }: Account, { cause }: Failure): boolean {
  return cause?.kind === "connection_ended" && cause.connection === connection;
}

/** False for a person's account once others steered the task, unless that person approved the call. */
function mayRun({ owner }: Account, { call, actors = UNKNOWN_ACTORS }: AccountVisit): boolean {
  return owner.kind === "shared" || call.isApprovedByOwner === true || isOnlyActor(actors, owner.id);
}

/** Chooses the account of a call again: its arguments stay, and policy and influence asked or did not ask before. */
export async function chooseAgain({
  call,
  tool,
  facts,
  actors,
  connections,
}: AccountVisit): Promise<Exclude<AccountCheck, { kind: "same" }>> {
  if (tool.app === undefined) return { kind: "refused", failure: NO_APP };
  const task = actors === undefined ? { facts } : { facts, actors };
  const ruling = await ruleAccount(tool.app, toAccountContext(task, connections));
  if (ruling.kind === "refused") return ruling;
  if (ruling.kind === "needed") return { kind: "accounted", ruling };
  const { account } = ruling;
  const expiresInMs = getApprovalExpiryMs(facts.agent.config.approval);
  const { tool: name, arguments: given, effect, askFirst = null } = call;
  const [argumentsHash, touches] = [
    await hashArguments(name, given, account),
    findTouches(tool, given, effect, account),
  ];
  const approval = toApproval(ruling, askFirst, expiresInMs);
  return { kind: "accounted", ruling: { kind: "account", account, argumentsHash, touches, approval } };
}

/** The tool of a later list has no app. */
const NO_APP: Failure = {
  code: "permission_denied",
  message: "The tool no longer acts through an account. The call was not made.",
};

function toDisconnected({ label, app }: Account): Failure {
  return { code: "permission_denied", message: `The account ${label ?? app} was disconnected.` };
}

function toNeed({ app, owner }: Account, reason: ConnectNeed["reason"]): ConnectNeed {
  return { app, reason, person: getOwnerPerson(owner) };
}
