/** Works the inbox `codebase/{tenant}`: an item is a request to index a codebase. */
import { codeReaderFromEnv } from "../../adapters/env/code-reader.ts";
import { codeIndexFromEnv } from "../../adapters/env/codebases.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { InboxItem, ItemOutcome } from "../../core/channels/inbox/inbox.ts";
import { readIndexItem } from "../../core/codebases/inbox-item.ts";
import { MAX_READ_MS } from "../../core/codebases/limits.ts";
import { runIndex } from "../../core/codebases/run-index.ts";

/** For a slot in the sidecar, and for storing what it read. */
const MARGIN_MS = 120_000;

export async function receiveIndexItem(env: Env, tenant: string, item: InboxItem): Promise<ItemOutcome> {
  const order = readIndexItem(item.body);
  if (order === null) return { kind: "refused", why: "The item names no codebase." };
  const startedAt = Date.now();
  const deps = { ...codeIndexFromEnv(env), reader: codeReaderFromEnv(env, tenant), now: Date.now };
  const signal = AbortSignal.timeout(MAX_READ_MS + MARGIN_MS);
  const outcome = await runIndex(deps, { tenant, ...order, receivedAt: item.receivedAt, signal });
  const note = outcome.kind === "done" ? outcome.note : outcome.why;
  console.log(
    JSON.stringify({
      level: "info",
      codebase: order.codebase,
      tenant,
      outcome: outcome.kind,
      note,
      ms: Date.now() - startedAt,
    }),
  );
  return outcome;
}
