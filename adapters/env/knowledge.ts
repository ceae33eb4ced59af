/** Documents: what accepting, reading and removing them needs. */
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { AcceptDeps } from "../../core/knowledge/accept.ts";
import type { IngestDeps } from "../../core/knowledge/ingest.ts";
import { getIngestInbox } from "../../core/knowledge/ingest-item.ts";
import { SETUP } from "../../core/secrets/secret-use.ts";
import type { DocumentIntakePort } from "../../core/ports/document-intake.ts";
import type { TaskFacts } from "../../core/task/state.ts";
import { openTaskIntake } from "../knowledge/task-intake.ts";
import type { Env } from "./bindings.ts";
import { inboxesFromEnv } from "./channels.ts";
import { databaseFromEnv } from "./database.ts";
import { documentsFromEnv } from "./documents.ts";
import { openWebFromEnv } from "./egress.ts";
import { blobsFromEnv } from "./files.ts";
import { embedderFromEnv, vectorsFromEnv } from "./memory.ts";

const FETCH_MS = 40_000;

/** Accepts the documents of a tenant. A full inbox loses nothing: the sweep finds the row. */
export function acceptDepsFromEnv(env: Env, tenant: string): AcceptDeps {
  return {
    tenant,
    knowledge: databaseFromEnv(env).knowledge,
    blobs: blobsFromEnv(env),
    async put(item) {
      try {
        await inboxesFromEnv(env)(getIngestInbox(tenant)).take(item);
      } catch (thrown) {
        console.error("the inbox of documents did not take an item, so the sweep has to", tenant, item.id, thrown);
      }
    },
  };
}

/** Reads the documents of a tenant. */
export function ingestDepsFromEnv(env: Env, tenant: string): IngestDeps {
  return {
    tenant,
    knowledge: databaseFromEnv(env).knowledge,
    documents: documentsFromEnv(env, { tenant }),
    blobs: blobsFromEnv(env),
    embedder: embedderFromEnv(env),
    vectors: vectorsFromEnv(env),
    download: (url, maxBytes, signal) => fetchDocument(env, tenant, { url, maxBytes, signal }),
    now: Date.now,
  };
}

/** Without secrets of the tenant: an address that names one is refused before it is accepted. */
async function fetchDocument(
  env: Env,
  tenant: string,
  { url, maxBytes, signal }: { readonly url: string; readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Result<Uint8Array>> {
  const web = openWebFromEnv(env, { tenant, user: SETUP });
  const reply = await web.request({
    method: "GET",
    url,
    headers: [["accept", "*/*"]],
    body: null,
    timeoutMs: FETCH_MS,
    maxBytes,
    followRedirects: true,
    allowedDomains: ["*"],
    signal,
  });
  if (!reply.ok) return reply;
  const { status, body, truncated } = reply.value;
  if (truncated) return failed("too_large", `The document at this address is larger than ${maxBytes / 1024 ** 2} MB.`);
  if (status >= 200 && status < 300) return ok(body);
  const message = `The address answered with status ${status} instead of the document.`;
  return failed(status >= 500 || status === 429 ? "upstream_failed" : "invalid_input", message);
}

/** Adds the documents of a task. */
export function taskIntakeFromEnv(env: Env, facts: TaskFacts): DocumentIntakePort {
  return openTaskIntake(acceptDepsFromEnv(env, facts.tenant), facts);
}
