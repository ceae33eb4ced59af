/** Classifies why a converter's process ended before it answered, and builds the failure of its document. */
import { failed, type Result } from "../../core/base/errors.ts";
import type { CagedEnd } from "../cage/cage.ts";
import { NOT_MEASURED } from "../cage/watch.ts";

export type Death =
  /** Another process of the machine or its kernel ended it, which says nothing about the document. */
  | { readonly cause: "outside" }
  /** It exceeded a limit. `limit` is a phrase such as "200 MB of memory". */
  | { readonly cause: "limit"; readonly limit: string }
  /** The document crashed it. */
  | { readonly cause: "crash" };

/** Why this side stops an idle converter. It is not a limit of a document. */
export const NO_LONGER_NEEDED = "It is no longer needed.";
const RETRY_AFTER_MS = 1_000;
/** Matches out-of-memory messages of V8, Node, C++, Rust, WebAssembly and the Haskell runtime, which exits with 251 when its heap is exhausted. */
const OUT_OF_MEMORY =
  /out of memory|memory_allocation_failed|failed to allocate|heap limit|heap exhausted|heap overflow|allocation failed|memory allocation of \d|bad_alloc|(?:could not|cannot) allocate|exit code 251/i;

/** The cause of a document that exceeds its engine's memory, in 1,000,000 bytes. */
export function makeMemoryLimit(memoryMb: number): Death {
  return { cause: "limit", limit: `${memoryMb} MB of memory` };
}

/**
 * Whether to retry the document in another process: yes if something outside ended the process, or if it served other documents before
 * and may have died of those.
 */
export function isWorthRetry(death: Death, hadServed: boolean): boolean {
  return death.cause === "outside" || hadServed;
}

/** Whether a program's last output says that its memory was exhausted. */
export function isOutOfMemory(words: string): boolean {
  return OUT_OF_MEMORY.test(words);
}

/** `words` is the end of its standard error. `memoryMb` is its memory limit. */
export function classifyDeath({ endedFromOutside, killed }: CagedEnd, words: string, memoryMb: number): Death {
  if (endedFromOutside || killed === NO_LONGER_NEEDED || killed === NOT_MEASURED) return { cause: "outside" };
  if (killed !== null)
    return /memory/.test(killed) ? makeMemoryLimit(memoryMb) : { cause: "limit", limit: lowerFirstLetter(killed) };
  return isOutOfMemory(words) ? makeMemoryLimit(memoryMb) : { cause: "crash" };
}

function lowerFirstLetter(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1).replace(/\.$/, "");
}

/** A process that something outside ended was retried before this. */
export function failDocument(death: Death, doing: "read" | "made"): Result<never> {
  switch (death.cause) {
    case "outside":
      return failed("upstream_failed", `Something outside ended the process twice before the document was ${doing}.`, {
        retryAfterMs: RETRY_AFTER_MS,
      });
    case "limit":
      return failed("too_large", describeLimit(death.limit));
    case "crash":
      return failed("invalid_input", `The document crashed the converter: it is damaged, or cannot be ${doing}.`);
  }
}

/** The message for a document that exceeds a limit. */
function describeLimit(limit: string): string {
  return `The document needs more than a converter may use (${limit}). Try a smaller part of it.`;
}
