/**
 * Waits for an account: a call without a usable one waits until a person connects it, for a week at most. No attempt of it
 * is counted. After the wait its account is chosen again, and with that its approval.
 */
import { deriveWaitId } from "../base/ids.ts";
import type { Failure } from "../base/errors.ts";
import { type ConnectNeed, formatAccount, getOwnerPerson } from "../connections/account.ts";
import { advance } from "./advance.ts";
import { explainSettled } from "./answers.ts";
import { requestApproval } from "./approvals.ts";
import type { AccountedCall, Command } from "./commands.ts";
import { failedOutcome } from "./ledger.ts";
import type { BatchCall } from "./state.ts";
import type { Control } from "../tool/tool.ts";
import type { Turn } from "./turn.ts";
import type { AccountRounds } from "./wait.ts";
import { expiredOutcome, findWaitingCall } from "./waits.ts";

/** How long a call waits for connections, from the first one on. */
const CONNECT_MS = 7 * 86_400_000;
/** How often the account of one call is chosen again. */
export const MAX_ACCOUNT_ROUNDS = 20;

/** Opens the wait of a call for a connection. Its attempts were not counted, or are taken back. */
export function requestConnection(
  turn: Turn,
  call: BatchCall,
  { app, reason, person }: ConnectNeed,
  why?: string,
): void {
  const { rounds, askFirst, connectBy: expiresAt = turn.now + CONNECT_MS } = call.accountRounds ?? { rounds: 0 };
  const id = deriveWaitId("connectionWait", call.id, rounds);
  const needed = { app, reason, person, ...(why === undefined ? {} : { why }) };
  const wait = { kind: "connection", id, ...needed, since: turn.now, expiresAt } as const;
  if (expiresAt <= turn.now) return turn.settle(call, expiredOutcome(wait));
  turn.replace({ ...call, wait, accountRounds: { ...toAsks(askFirst), rounds, connectBy: expiresAt } });
  turn.emit("connection.requested", {
    step: turn.state.step,
    call_id: call.id,
    wait_id: id,
    tool: call.tool,
    app,
    reason,
    person_id: person,
    ...(why === undefined ? {} : { why }),
    expires_at: new Date(expiresAt).toISOString(),
  });
}

/**
 * Waits for a connection: the app refused the account, or the call asks for one. This attempt did nothing. False if an
 * earlier one may have happened, which is never repeated through another account.
 */
export function reconnect(turn: Turn, call: BatchCall, control: Extract<Control, { kind: "connect" }>): boolean {
  if (countEarlierAttempts(call) > 0) return false;
  const { app, reason } = control;
  const owner = call.account === undefined ? null : getOwnerPerson(call.account.owner);
  const { person = owner } = control;
  const next = beginRound(turn, call);
  if (next !== null) requestConnection(turn, next, { app, reason, person }, control.why);
  return true;
}

/** Ends a wait: its connection may be usable now. A wait that is not open changes nothing. */
export function endConnectionWait(turn: Turn, { wait: id }: Extract<Command, { type: "connect" }>): void {
  const call = findWaitingCall(turn.state.batch, "connection", id);
  if (call === null) return;
  turn.closeWait(id, "answered", null);
  const rounds = call.accountRounds ?? { rounds: 0 };
  turn.replace({ ...call, wait: null, accountRounds: { ...rounds, isDue: true, ended: id } });
  advance(turn);
}

/** Applies a person's decision to continue without a connection, or returns why it is refused. */
export function skipConnection(turn: Turn, command: Extract<Command, { type: "skip_connection" }>): Failure | null {
  const { wait: id, by } = command;
  const call = findWaitingCall(turn.state.batch, "connection", id);
  if (call?.wait?.kind !== "connection") return explainSettled(turn, id, "request to connect an account");
  const { app, expiresAt } = call.wait;
  if (expiresAt <= turn.now) return { code: "gone", message: "The request to connect an account has expired." };
  turn.closeWait(id, "answered", by);
  const message = `A person decided to continue without ${app}.`;
  turn.settle(call, failedOutcome("refused", "permission_denied", message));
  advance(turn);
  return null;
}

