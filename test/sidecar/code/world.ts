/** A sidecar with the job kind `code`, on loopback. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEgressAllow } from "../../../adapters/egress/address.ts";
import { type JobFile, runJob } from "../../../adapters/sidecar/run-job.ts";
import { connectSidecar } from "../../../adapters/sidecar/sidecar.ts";
import { DEFAULT_DENIED_PATTERNS } from "../../../core/agents/agent.ts";
import { ok, type Failure, type Result } from "../../../core/base/errors.ts";
import {
  type CodeFacts,
  codeFactsSchema,
  type IndexedFile,
  indexedFileSchema,
} from "../../../core/codebases/indexed-file.ts";
import { makeSidecar } from "../../../sidecar/app.ts";
import { getCages } from "../../../sidecar/cage/cages.ts";
import { defineCodeJob } from "../../../sidecar/code/code-job.ts";
import { type EgressDeps, makeSystemEgress } from "../../../sidecar/egress.ts";
import { closeServer, listenOnLoopback } from "../../mock-servers/listen.ts";

export interface ReadCode {
  readonly facts: CodeFacts;
  readonly files: ReadonlyMap<string, IndexedFile>;
}

export interface CodeWorld {
  readonly folder: string;
  read(source: object, files?: Readonly<Record<string, string | Uint8Array>>, more?: object): Promise<Result<ReadCode>>;
  close(): Promise<void>;
}

/** `allow` is `host:port` pairs that are open, or the network itself. */
export async function openCodeWorld(allow: string | EgressDeps): Promise<CodeWorld> {
  const secret = randomBytes(32).toString("hex");
  const folder = mkdtempSync(join(tmpdir(), "otto-code-"));
  const isolation = async () => ({ level: "none", reason: "Not asked." }) as const;
  const egress = typeof allow === "string" ? makeSystemEgress(parseEgressAllow(allow)) : allow;
  const jobs = { kinds: [defineCodeJob(egress, getCages)], folder: join(folder, "jobs"), isolation };
  const server: Server = makeSidecar(secret, egress, jobs);
  const sidecar = connectSidecar(`http://127.0.0.1:${await listenOnLoopback(server, 0)}`, secret);
  return {
    folder: jobs.folder,
    async read(source, files = {}, more = {}) {
      const reply = await runJob(sidecar, {
        kind: "code",
        tenant: "ten_a",
        order: { source, denied: [...DEFAULT_DENIED_PATTERNS], timeout_ms: 60_000, ...more },
        files: Object.entries(files).map(([path, content]) => toFile(path, content)),
        timeoutMs: 60_000,
        signal: AbortSignal.timeout(90_000),
      });
      if (!reply.ok) return reply;
      const found = new Map<string, IndexedFile>();
      for await (const { bytes } of reply.value.files)
        for (const line of new TextDecoder().decode(bytes).split("\n").filter(Boolean)) {
          const file = indexedFileSchema.parse(JSON.parse(line));
          found.set(file.path, file);
        }
      return ok({ facts: codeFactsSchema.parse(reply.value.body), files: found });
    },
    async close() {
      await closeServer(server);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

export function failureOf(result: Result<unknown>): Pick<Failure, "code" | "message"> {
  if (result.ok) throw new Error("it did not fail");
  return result.error;
}

function toFile(path: string, content: string | Uint8Array): JobFile {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return {
    path,
    size: bytes.length,
    open: () => Promise.resolve(ok(new Blob([new Uint8Array(bytes)]).stream())),
  };
}
