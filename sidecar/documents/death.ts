/** Why a converter's process ended before it answered, and the failure of its document. */
import { failed, type Result } from "../../core/base/errors.ts";
import type { CagedEnd } from "../cage/cage.ts";
import { NOT_LOOKED_AT } from "../cage/watch.ts";

export type Death =
  /** Another process of the machine, or its kernel, ended it: that says nothing of the document. */
  | { readonly cause: "outside" }
  /** A limit of its own ended it: `limit`, in words such as "200 MB of memory". */
  | { readonly cause: "limit"; readonly limit: string }
  /** It broke down over what it was given. */
  | { readonly cause: "crash" };

/** Why this side ends a converter; not the limit of any document. */
export const NOT_NEEDED = "It is not needed any more.";
const AGAIN_AFTER_MS = 1_000;
/** The words of V8, of Node, of C++, of Rust, of WebAssembly and of the Haskell runtime, whose exit code for an exhausted heap is 251. */
const OUT_OF_MEMORY =
  /out of memory|memory_allocation_failed|failed to allocate|heap limit|heap exhausted|heap overflow|allocation failed|memory allocation of \d|bad_alloc|(?:could not|cannot) allocate|exit code 251/i;

/** A document's end by the memory of its engine, in 1,000,000 bytes. */
export function memoryLimit(memoryMb: number): Death {
  return { cause: "limit", limit: `${memoryMb} MB of memory` };
}

/**
 * Whether the same document is worth a second process. Of one that served others before, nobody can tell whether it died of this
 * document or of what they left in it; and what something outside ends says nothing of any.
 */
export function isWorthAnother(death: Death, hadServed: boolean): boolean {
  return death.cause === "outside" || hadServed;
}

/** Whether a program's last words say that its memory was used up. */
export function isOutOfMemory(words: string): boolean {
  return OUT_OF_MEMORY.test(words);
}

/** `words`: what it wrote to its standard error at the end. `memoryMb`: what it may use. */
export function judgeDeath({ endedFromOutside, killed }: CagedEnd, words: string, memoryMb: number): Death {
  if (endedFromOutside || killed === NOT_NEEDED || killed === NOT_LOOKED_AT) return { cause: "outside" };
  if (killed !== null)
    return /memory/.test(killed) ? memoryLimit(memoryMb) : { cause: "limit", limit: lowerFirst(killed) };
  return isOutOfMemory(words) ? memoryLimit(memoryMb) : { cause: "crash" };
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1).replace(/\.$/, "");
}

/** `doing`: "read" or "made". A process that something outside ended was tried twice. */
export function failDocument(death: Death, doing: "read" | "made"): Result<never> {
  switch (death.cause) {
    case "outside":
      return failed("upstream_failed", `The process was ended from outside, twice, before the document was ${doing}.`, {
        retryAfterMs: AGAIN_AFTER_MS,
      });
    case "limit":
      return failed("too_large", tooLarge(death.limit));
    case "crash":
      return failed(
        "invalid_input",
        `The converter broke down on this document: it is damaged, or cannot be ${doing}.`,
      );
  }
}

/** The message of a document that exceeds a limit. */
function tooLarge(limit: string): string {
  return `The document needs more than a converter may use (${limit}). Try a smaller part of it.`;
}
