/** The ids and the name of a request. A repeat under the same key gets the same ones. */
import { seededIds } from "../../core/base/seeded-ids.ts";
import type { AppContext } from "./context.ts";

/** Returns the name by which a task's object recognizes a repeat; null without an `Idempotency-Key`. */
export function getRequestName(c: AppContext): string | null {
  return c.get("idempotency")?.seed ?? null;
}

/** `purpose` separates the resources that one request creates. */
export async function getIdSource(c: AppContext, purpose: string): Promise<{ createdAt: number; random: Uint8Array }> {
  const start = c.get("idempotency");
  if (start === null) return { createdAt: Date.now(), random: crypto.getRandomValues(new Uint8Array(32)) };
  return await seededIds(purpose, start.seed, start.startedAt);
}
