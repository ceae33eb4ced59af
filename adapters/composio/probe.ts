/**
 * Looks a call whose reply was lost up in Composio's log of executions: by its request id, else by tool, account and time,
 * compared by the hash of its arguments. Only exactly one entry decides. An absent entry never does: the log is written
 * after the effect, so a second send could repeat it.
 */
import { z } from "zod";
import { ok, type Result } from "../../core/base/errors.ts";
import { toCanonicalJson } from "../../core/base/canonical-json.ts";
import { getField } from "../../core/base/json-fields.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import type { AppCall, AppProbe } from "../../core/ports/apps.ts";
import { judgeResult } from "./outcome.ts";
import { failUnreadable, toReadFailure } from "./read-failure.ts";
import { type ComposioAccess, sendToComposio } from "./request.ts";

const TIMEOUT_MS = 5_000;
const MAX_LIST_BYTES = 1_048_576;
const MAX_ENTRY_BYTES = 8_388_608;
/** The clocks of Otto and of Composio may differ. */
const CLOCK_MARGIN_MS = 2_000;
/** Entries that are compared. With more, the call cannot be told from others. */
const MAX_ENTRIES = 10;

interface Filter {
  readonly field: "request_id" | "tool_slug" | "connected_account_id" | "user_id";
  readonly value: string;
}

interface LogEntry {
  readonly id: string;
  readonly status: "success" | "failed";
  readonly request: unknown;
  readonly response: unknown;
}

const listSchema = z.object({ logs: z.array(z.object({ id: z.string().min(1).max(200) })) });
const entrySchema = z.object({
  id: z.string(),
  status: z.enum(["success", "failed"]),
  data: z.record(z.string(), z.unknown()).nullish(),
});

const cannotTell = (why: string): Result<AppProbe> => ok({ kind: "cannot_tell", why });

export async function probeCall(
  access: ComposioAccess,
  call: AppCall,
  since: number,
  claimed: ReadonlySet<string>,
): Promise<Result<AppProbe>> {
  const byRequest = await findEntries(access, since, [{ field: "request_id", value: call.requestId }]);
  if (!byRequest.ok) return byRequest;
  const isNamed = byRequest.value.length > 0;
  const listed = isNamed ? byRequest : await findEntries(access, since, toFilters(call));
  if (!listed.ok) return listed;
  const open = listed.value.filter((id) => !claimed.has(id));
  if (open.length === 0) return cannotTell("Composio's log has no entry of this call.");
  if (listed.value.length > MAX_ENTRIES)
    return cannotTell("Composio's log has too many calls of this action to compare.");
  const hash = isNamed ? null : await hashArguments(call.arguments);
  const matching: LogEntry[] = [];
  for (const id of open) {
    const entry = await readEntry(access, id);
    if (!entry.ok) return entry;
    if (hash === null || (await findHash(entry.value)) === hash) matching.push(entry.value);
  }
  const [only] = matching;
  if (only === undefined) return cannotTell("Composio's log has no entry with these arguments.");
  return matching.length > 1 ? cannotTell("Composio's log has several entries of this call.") : ok(judgeEntry(only));
}

function toFilters({ action, account }: AppCall): Filter[] {
  const ofTool: Filter = { field: "tool_slug", value: action };
  if (account === null) return [ofTool];
  return [
    ofTool,
    { field: "connected_account_id", value: account.providerId },
    { field: "user_id", value: account.entity },
  ];
}

/** The ids of at most `MAX_ENTRIES` + 1 entries. */
async function findEntries(
  access: ComposioAccess,
  since: number,
  filters: readonly Filter[],
): Promise<Result<readonly string[]>> {
  const reply = await sendToComposio(access, {
    kind: "call",
    method: "POST",
    path: "/logs/tool_execution",
    body: {
      limit: MAX_ENTRIES + 1,
      time_range: { from: since - CLOCK_MARGIN_MS, to: access.now() + CLOCK_MARGIN_MS },
      filters: filters.map((filter) => ({ ...filter, operator: "==" })),
    },
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_LIST_BYTES,
  });
  if (reply.kind !== "reply" || reply.status !== 200) return toReadFailure(reply, "The log of executions");
  const parsed = listSchema.safeParse(reply.body);
  return parsed.success ? ok(parsed.data.logs.map(({ id }) => id)) : failUnreadable();
}

async function readEntry(access: ComposioAccess, id: string): Promise<Result<LogEntry>> {
  const reply = await sendToComposio(access, {
    kind: "call",
    method: "GET",
    path: `/logs/tool_execution/${encodeURIComponent(id)}`,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_ENTRY_BYTES,
  });
  if (reply.kind !== "reply" || reply.status !== 200) return toReadFailure(reply, "This entry of the log");
  const parsed = entrySchema.safeParse(reply.body);
  if (!parsed.success) return failUnreadable();
  const { data, ...entry } = parsed.data;
  return ok({ ...entry, request: getField(data, "request"), response: getField(data, "response") });
}

/** A failed entry says that nothing happened only if the app refused it. */
function judgeEntry({ id, status, response }: LogEntry): AppProbe {
  if (response === undefined || response === null)
    return { kind: "cannot_tell", why: "Composio's log has the call without its reply." };
  const outcome = judgeResult(response);
  if (status === "success" && outcome.kind === "done")
    return { kind: "happened", reply: { data: outcome.reply.data, logId: id } };
  if (status === "failed" && outcome.kind === "refused") {
    const why = `The app refused the call (HTTP ${outcome.status})${outcome.text === "" ? "." : `: ${outcome.text}`}`;
    return { kind: "not_happened", why };
  }
  return { kind: "cannot_tell", why: "Composio's log does not say whether the app carried the call out." };
}

/** Null for an entry without its arguments. */
async function findHash({ request }: LogEntry): Promise<string | null> {
  const given = getField(request, "arguments");
  return typeof given === "object" && given !== null ? await hashArguments(given) : null;
}

async function hashArguments(given: object): Promise<string> {
  return await sha256Hex(toCanonicalJson(given));
}
