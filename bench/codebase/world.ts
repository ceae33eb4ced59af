/** A codebase of a database of its own, read by a sidecar of this process from a git server on loopback. */
import { randomBytes } from "node:crypto";
import { openDatabase } from "../../adapters/database/database.ts";
import { hashingEmbedder } from "../../adapters/embeddings/hashing.ts";
import { openCodeReader } from "../../adapters/sidecar/code.ts";
import { openPgvector } from "../../adapters/vectors/pgvector.ts";
import { DEFAULT_DENIED_PATTERNS } from "../../core/agents/agent.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import { makeId } from "../../core/base/ids.ts";
import { runIndex } from "../../core/codebases/run-index.ts";
import { openCodebases } from "../../core/codebases/search.ts";
import type { CodebasesPort } from "../../core/ports/codebases.ts";
import { startTestDatabase } from "../../scripts/database/test-database.ts";
import { getCages } from "../../sidecar/cage/cages.ts";
import { defineCodeJob } from "../../sidecar/code/code-job.ts";
import { startGitServer } from "../../test/mock-servers/git-server.ts";
import { startJobSidecar } from "../../test/mock-servers/job-sidecar.ts";

const REPOSITORY = "bench";
const AGENT = "coder";

interface CodebaseWorld {
  /** Commits files by path. */
  commit(files: Readonly<Record<string, string>>): void;
  /** Indexes the codebase, from the request until searches see it, and throws if it is not ready with vectors then. */
  index(): Promise<void>;
  readonly port: CodebasesPort;
  close(): Promise<void>;
}

export async function openCodebaseWorld(): Promise<CodebaseWorld> {
  const [git, server] = await Promise.all([startGitServer(), startTestDatabase()]);
  const { sidecar, close } = await startJobSidecar(git.port, (egress) => defineCodeJob(egress, getCages));
  const database = openDatabase(server.url, server.endpoint);
  const [tenant, codebase] = [newId("tenant"), newId("codebase")];
  const act = (action: "tenant.create" | "codebase.create", target: string) => {
    return { id: newId("audit"), at: Date.now(), actor: "operator", action, target, requestId: "req_bench" };
  };
  const unbound = { projects: null, agents: null, person: null, expiresAt: null, revokedAt: null };
  const own = {
    id: newId("key"),
    tenant,
    name: "bench",
    scopes: ["admin"],
    createdAt: 1,
    createdBy: "operator",
  } as const;
  const key = { key: { ...own, ...unbound }, hash: "b".repeat(64) };
  valueOf(
    await database.tenants.create({ id: tenant, name: "bench", createdAt: 1 }, key, act("tenant.create", tenant)),
  );
  const source = { git: `${git.origin}/${REPOSITORY}/.git` };
  const users = { agents: [AGENT], projects: null, people: null, every: null, dueAt: null };
  const given = { id: codebase, name: REPOSITORY, source, ...users };
  valueOf(await database.codebases.create(tenant, given, act("codebase.create", codebase)));
  const deps = {
    table: database.codebases,
    embedder: hashingEmbedder(),
    vectors: openPgvector(server.url, server.endpoint),
    now: Date.now,
    reader: openCodeReader({
      sidecar,
      tenant,
      secrets: {
        all: async () => await Promise.resolve(ok([])),
        boundToAgent: async () => await Promise.resolve(new Set()),
      },
      denied: DEFAULT_DENIED_PATTERNS,
      openArchive: () => Promise.reject(new Error("there is no archive")),
      filesOf: () => {
        throw new Error("there is no project");
      },
    }),
  };
  return {
    commit(files) {
      git.commit(REPOSITORY, files);
      // As hosts store repositories. Else the server packs every file again for each fetch, which took a third of an index.
      git.git(REPOSITORY, ["repack", "-a", "-d", "--quiet"]);
    },
    async index() {
      const signal = AbortSignal.timeout(300_000);
      const outcome = await runIndex(deps, { tenant, codebase, after: null, receivedAt: Date.now(), signal });
      const { status, embedder } = valueOf(await database.codebases.get(tenant, codebase));
      if (status !== "ready" || embedder === null) throw new Error(`not indexed: ${JSON.stringify(outcome)}`);
    },
    port: openCodebases(deps, tenant, { agent: { id: AGENT, name: AGENT }, project: null, person: null }),
    async close() {
      await close();
      await Promise.all([git.close(), server.close()]);
    },
  };
}

export function valueOf<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new Error(`${result.error.code}: ${result.error.message} ${JSON.stringify(result.error.details ?? {})}`);
}

function newId(kind: Parameters<typeof makeId>[0]): string {
  return makeId(kind, Date.now(), randomBytes(10));
}
