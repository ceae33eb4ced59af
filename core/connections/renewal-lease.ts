/**
 * The lease under which one caller renews tokens, for connections and for the grants of MCP servers. Refresh tokens rotate,
 * and a server may end the grant when one is used twice: so the others wait for what the holder stores.
 */
import { computeBackoffMs } from "../base/backoff.ts";
import { sleep, type Timer } from "../base/deadline.ts";

/** Longer than a renewal takes, so that its result is stored under the lease. */
export const LEASE_MS = 20_000;
/** How long others wait for the holder. */
export const HOLDER_WAIT_MS = 10_000;
const FIRST_POLL_MS = 100;
const LONGEST_POLL_MS = 1_000;

/** Reads what the holder stored until `read` finds it. Null if it stored nothing in time. */
export async function awaitHolder<Found>(
  read: () => Promise<Found | null>,
  { timer, now }: { readonly timer: Timer; readonly now: () => number },
): Promise<Found | null> {
  const until = now() + HOLDER_WAIT_MS;
  for (let poll = 1; now() < until; poll += 1) {
    await sleep(timer, computeBackoffMs(poll, LONGEST_POLL_MS, FIRST_POLL_MS));
    const found = await read();
    if (found !== null) return found;
  }
  return null;
}
