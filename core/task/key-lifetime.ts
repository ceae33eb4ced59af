/**
 * The age of a keyed call's key, stored in the task's batch for its recovery. The state holds it because the ledger's table
 * of an older task gets no column.
 */
import type { CallToMake } from "./decision.ts";
import type { BatchCall } from "./state.ts";
import type { EffectTerms } from "../tool/tool.ts";
import { chooseRecovery, OWN_KEYED_FOR_MS, RESEND_KEYED_FOR_MS } from "../gateway/outcome.ts";
import { DEFAULT_KEYED_FOR_MS } from "../web/idempotent-hosts.ts";

/** Picks how the effect of a call may be repeated. */
export function pickTerms({ effect, keyedForMs, canProbe }: EffectTerms): EffectTerms {
  return {
    effect,
    ...(keyedForMs === undefined ? {} : { keyedForMs }),
    ...(canProbe === undefined ? {} : { canProbe }),
  };
}

/**
 * Sets `sentAt` (ms since the epoch) for the attempt that begins now: `now` for a first attempt, and for a retry that a
 * person requested after the receiver forgot the key; otherwise it stays. `call` is the state before this attempt.
 */
export function markSent(call: BatchCall, now: number): Pick<BatchCall, "sentAt"> {
  const isNew = call.attempts === 0 || (call.mayRepeat && chooseRecovery(call, now) !== "run");
  return call.effect === "keyed" && isNew ? { sentAt: now } : {};
}

/** The facts from which the step runner judges whether it may repeat a keyed call. */
export function toKeyFacts(call: BatchCall): Pick<CallToMake, "sentAt" | "keyedForMs" | "canProbe"> {
  if (call.effect !== "keyed") return {};
  const { effect: _, ...known } = pickTerms(call);
  return call.sentAt === undefined ? known : { ...known, sentAt: call.sentAt };
}

/** The tools of version 5 with a keyed effect inside Otto. */
const OWN_TOOLS: ReadonlySet<string> = new Set([
  "convert_markdown_to_docx",
  "convert_markdown_to_pptx",
  "create_directory",
  "create_docx",
  "create_pdf",
  "create_pptx",
  "create_xlsx",
  "delete_file",
  "fs.write",
  "memory_save",
  "read_document",
  "set_reminder",
  "write_file",
]);

/**
 * Version 5 knew no lifetimes of keys. The key of a call that was attempted is as old as its row at most: an approval may
 * have come between the two, so it can be younger, and is then given up too early rather than used too late.
 */
export function addKeyLifetime(call: BatchCall, intendedAt: (callId: string) => number | null): BatchCall {
  if (call.effect !== "keyed") return call;
  const keyedForMs = OWN_TOOLS.has(call.tool)
    ? OWN_KEYED_FOR_MS
    : call.tool === "send_email"
      ? RESEND_KEYED_FOR_MS
      : DEFAULT_KEYED_FOR_MS;
  const sentAt = call.attempts === 0 ? null : intendedAt(call.id);
  return { ...call, keyedForMs, ...(sentAt === null ? {} : { sentAt }) };
}
