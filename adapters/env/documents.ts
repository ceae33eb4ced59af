/** The reader of documents. */
import type { Env } from "./bindings.ts";
import { sidecarFromEnv } from "./sidecar.ts";
import { openDocuments } from "../sidecar/documents.ts";
import type { DocumentsPort } from "../../core/ports/documents.ts";
import type { TaskFacts } from "../../core/task/state.ts";

/** Reads a tenant's documents. Fails with `not_available` without a sidecar. */
export function documentsFromEnv(env: Env, { tenant }: Pick<TaskFacts, "tenant">): DocumentsPort {
  return openDocuments(sidecarFromEnv(env), tenant);
}
