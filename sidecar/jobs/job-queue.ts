/**
 * Queues jobs for a number of slots. Tenants take turns, the one with the fewest running jobs first, and no tenant can take every slot,
 * so that one with many jobs does not delay the others.
 */
import { FairQueue } from "../../core/tenant/fair-queue.ts";

/** Queued jobs of one kind, of all tenants and of one. */
const MAX_WAITING = 64;
const MAX_WAITING_PER_TENANT = 16;
/** A job that waits longer is refused, since a caller can act on a refusal. */
const MAX_WAIT_MS = 30_000;

/** A slot, which the job must release at its end, or the reason of a refusal. */
export type Admission =
  | { readonly ok: true; readonly release: () => void }
  | { readonly ok: false; readonly message: string };

export interface JobQueue {
  /** Waits for a free slot. `signal` aborts when the caller disconnects. */
  admit(tenant: string, signal: AbortSignal): Promise<Admission>;
}

/** Creates a queue for this many slots. */
export function makeJobQueue(slots: number, maxWaitMs = MAX_WAIT_MS): JobQueue {
  const maxPerTenant = Math.max(1, slots - 1);
  const queue = new FairQueue();
  const waiting = new Map<string, (entry: Admission) => void>();
  const running = new Map<string, number>();
  let tickets = 0;
  let usedSlots = 0;

  function makeRelease(tenant: string): () => void {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      usedSlots -= 1;
      const remaining = (running.get(tenant) ?? 1) - 1;
      if (remaining > 0) running.set(tenant, remaining);
      else running.delete(tenant);
      admitNext();
    };
  }

  function admitNext(): void {
    while (usedSlots < slots) {
      const hasEligible = [...queue.waitingKeys()].some((tenant) => (running.get(tenant) ?? 0) < maxPerTenant);
      const next = hasEligible ? queue.next((tenant) => running.get(tenant) ?? 0) : null;
      if (next === null) return;
      usedSlots += 1;
      running.set(next.key, (running.get(next.key) ?? 0) + 1);
      waiting.get(next.task)?.({ ok: true, release: makeRelease(next.key) });
    }
  }

  function checkQueueLimits(tenant: string): string | null {
    const own = queue.countWaiting(tenant);
    if (own >= MAX_WAITING_PER_TENANT) return `${own} jobs of this tenant are queued already.`;
    return queue.size >= MAX_WAITING ? `${queue.size} jobs are queued already.` : null;
  }

  return {
    async admit(tenant, signal) {
      if (signal.aborted) return { ok: false, message: "The caller disconnected." };
      const full = checkQueueLimits(tenant);
      if (full !== null) return { ok: false, message: full };
      const ticket = String((tickets += 1));
      const { promise, resolve } = Promise.withResolvers<Admission>();
      const giveUp = (message: string) => () => {
        queue.remove(ticket);
        resolve({ ok: false, message });
      };
      const onDisconnect = giveUp("The caller disconnected.");
      const timer = setTimeout(giveUp(`No slot was free within ${maxWaitMs / 1_000} s.`), maxWaitMs);
      signal.addEventListener("abort", onDisconnect, { once: true });
      waiting.set(ticket, resolve);
      queue.add(ticket, tenant);
      admitNext();
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", onDisconnect);
        waiting.delete(ticket);
      }
    },
  };
}
