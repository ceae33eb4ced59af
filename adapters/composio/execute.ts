/**
 * Carries out one action: one request, always with the version and the account, because Composio's defaults for both are
 * others than those that were approved.
 */
import { ANSWERED, asMaybeSent, type Failed, maybeSent, notSent, ok, type Result } from "../../core/base/errors.ts";
import type { AppCall, AppReply } from "../../core/ports/apps.ts";
import { readAccount } from "./accounts.ts";
import { hideAccount } from "./hide-account.ts";
import { type CallOutcome, judgeReply } from "./outcome.ts";
import { failRefused } from "./refusal.ts";
import { failKey, failRateLimited, failUnsent, toReadFailure } from "./read-failure.ts";
import { type ComposioAccess, sendToComposio } from "./request.ts";

/** Of a result. What is larger is lost, and the log says what happened. */
const MAX_REPLY_BYTES = 8_388_608;
const DEFAULT_RETRY_AFTER_MS = 5_000;
/** Refusals for which the account may be the reason. */
const OF_ACCOUNTS: ReadonlySet<number> = new Set([400, 401, 403, 404, 410]);

export async function executeAction(access: ComposioAccess, call: AppCall): Promise<Result<AppReply>> {
  const { account } = call;
  const reply = await sendToComposio(access, {
    kind: "call",
    method: "POST",
    path: `/tools/execute/${encodeURIComponent(call.action)}`,
    headers: { "x-request-id": call.requestId, "idempotency-key": call.key },
    body: {
      version: call.version,
      arguments: call.arguments,
      ...(account === null ? {} : { connected_account_id: account.providerId, user_id: account.entity }),
    },
    timeoutMs: call.timeoutMs,
    maxBytes: MAX_REPLY_BYTES,
    signal: call.signal,
  });
  if (reply.kind === "unsent") return failUnsent(reply.waitMs);
  if (reply.kind === "lost") return asMaybeSent(toReadFailure(reply, call.action).error);
  return await toResult(access, call, judgeReply(reply));
}

async function toResult(access: ComposioAccess, call: AppCall, outcome: CallOutcome): Promise<Result<AppReply>> {
  switch (outcome.kind) {
    case "done":
      return ok(outcome.reply);
    case "limited":
      if (outcome.by === "composio") return failRateLimited(outcome.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS);
      return notSent("rate_limited", `${call.app} accepts no more requests at present. Try again later.`, {
        retryAfterMs: DEFAULT_RETRY_AFTER_MS,
        cause: ANSWERED,
        details: { service: call.app, status: 429 },
      });
    case "refused":
      if (outcome.by === "composio" && outcome.status === 401) return failKey(outcome.status, access.keyOf);
      return (await findEnded(access, call, outcome.status)) ?? failRefused(call, outcome);
    case "lost":
      return maybeSent(
        "upstream_failed",
        `It is unknown whether ${call.action} was carried out: ${hideAccount(outcome.why, call.account)}. Look in ${call.app} before you repeat it.`,
        {
          details: { service: call.app },
        },
      );
  }
}

/** The failure of a refused call whose account has ended; null if it is active, or cannot be read. */
async function findEnded(access: ComposioAccess, { account, app }: AppCall, status: number): Promise<Failed | null> {
  if (account === null || !OF_ACCOUNTS.has(status)) return null;
  const read = await readAccount(access, account.providerId);
  const isEnded = read.ok
    ? read.value.status !== "active" && read.value.status !== "pending"
    : read.error.code === "not_found";
  if (!isEnded) return null;
  const message = `The account of ${app} is no longer connected. Its owner has to connect it again.`;
  return notSent("permission_denied", message, { cause: { kind: "connection_ended", connection: account.connection } });
}
