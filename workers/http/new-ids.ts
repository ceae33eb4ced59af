/** What a request makes its ids and its name of: the same ones when it is sent again under one key. */
import { seededIds } from "../../core/base/seeded-ids.ts";
import type { AppContext } from "./context.ts";

/** What the task's object knows this request by when it is sent again; null: it carries no `Idempotency-Key`. */
export function requestName(c: AppContext): string | null {
  return c.get("idempotency")?.seed ?? null;
}

/** `purpose` tells apart the things that one request makes. */
export async function idSource(c: AppContext, purpose: string): Promise<{ createdAt: number; random: Uint8Array }> {
  const start = c.get("idempotency");
  if (start === null) return { createdAt: Date.now(), random: crypto.getRandomValues(new Uint8Array(32)) };
  return await seededIds(purpose, start.seed, start.startedAt);
}
