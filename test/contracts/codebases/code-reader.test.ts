/** Readers of codebases: that of the sidecar and the fake behave alike. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseEgressAllow } from "../../../adapters/egress/address.ts";
import { openCodeReader } from "../../../adapters/sidecar/code.ts";
import { connectSidecar, type Sidecar } from "../../../adapters/sidecar/sidecar.ts";
import { DEFAULT_DENIED_PATTERNS } from "../../../core/agents/agent.ts";
import { failed, ok } from "../../../core/base/errors.ts";
import type { IndexedFile } from "../../../core/codebases/indexed-file.ts";
import type { CodeReader } from "../../../core/ports/codebases.ts";
import { makeSidecar } from "../../../sidecar/app.ts";
import { getCages } from "../../../sidecar/cage/cages.ts";
import { defineCodeJob } from "../../../sidecar/code/code-job.ts";
import { makeSystemEgress } from "../../../sidecar/egress.ts";
import { fakeCodeReader } from "../../fakes/code-reader.ts";
import { fakeFiles } from "../../fakes/files.ts";
import { type GitMockServer, startGitServer } from "../../mock-servers/git-server.ts";
import { closeServer, listenOnLoopback } from "../../mock-servers/listen.ts";
import { valueOf } from "../value-of.ts";

const FILES = { "a.js": "function alpha() {}\n", "sub/b.py": "def beta():\n    pass\n", "notes.md": "words\n" };
const TOKEN = "canary-token-51c8";
const LONG = { timeout: 60_000 } as const;

let git: GitMockServer;
let server: Server;
let sidecar: Sidecar;
let folder = "";

beforeAll(async () => {
  git = await startGitServer({ authorization: `Basic ${Buffer.from(`x-access-token:${TOKEN}`).toString("base64")}` });
  git.commit("shop", FILES);
  folder = mkdtempSync(join(tmpdir(), "otto-reader-"));
  const egress = makeSystemEgress(parseEgressAllow(`127.0.0.1:${git.port}`));
  const isolation = async () => ({ level: "none", reason: "Not asked." }) as const;
  const secret = randomBytes(32).toString("hex");
  server = makeSidecar(secret, egress, {
    kinds: [defineCodeJob(egress, getCages)],
    folder: join(folder, "jobs"),
    isolation,
  });
  sidecar = connectSidecar(`http://127.0.0.1:${await listenOnLoopback(server, 0)}`, secret);
});
afterAll(async () => {
  await closeServer(server);
  await git.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Reads the files of a project. `hosts` are those of the one secret. */
async function openReal(
  hosts: readonly string[] = [],
  files: Readonly<Record<string, string>> = FILES,
): Promise<CodeReader> {
  const project = fakeFiles();
  for (const [path, text] of Object.entries(files))
    await project.write(`project/${path}`, new TextEncoder().encode(text), { key: path });
  return openCodeReader({
    sidecar,
    tenant: "ten_a",
    secrets: {
      all: async () => await Promise.resolve(ok([{ name: "CODE_TOKEN", hosts, value: TOKEN }])),
      boundToAgent: async () => await Promise.resolve(new Set()),
    },
    denied: DEFAULT_DENIED_PATTERNS,
    openArchive: async () => await Promise.resolve(failed("not_found", "There is no stored archive.")),
    filesOf: () => project,
  });
}

async function readAll(
  reader: CodeReader,
  source: Parameters<CodeReader["read"]>[0]["source"],
  known = new Map<string, string>(),
) {
  const { facts, parts } = valueOf(await reader.read({ source, known, signal: AbortSignal.timeout(50_000) }));
  const files: IndexedFile[] = [];
  for await (const part of parts) files.push(...part);
  return { facts, files: files.toSorted((one, other) => (one.path < other.path ? -1 : 1)) };
}

describe.each<[string, () => Promise<CodeReader>]>([
  ["the fake", async () => await Promise.resolve(fakeCodeReader(FILES))],
  ["the sidecar", async () => await openReal()],
])("files read by %s", (_, open) => {
  it("have symbols, chunks and words, and return once", LONG, async () => {
    const reader = await open();
    const first = await readAll(reader, { project: "shop" });
    expect(first.facts).toMatchObject({ commit: null, changed: 3, unchanged: 0, deleted: [], without_symbols: false });
    expect(first.files.map(({ path, language, lines }) => [path, language, lines])).toEqual([
      ["a.js", "javascript", 2],
      ["notes.md", "markdown", 2],
      ["sub/b.py", "python", 3],
    ]);
    const symbols = first.files.flatMap((file) =>
      file.symbols.map(({ name, kind, start_line: line }) => [name, kind, line]),
    );
    expect(symbols).toEqual([
      ["alpha", "function", 1],
      ["beta", "function", 1],
    ]);
    expect(first.files[1]?.chunks).toMatchObject([
      { start_line: 1, text: expect.stringContaining("words"), words: ["words"] },
    ]);
    const known = new Map(first.files.map(({ path, hash }) => [path, hash]));
    known.set("gone.ts", "a".repeat(64));
    const second = await readAll(reader, { project: "shop" }, known);
    expect(second.facts).toMatchObject({ changed: 0, unchanged: 3, deleted: ["gone.ts"] });
    expect(second.files).toEqual([]);
  });
});

describe("a repository with a secret", LONG, () => {
  const source = () => ({ git: `${git.origin}/shop/.git`, secret: "CODE_TOKEN" });

  it("is read with it", async () => {
    const { facts, files } = await readAll(await openReal([`127.0.0.1:${git.port}`]), source());
    expect(facts.commit).toMatch(/^[0-9a-f]{40}$/);
    expect(files).toHaveLength(3);
    expect(JSON.stringify([facts, files])).not.toContain("canary");
  });

  it("is not asked for with one that is bound to another host, or unknown", async () => {
    const seen = git.requests.length;
    const read = async (reader: CodeReader, secret: string) =>
      await reader.read({ source: { ...source(), secret }, known: new Map(), signal: AbortSignal.timeout(50_000) });
    expect(await read(await openReal(["example.com"]), "CODE_TOKEN")).toMatchObject({
      ok: false,
      error: { code: "blocked_by_policy", field: "secret" },
    });
    expect(await read(await openReal(), "OTHER")).toMatchObject({ ok: false, error: { code: "not_found" } });
    expect(git.requests).toHaveLength(seen);
  });
});
