/**
 * What a task's batch stores of a keyed call, so that its recovery knows how old its key is. The state holds it because the
 * ledger's table of an older task gets no column.
 */
import type { CallToMake } from "../task-commands.ts";
import type { BatchCall } from "../task-state.ts";
import type { EffectTerms } from "../tool.ts";
import { chooseRecovery, DEFAULT_KEYED_FOR_MS, OWN_KEYED_FOR_MS, RESEND_KEYED_FOR_MS } from "./outcome.ts";

/** How a call's effect may be repeated, and nothing else of it. */
export function pickTerms({ effect, keyedForMs, canProbe }: EffectTerms): EffectTerms {
  return {
    effect,
    ...(keyedForMs === undefined ? {} : { keyedForMs }),
    ...(canProbe === undefined ? {} : { canProbe }),
  };
}

/**
 * When the key of the attempt that begins now was first sent: with an earlier attempt, or now, if this is the first one, or
 * a person asked for it after the receiver forgot the key. `call` is as it was before this attempt.
 */
export function markSent(call: BatchCall, now: number): Pick<BatchCall, "sentAt"> {
  const isNew = call.attempts === 0 || (call.mayRepeat && chooseRecovery(call, now) !== "run");
  return call.effect === "keyed" && isNew ? { sentAt: now } : {};
}

/** What the step runner needs of a keyed call to judge whether it may repeat it. */
export function toKeyFacts(call: BatchCall): Pick<CallToMake, "sentAt" | "keyedForMs" | "canProbe"> {
  if (call.effect !== "keyed") return {};
  const { effect: _, ...known } = pickTerms(call);
  return call.sentAt === undefined ? known : { ...known, sentAt: call.sentAt };
}

/** What version 5 knew of a tool whose keyed effect is Otto's own. */
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
