/** What one window changes is seen in the other windows of this browser, without a reload. */
import { gatherChanges } from "./gather-changes.ts";

/** One for this window, made when it is needed: what is sent by it reaches every other window, and not this one. */
let ownChannel: BroadcastChannel | null = null;

/** Says that something was changed; the message holds nothing, so that no window learns what it may not read. */
export function tellOfChange(): void {
  theChannel().postMessage(null);
}

/** Calls `read` after changes that other windows made, once for all of a moment. Gives what ends that. */
export function watchForChanges(read: () => Promise<void>): () => void {
  const leaving = new AbortController();
  const { signal } = leaving;
  theChannel().addEventListener("message", gatherChanges(read, signal), { signal });
  return () => leaving.abort();
}

function theChannel(): BroadcastChannel {
  ownChannel ??= new BroadcastChannel("otto changes");
  return ownChannel;
}
