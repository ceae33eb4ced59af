/**
 * The public MCP conformance suite, `@modelcontextprotocol/conformance`: its client scenarios against Otto's adapter.
 * docs/decisions/0021 says why the others do not apply.
 */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const SCENARIOS = [
  "initialize",
  "tools_call",
  "sse-retry",
  "auth/metadata-default",
  "auth/metadata-var1",
  "auth/metadata-var2",
  "auth/metadata-var3",
  "auth/basic-cimd",
  "auth/scope-from-www-authenticate",
  "auth/scope-from-scopes-supported",
  "auth/scope-omitted-when-undefined",
  "auth/scope-step-up",
  "auth/scope-retry-limit",
  "auth/token-endpoint-auth-basic",
  "auth/token-endpoint-auth-post",
  "auth/token-endpoint-auth-none",
  "auth/pre-registration",
  "auth/2025-03-26-oauth-endpoint-fallback",
  "auth/resource-mismatch",
  "auth/offline-access-scope",
  "auth/offline-access-not-supported",
  "auth/client-credentials-basic",
];

const DO_NOT_APPLY = [
  "elicitation-sep1034-client-defaults",
  "auth/2025-03-26-oauth-metadata-backcompat",
  "auth/client-credentials-jwt",
  "auth/cross-app-access-complete-flow",
];

const TIMEOUT_MS = 30_000;
/** Programs at once. */
const AT_ONCE = 3;
/** A scenario that measures a wait is run again: on a busy machine a client wakes late once, one that waits too long does so each time. */
const TRIES = 3;
const WOKE_LATE = /Client reconnected (slightly|very) late/;

interface Ran {
  readonly code: number | null;
  readonly output: string;
}

const program = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/dist/index.js");
const client = new URL("../../mock-servers/mcp-conformance-client.ts", import.meta.url).pathname;
const ran = new Map<string, Ran>();
let folder: string;

async function run(...more: string[]): Promise<Ran> {
  return await new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...more], { stdio: ["ignore", "pipe", "pipe"] });
    const said: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => said.push(chunk));
    child.once("close", (code) => resolve({ code, output: Buffer.concat(said).toString() }));
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "otto-conformance-"));
  const left = [...SCENARIOS];
  const command = `${process.execPath} ${client}`;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let scenario = left.shift(); scenario !== undefined; scenario = left.shift()) {
        const args = ["--command", command, "--scenario", scenario, "--timeout", String(TIMEOUT_MS), "-o", folder];
        let tried = await run("client", ...args);
        for (let tries = 1; tries < TRIES && WOKE_LATE.test(tried.output); tries += 1)
          tried = await run("client", ...args);
        ran.set(scenario, tried);
      }
    }),
  );
}, 400_000);

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("a client scenario", () => {
  it.each(SCENARIOS)("%s passes", (scenario) => {
    const { code, output } = ran.get(scenario) ?? { code: null, output: "it was not run" };
    expect(output).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed, 0 warnings/);
    expect(code).toBe(0);
  });

  it("is one of those that are run, or of those that do not apply", async () => {
    const { output } = await run("list", "--client");
    const all = new Set(Array.from(output.matchAll(/^ {2}- (\S+)/gm), ([, name]) => name));
    expect(all).toEqual(new Set([...SCENARIOS, ...DO_NOT_APPLY]));
  });
});
