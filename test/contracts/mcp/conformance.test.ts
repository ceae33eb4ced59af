/**
 * The public MCP conformance suite, `@modelcontextprotocol/conformance`: its client scenarios against Otto's adapter.
 * `DO_NOT_APPLY` says why the others do not.
 */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** The revisions whose scenarios run, each on its own wire. `extension`: at the revision that the suite chooses. */
const REVISIONS = ["2025-03-26", "2025-11-25", "2026-07-28", "extension"];

/** Scenarios that do not apply to Otto, with the reason. */
const DO_NOT_APPLY: Readonly<Record<string, string>> = {
  "elicitation-sep1034-client-defaults":
    "Before 2026-07-28 a question waits on an open stream. A person takes longer than a Worker may hold one, so Otto does not declare the capability.",
  "auth/2025-03-26-oauth-metadata-backcompat":
    "Its metadata names another issuer than the URL that it is read from, which RFC 8414, section 3.3 says to refuse.",
  "auth/client-credentials-jwt": "Extension: a client that signs with a private key. Otto takes a client's secret.",
  "auth/enterprise-managed-authorization": "Extension: tokens of an enterprise's identity provider.",
  "auth/wif-jwt-bearer": "Extension: the token of a workload's platform as a grant. A tenant has no such platform.",
  "auth/dpop": "Extension: tokens that are bound to a key. Otto asks for bearer tokens.",
  "auth/dpop-nonce": "Extension: tokens that are bound to a key. Otto asks for bearer tokens.",
  "sep-2640-client-no-prefetch":
    "Extension: skills from an MCP server. Otto takes tools from it, and skills as packages.",
  "sep-2640-client-verify-digest": "Extension: skills from an MCP server.",
  "sep-2640-client-verify-size": "Extension: skills from an MCP server.",
  "sep-2640-client-verify-frontmatter": "Extension: skills from an MCP server.",
};

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

/** A scenario at one revision. */
interface Run {
  readonly scenario: string;
  readonly revision: string;
}

const listed = (await run("list", "--client")).output;
const scenarios = Array.from(listed.matchAll(/^ {2}- (\S+) \[([^\]]+)\]/gm), ([, name = "", tags = ""]) => {
  return { name, revisions: REVISIONS.filter((revision) => tags.split(",").includes(revision)) };
});
const runs = scenarios
  .filter(({ name }) => !Object.hasOwn(DO_NOT_APPLY, name))
  .flatMap(({ name, revisions }) => revisions.map((revision): Run => ({ scenario: name, revision })));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "otto-conformance-"));
  const left = [...runs];
  const command = `${process.execPath} ${client}`;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const { scenario, revision } = next;
        const version = revision === "extension" ? [] : ["--spec-version", revision];
        const args = ["--command", command, "--scenario", scenario, ...version];
        const rest = ["--timeout", String(TIMEOUT_MS), "-o", folder];
        let tried = await run("client", ...args, ...rest);
        for (let tries = 1; tries < TRIES && WOKE_LATE.test(tried.output); tries += 1)
          tried = await run("client", ...args, ...rest);
        ran.set(toKey(next), tried);
      }
    }),
  );
}, 400_000);

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

function toKey({ scenario, revision }: Run): string {
  return `${scenario} at ${revision}`;
}

describe("a client scenario", () => {
  it.each(runs)("$scenario passes at $revision", (one) => {
    const { code, output } = ran.get(toKey(one)) ?? { code: null, output: "it was not run" };
    expect(output).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed, 0 warnings/);
    expect(code).toBe(0);
  });

  it("runs at both present revisions, or is listed with the reason why it does not apply", () => {
    const count = (revision: string) => runs.filter((one) => one.revision === revision).length;
    expect([count("2026-07-28"), count("2025-11-25")]).toEqual([33, 18]);
    const names = scenarios.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(DO_NOT_APPLY)));
    expect(names.filter((name) => !runs.some(({ scenario }) => scenario === name)).toSorted()).toEqual(
      Object.keys(DO_NOT_APPLY).toSorted(),
    );
  });
});
