/** Calls in plain words. */
import type { LedgerRow } from "../../../api/types.generated.ts";
import { oneLine, visibleText } from "../../../ui/visible-text.ts";
import type { CallItem, CallState, Effect } from "./timeline-items.ts";

export const EFFECT_WORDS: Readonly<Record<Effect, { readonly name: string; readonly means: string }>> = {
  none: { name: "Changes nothing", means: "After a crash it is simply made again." },
  keyed: {
    name: "Changes something, under a key",
    means: "After a crash it is sent again with the same key, and the receiver does it once.",
  },
  probe: {
    name: "Changes something that can be looked up",
    means: "After a crash Otto looks first whether it happened.",
  },
  once: {
    name: "Changes something that cannot be looked up",
    means: "After a crash it is never repeated blindly: it may have happened.",
  },
};

export const STATE_WORDS: Readonly<Record<CallState, string>> = {
  intended: "Under way",
  confirmed: "Done",
  failed: "Failed",
  unknown: "Outcome unknown",
  refused: "Refused",
};

/** Where the text of a result came from. */
export const LABEL_WORDS: Readonly<Record<NonNullable<LedgerRow["label"]>, string>> = {
  operator: "The agent's instructions",
  principal: "The task itself",
  person: "A person who answered",
  tenant: "Your memories and files. The agent takes no instructions from it.",
  outside: "From outside. The agent takes no instructions from it.",
};

/** Characters of each argument, and of all, in the line of a call. */
const ONE = 60;
const ALL = 160;
/** A tool's name is a model's or another server's word, of any length. */
const NAME = 80;

export function toolName(tool: string): string {
  return tool === "" ? "a tool" : oneLine(tool, NAME);
}

/** The arguments as one line. */
export function shortArguments(given: unknown): string {
  if (typeof given !== "object" || given === null) return given === undefined ? "" : shortValue(given);
  const parts = Object.entries(given)
    .slice(0, 8)
    .map(([name, value]) => `${oneLine(name, ONE)}: ${shortValue(value)}`);
  return oneLine(parts.join(", "), ALL);
}

function shortValue(value: unknown): string {
  if (typeof value === "string") return oneLine(value, ONE);
  if (Array.isArray(value)) return value.length === 1 ? "1 entry" : `${value.length} entries`;
  if (typeof value === "object" && value !== null) return "{…}";
  return visibleText(String(value));
}

/** How long a call took, in milliseconds: by the ledger, or from its beginning to its end where that counts no time of its own. */
export function tookMs({ durationMs, at, endedAt }: CallItem): number | null {
  if (durationMs !== null && durationMs > 0) return durationMs;
  return at === null || endedAt === null ? durationMs : Math.max(0, Date.parse(endedAt) - Date.parse(at));
}

/** What a result says that is kept outside the log, because it is too large for a row: how many characters it has. */
export function keptOutside(result: unknown): number | null {
  if (typeof result !== "object" || result === null || !("characters" in result)) return null;
  return ("stored" in result || "cut" in result) && typeof result.characters === "number" ? result.characters : null;
}
