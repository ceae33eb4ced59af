/** Why a converter's process ended before it answered, and what its document is told. */
import { failed, type Result } from "../../core/errors.ts";
import type { CagedEnd } from "../cage/cage.ts";

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

/** Whether a program's last words say that its memory was used up. */
export function isOutOfMemory(words: string): boolean {
  return OUT_OF_MEMORY.test(words);
}

/** `words`: what it wrote to its standard error at the end. `memoryMb`: what it may use. */
export function judgeDeath({ endedFromOutside, killed }: CagedEnd, words: string, memoryMb: number): Death {
  const limit = `${memoryMb} MB of memory`;
  if (endedFromOutside || killed === NOT_NEEDED) return { cause: "outside" };
  if (killed !== null) return { cause: "limit", limit: /memory/.test(killed) ? limit : lowerFirst(killed) };
  return isOutOfMemory(words) ? { cause: "limit", limit } : { cause: "crash" };
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

/** What a document is told that exceeds a limit. */
export function tooLarge(limit: string): string {
  return `The document needs more than a converter may use (${limit}). Try a smaller part of it.`;
}
