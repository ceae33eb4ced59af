/**
 * Who may begin: so many at once, the others wait. Tenants take turns, the one that has the least under way first, and
 * none has every place, so that one that sends many jobs does not hold up another's.
 */
import { FairQueue } from "../../core/tenant/fair-queue.ts";

/** Jobs of one kind in line, of all tenants and of one. */
const MAX_WAITING = 64;
const MAX_WAITING_EACH = 16;
/** Who waited for so long is turned away: it is better to hear that everything is taken than to hear nothing. */
const MAX_WAIT_MS = 30_000;

/** A place to begin at, to be left when the job is over; or why there is none. */
export type Entry =
  | { readonly ok: true; readonly leave: () => void }
  | { readonly ok: false; readonly message: string };

export interface WaitingRoom {
  /** Gives a place as soon as one is free; `signal`: whoever waits went away. */
  enter(tenant: string, signal: AbortSignal): Promise<Entry>;
}

/** `atOnce` places. */
export function makeWaitingRoom(atOnce: number, maxWaitMs = MAX_WAIT_MS): WaitingRoom {
  const most = Math.max(1, atOnce - 1);
  const queue = new FairQueue();
  const called = new Map<string, (entry: Entry) => void>();
  const underWay = new Map<string, number>();
  let tickets = 0;
  let taken = 0;

  function leaveOf(tenant: string): () => void {
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      taken -= 1;
      const left = (underWay.get(tenant) ?? 1) - 1;
      if (left > 0) underWay.set(tenant, left);
      else underWay.delete(tenant);
      callNext();
    };
  }

  function callNext(): void {
    while (taken < atOnce) {
      const waits = [...queue.waitingKeys()].some((tenant) => (underWay.get(tenant) ?? 0) < most);
      const next = waits ? queue.next((tenant) => underWay.get(tenant) ?? 0) : null;
      if (next === null) return;
      taken += 1;
      underWay.set(next.key, (underWay.get(next.key) ?? 0) + 1);
      called.get(next.task)?.({ ok: true, leave: leaveOf(next.key) });
    }
  }

  function whyFull(tenant: string): string | null {
    const own = queue.countWaiting(tenant);
    if (own >= MAX_WAITING_EACH) return `${own} jobs of this tenant are in line already.`;
    return queue.size >= MAX_WAITING ? `${queue.size} jobs are in line already.` : null;
  }

  return {
    async enter(tenant, signal) {
      if (signal.aborted) return { ok: false, message: "Whoever waited went away." };
      const full = whyFull(tenant);
      if (full !== null) return { ok: false, message: full };
      const ticket = String((tickets += 1));
      const { promise, resolve } = Promise.withResolvers<Entry>();
      const giveUp = (message: string) => () => {
        queue.remove(ticket);
        resolve({ ok: false, message });
      };
      const onGone = giveUp("Whoever waited went away.");
      const late = setTimeout(giveUp(`No place was free within ${maxWaitMs / 1_000} s.`), maxWaitMs);
      signal.addEventListener("abort", onGone, { once: true });
      called.set(ticket, resolve);
      queue.add(ticket, tenant);
      callNext();
      try {
        return await promise;
      } finally {
        clearTimeout(late);
        signal.removeEventListener("abort", onGone);
        called.delete(ticket);
      }
    },
  };
}
