/** What this Worker reads documents with, which a test may change. The converters run in the sidecar, which is not here. */
import type { Env } from "../../../adapters/env/bindings.ts";
import { ingestDepsFromEnv } from "../../../adapters/env/knowledge.ts";
import type { IngestDeps } from "../../../core/knowledge/ingest.ts";
import { fakeDocuments } from "../../fakes/documents.ts";

type Change = (deps: IngestDeps) => IngestDeps;

let change: Change = (deps) => deps;

export function changeReader(next: Change): void {
  change = next;
}

export function ingestDepsOfTests(env: Env, tenant: string): IngestDeps {
  return change({ ...ingestDepsFromEnv(env, tenant), documents: fakeDocuments() });
}
