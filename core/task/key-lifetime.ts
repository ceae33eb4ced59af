/**
 * The age of a keyed call's key, stored in the task's batch for recovery. It is part of the state because the ledger
 * table of an older task has no column for it.
 */
import type { CallToMake } from "./decision.ts";
import type { BatchCall } from "./state.ts";
import type { EffectTerms } from "../tool/tool.ts";
import { chooseRecovery, OWN_KEYED_FOR_MS, RESEND_KEYED_FOR_MS } from "../gateway/outcome.ts";
import { DEFAULT_KEYED_FOR_MS } from "../web/idempotent-hosts.ts";

/** Picks the fields that say how an effect may be repeated. */
export function pickTerms({ effect, keyedForMs, canProbe }: EffectTerms): EffectTerms {
  return {
    effect,
    ...(keyedForMs === undefined ? {} : { keyedForMs }),
    ...(canProbe === undefined ? {} : { canProbe }),
  };
}

/**
 * Sets `sentAt` (ms since the epoch) for an attempt that begins now: `now` for a first attempt, and for a person's
 * retry after the key expired; otherwise unchanged. `call` is the state before this attempt.
 */
export function markSent(call: BatchCall, now: number): Pick<BatchCall, "sentAt"> {
  const isNew = call.attempts === 0 || (call.mayRepeat && chooseRecovery(call, now) !== "run");
  return call.effect === "keyed" && isNew ? { sentAt: now } : {};
}

/** Returns the facts by which the step runner decides whether to repeat a keyed call. */
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
 * Adds the key lifetime that version 5 did not store. An attempted call's key is at most as old as its row. After an
 * approval it may be younger, so it is given up early rather than used too late.
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
