/** Stores a consent whose answer may be lost: the database may have stored it before it went away. */
import { computeBackoffMs } from "../../core/base/backoff.ts";
import { sleep, type Timer } from "../../core/base/deadline.ts";
import type { Result } from "../../core/base/errors.ts";
import type { Connection } from "../../core/connections/connection.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import type { ConnectionTable, GivenConsent } from "../../core/ports/connection-table.ts";

/** Together some seconds: a database that was restarted answers again. */
const READS = 4;
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 2_000;

/** A consent to store. */
export interface ConsentToStore {
  readonly id: string;
  readonly consent: GivenConsent;
  readonly act: AuditEntry;
}

/**
 * Stores the consent. Without an answer, reads whether it was stored, so that its tokens are not revoked under a connection
 * that has them. A failure means that it was not stored, or that nobody can say.
 */
export async function storeConsent(
  table: Pick<ConnectionTable, "complete" | "tokens" | "find">,
  { id, consent, act }: ConsentToStore,
  timer: Timer,
): Promise<Result<Connection>> {
  const stored = await table.complete(id, consent, act);
  if (stored.ok || stored.error.code !== "upstream_failed") return stored;
  const wanted = JSON.stringify(consent.tokens);
  for (let read = 1; read <= READS; read += 1) {
    const current = await table.tokens(id);
    if (current.ok && JSON.stringify(current.value.tokens) === wanted) return await table.find(id);
    if (current.ok || current.error.code !== "upstream_failed") return stored;
    await sleep(timer, computeBackoffMs(read, LONGEST_DELAY_MS, FIRST_DELAY_MS));
  }
  return stored;
}
