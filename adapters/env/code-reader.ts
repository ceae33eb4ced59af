/** The reader of codebases, which only indexing loads. */
import { DEFAULT_DENIED_PATTERNS } from "../../core/agents/agent.ts";
import type { CodeReader } from "../../core/ports/codebases.ts";
import { SETUP } from "../../core/secrets/secret-use.ts";
import { openCodeReader } from "../sidecar/code.ts";
import type { Env } from "./bindings.ts";
import { openArchiveFromEnv } from "./codebases.ts";
import { filesFromEnv } from "./files.ts";
import { secretsFromEnv } from "./secrets.ts";
import { sidecarFromEnv } from "./sidecar.ts";

/** Reads the code of a tenant's codebases, which an administrator added. */
export function codeReaderFromEnv(env: Env, tenant: string): CodeReader {
  return openCodeReader({
    sidecar: sidecarFromEnv(env),
    tenant,
    secrets: secretsFromEnv(env, tenant, SETUP),
    denied: DEFAULT_DENIED_PATTERNS,
    openArchive: async (hash) => await openArchiveFromEnv(env, tenant, hash),
    // The tree is that of no task: only the project's folder is read.
    filesOf: (project) => filesFromEnv(env, { tenant, rootId: "codebases", project }),
  });
}
