/** How the approval of a call is requested: for its arguments, its account, and the content of the files that it names. */
import { hashApproved, areSameFiles } from "../gateway/bind-files.ts";
import { deriveWaitId } from "../base/ids.ts";
import type { BoundFile } from "../sandbox/bind-copy.ts";
import { advance } from "./advance.ts";
import type { Command, PreparedCall } from "./commands.ts";
import type { BatchCall } from "./state.ts";
import type { Turn } from "./turn.ts";
import { formatFile, toAccountField } from "./view.ts";
import { toDecidesField } from "./waits.ts";

/** Requests a person's approval of exactly these arguments. */
export function requestApproval(
  turn: Turn,
  entry: BatchCall,
  { id, tool, arguments: given, argumentsHash }: Pick<PreparedCall, "id" | "tool" | "arguments" | "argumentsHash">,
  { reason, expiresInMs, owner }: NonNullable<PreparedCall["approval"]>,
  bound: readonly BoundFile[] = [],
): void {
  const expiresAt = turn.now + expiresInMs;
  const approvalId = deriveWaitId("approval", id, countRounds(entry));
  const about = { ...(bound.length === 0 ? {} : { files: bound }), ...(owner === undefined ? {} : { owner }) };
  turn.replace({ ...entry, wait: { kind: "approval", id: approvalId, reason, expiresAt, since: turn.now, ...about } });
  turn.emit("approval.requested", {
    step: turn.state.step,
    call_id: id,
    approval_id: approvalId,
    tool,
    arguments: given,
    arguments_hash: argumentsHash,
    approved_hash: hashApproved(argumentsHash, bound),
    reason,
    expires_at: new Date(expiresAt).toISOString(),
    ...toDecidesField(about),
    ...(bound.length === 0 ? {} : { files: bound.map(formatFile) }),
    ...toAccountField(entry),
  });
}

/** Counts why an approval may be requested again: other content of its files, another account. */
function countRounds({ consent, accountRounds }: BatchCall): number {
  return (consent?.rounds ?? 0) + (accountRounds?.rounds ?? 0);
}

/**
 * Requests the approval of a call with the known content of its files. Nothing was sent. After an approval of other content,
 * the reason names the file that changed.
 */
export function requestFileApproval(
  turn: Turn,
  call: BatchCall,
  { files, arguments: given }: Extract<Command, { type: "call_bound" }>,
): void {
  const { consent } = call;
  if (consent === undefined) return;
  const before = new Map(consent.approved?.map((file) => [file.path, file]));
  const changed = files.find((file) => !areSameFiles([before.get(file.path) ?? file], [file]));
  const reason = changed === undefined ? consent.reason : `${consent.reason} ${describeChange(changed)}`;
  const attempts = countEarlierAttempts(call);
  if (call.attempts !== attempts) turn.ledger.push({ kind: "attempt", callId: call.id, attempts });
  const uncounted = { ...call, attempts, mayRepeat: attempts > 0 };
  requestApproval(turn, uncounted, { ...call, arguments: given }, { ...consent, reason }, files);
  const requested = turn.state.batch.find(({ id }) => id === call.id);
  if (requested !== undefined)
    turn.replace({
      ...requested,
      consent: { ...consent, approved: null, rounds: consent.rounds + 1 },
      ...(call.uploads === undefined ? {} : { uploads: null }),
    });
  advance(turn);
}

/** Counts the attempts that may have happened. The attempt that only read the files does not count. */
function countEarlierAttempts({ attempts, effect, consent }: BatchCall): number {
  if (effect === "none") return 0;
  return consent?.approved === null ? attempts : Math.max(0, attempts - 1);
}

function describeChange({ path, fileCount }: BoundFile): string {
  if (fileCount === undefined) return `${path} changed after it was approved.`;
  return `${path === "./" ? "The files that it is given" : `Files in ${path}`} changed after they were approved.`;
}