/**
 * Applies the account that was chosen again: the attempt that found another one did nothing. False if an earlier attempt
 * may have happened, which is never repeated through another account.
 */
export function applyAccount(
  turn: Turn,
  call: BatchCall,
  { ruling, arguments: given }: Extract<Command, { type: "call_accounted" }>,
): boolean {
  if (countEarlierAttempts(call) > 0) return false;
  const next = beginRound(turn, call);
  if (next === null) return true;
  if (ruling.kind === "needed") requestConnection(turn, next, ruling.need);
  else bindAccount(turn, next, ruling, { ended: call.accountRounds?.ended, given });
  return true;
}

/** Takes back the attempt, which sent nothing, and counts one more change of the account. Null: one too many. */
function beginRound(turn: Turn, call: BatchCall): BatchCall | null {
  const { askFirst, connectBy, rounds: before } = call.accountRounds ?? { rounds: 0 };
  const rounds = before + 1;
  const rest = { ...toAsks(askFirst), ...(connectBy === undefined ? {} : { connectBy }) };
  const next: BatchCall = { ...takeBackAttempt(turn, call), accountRounds: { ...rest, rounds } };
  if (rounds <= MAX_ACCOUNT_ROUNDS) return next;
  turn.settle(next, CHANGES_TOO_OFTEN);
  return null;
}

const CHANGES_TOO_OFTEN = failedOutcome(
  "refused",
  "permission_denied",
  `The account of this call changed ${MAX_ACCOUNT_ROUNDS} times. Nothing was sent.`,
);

/** Binds a call to an account. What was approved for another one is requested again. */
function bindAccount(
  turn: Turn,
  { consent, ...call }: BatchCall,
  { account, argumentsHash, touches, approval }: Extract<AccountedCall, { kind: "account" }>,
  { ended, given }: { readonly ended: string | undefined; readonly given: unknown },
): void {
  const bound = { ...call, account, argumentsHash, touches };
  turn.ledger.push({ kind: "account", callId: call.id, account, argumentsHash });
  if (ended !== undefined) {
    const shown = { app: account.app, account: formatAccount(account) };
    turn.emit("connection.ready", { wait_id: ended, call_id: call.id, ...shown });
  }
  if (approval === null) return turn.replace(bound);
  markReplaced(turn, call.id);
  // The content of its files is read first, and approved with it.
  if (call.namesFiles === true || consent !== undefined)
    return turn.replace({ ...bound, consent: { ...approval, rounds: consent?.rounds ?? 0, approved: null } });
  requestApproval(turn, bound, { ...bound, arguments: given }, approval);
}

/** Marks the approvals that were decided for an earlier account. */
function markReplaced(turn: Turn, callId: string): void {
  const first = deriveWaitId("approval", callId);
  const settled = Object.entries(turn.state.settledWaits).map(([id, wait]) => {
    const isOfCall = id === first || id.startsWith(`${first}r`);
    return [id, isOfCall && wait.outcome === "answered" ? { ...wait, outcome: "replaced" as const } : wait] as const;
  });
  turn.set({ settledWaits: Object.fromEntries(settled) });
}

/** Takes back the attempt that sent nothing. One that only chose the account was not counted. */
function takeBackAttempt(turn: Turn, call: BatchCall): BatchCall {
  const attempts = countEarlierAttempts(call);
  if (call.attempts !== attempts) turn.ledger.push({ kind: "attempt", callId: call.id, attempts });
  const { sentAt, ...rest } = call;
  const sent = attempts === 0 || sentAt === undefined ? {} : { sentAt };
  return { ...rest, ...sent, attempts, mayRepeat: attempts > 0 };
}

/** Counts the attempts before the present one that may have happened. */
function countEarlierAttempts({ attempts, effect, accountRounds }: BatchCall): number {
  if (effect === "none") return 0;
  return accountRounds?.isDue === true ? attempts : Math.max(0, attempts - 1);
}

function toAsks(askFirst: string | undefined): Pick<AccountRounds, "askFirst"> {
  return askFirst === undefined ? {} : { askFirst };
}
