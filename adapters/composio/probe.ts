/**
 * Looks a call whose reply was lost up in Composio's log of executions by the request ids of its attempts. Only an entry with
 * such an id, of this action and this account, decides: an equal call may be another one. An absent entry never decides,
 * because the log is written after the effect.
 */
import { z } from "zod";
import { ok, type Result } from "../../core/base/errors.ts";
import { getField } from "../../core/base/json-fields.ts";
import type { AppLookup, AppProbe } from "../../core/ports/apps.ts";
import { type CallOutcome, judgeResult } from "./outcome.ts";
import { failUnreadable, toReadFailure } from "./read-failure.ts";
import { failRefused } from "./refusal.ts";
import { type ComposioAccess, sendToComposio } from "./request.ts";

const TIMEOUT_MS = 5_000;
const MAX_LIST_BYTES = 1_048_576;
const MAX_ENTRY_BYTES = 8_388_608;
/** The clocks of Otto and of Composio may differ. */
const CLOCK_MARGIN_MS = 2_000;
/** Entries of one request id that are read. Each send after the first follows a refusal that the log may have. */
const MAX_ENTRIES = 10;

interface LogEntry {
  readonly id: string;
  readonly status: "success" | "failed";
  /** Null for an entry without its reply. */
  readonly outcome: CallOutcome | null;
}

const listSchema = z.object({ logs: z.array(z.object({ id: z.string().min(1).max(200) })) });
const entrySchema = z.object({
  id: z.string(),
  status: z.enum(["success", "failed"]),
  data: z.record(z.string(), z.unknown()).nullish(),
});

const cannotTell = (why: string, isEarly = false): AppProbe => ({ kind: "cannot_tell", why, isEarly });

export async function probeCall(access: ComposioAccess, lookup: AppLookup): Promise<Result<AppProbe>> {
  for (const [before, requestId] of lookup.requestIds.entries()) {
    const entries = await readEntries(access, lookup, requestId);
    if (!entries.ok) return entries;
    if (entries.value.length === 0) continue;
    const judged = judgeEntries(lookup, entries.value);
    // A later attempt may have been sent after this one was refused, and its entry is not there.
    return ok(judged.kind === "not_happened" && before > 0 ? NO_LATEST : judged);
  }
  return ok(NO_ENTRY);
}

const NO_ENTRY = cannotTell("Composio's log has no entry of this call.", true);
const NO_LATEST = cannotTell("Composio's log has no entry of the latest attempt.", true);

/** The entries of one attempt. */
async function readEntries(
  access: ComposioAccess,
  lookup: AppLookup,
  requestId: string,
): Promise<Result<readonly LogEntry[]>> {
  const ids = await findEntries(access, lookup, requestId);
  if (!ids.ok) return ids;
  const entries: LogEntry[] = [];
  for (const id of ids.value) {
    const entry = await readEntry(access, lookup, id);
    if (!entry.ok) return entry;
    entries.push(entry.value);
  }
  return ok(entries);
}

async function findEntries(
  access: ComposioAccess,
  { action, account, since, signal }: AppLookup,
  requestId: string,
): Promise<Result<readonly string[]>> {
  const named = {
    request_id: requestId,
    tool_slug: action,
    ...(account === null ? {} : { connected_account_id: account.providerId, user_id: account.entity }),
  };
  const reply = await sendToComposio(access, {
    kind: "call",
    method: "POST",
    path: "/logs/tool_execution",
    body: {
      limit: MAX_ENTRIES,
      time_range: { from: since - CLOCK_MARGIN_MS, to: access.now() + CLOCK_MARGIN_MS },
      filters: Object.entries(named).map(([field, value]) => ({ field, operator: "==", value })),
    },
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_LIST_BYTES,
    signal,
  });
  if (reply.kind !== "reply" || reply.status !== 200) return toReadFailure(reply, "The log of executions");
  const parsed = listSchema.safeParse(reply.body);
  return parsed.success ? ok(parsed.data.logs.map(({ id }) => id)) : failUnreadable();
}

async function readEntry(access: ComposioAccess, { signal }: AppLookup, id: string): Promise<Result<LogEntry>> {
  const reply = await sendToComposio(access, {
    kind: "call",
    method: "GET",
    path: `/logs/tool_execution/${encodeURIComponent(id)}`,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_ENTRY_BYTES,
    signal,
  });
  if (reply.kind !== "reply" || reply.status !== 200) return toReadFailure(reply, "This entry of the log");
  const parsed = entrySchema.safeParse(reply.body);
  if (!parsed.success) return failUnreadable();
  const { data, ...entry } = parsed.data;
  const response = getField(data, "response");
  return ok({ ...entry, outcome: response === undefined || response === null ? null : judgeResult(response) });
}

/** Judges the entries of one attempt. The app's 429 is followed by another send of the same attempt, so it decides nothing. */
function judgeEntries(lookup: AppLookup, entries: readonly LogEntry[]): AppProbe {
  const deciding = entries.filter(({ outcome }) => outcome?.kind !== "limited");
  const [only] = deciding;
  if (only === undefined) return NO_LATEST;
  return deciding.length > 1 ? SEVERAL : judgeEntry(lookup, only);
}

const SEVERAL = cannotTell("Composio's log has several entries of this call.");

/** A failed entry says that nothing happened only if the app refused it. */
function judgeEntry(lookup: AppLookup, { id, status, outcome }: LogEntry): AppProbe {
  if (outcome === null) return cannotTell("Composio's log has the call without its reply.");
  if (status === "success" && outcome.kind === "done")
    return { kind: "happened", reply: { data: outcome.reply.data, logId: id } };
  if (status === "failed" && outcome.kind === "refused")
    return { kind: "not_happened", failure: failRefused(lookup, outcome).error };
  return cannotTell("Composio's log does not say whether the app carried the call out.");
}
