/**
 * The client for the public MCP conformance suite: connects Otto's adapter to the server in its last argument. `MCP_CONFORMANCE_SCENARIO`
 * selects the scenario, `MCP_CONFORMANCE_CONTEXT` holds credentials. Instead of a person, the program fetches the authorization page and
 * follows its redirect.
 */
import { openMcp } from "../../adapters/mcp/mcp.ts";
import type { Consent, McpServer, SavedAuth } from "../../adapters/mcp/server.ts";
import { type Failure, ok } from "../../core/base/errors.ts";
import { readToolList } from "../../core/mcp/tool-list.ts";
import { noProcesses } from "../fakes/mcp.ts";
import { makeDirectWeb } from "./direct-web.ts";

const url = process.argv.at(-1) ?? "";
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as Readonly<Record<string, string>>;

const CONSENT: Consent = {
  redirectUrl: "http://127.0.0.1:9/oauth/mcp/callback",
  // The one that the suite knows.
  clientUrl: "https://conformance-test.local/client-metadata.json",
  state: "the-state",
};
/** Maximum number of consents. */
const MAX_CONSENTS = 2;

let saved: SavedAuth = {};
const store = {
  load: () => Promise.resolve(ok(saved)),
  save: (next: SavedAuth) => {
    saved = next;
    return Promise.resolve(ok(undefined));
  },
};

const server: McpServer = {
  name: "conformance",
  url,
  headers: [],
  version: 1,
  prior: null,
  process: null,
  oauth: {
    grant: scenario.includes("client-credentials") ? "client_credentials" : "authorization_code",
    clientId: context["client_id"] ?? null,
    clientSecret: context["client_secret"] ?? null,
    scope: null,
    store,
  },
};

const mcp = openMcp({
  web: makeDirectWeb(),
  processes: noProcesses,
  tenant: "conformance",
  find: () => Promise.resolve(ok(server)),
  consent: CONSENT,
  noteListChanged: () => Promise.resolve(),
});

/** Runs work that may need consent, and consents up to the maximum. */
async function withConsent<T>(work: () => Promise<{ ok: true; value: T } | { ok: false; error: Failure }>): Promise<T> {
  for (let consents = 0; ; consents += 1) {
    const done = await work();
    if (done.ok) return done.value;
    const { cause, message } = done.error;
    if (cause?.kind !== "needs_consent" || consents >= MAX_CONSENTS) throw new Error(message);
    const page = cause.url;
    const answer = await fetch(page, { redirect: "manual" });
    const back = new URL(answer.headers.get("location") ?? "", page);
    if (back.searchParams.get("state") !== CONSENT.state) throw new Error("the state was not returned");
    const finished = await mcp.finish("conformance", back.searchParams);
    if (!finished.ok) throw new Error(finished.error.message);
  }
}

/** Creates an argument for each required property of a schema. */
function makeArguments(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const properties = (input["properties"] ?? {}) as Readonly<Record<string, { readonly type?: string }>>;
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type }]) => [name, type === "number" ? 2 : "text"]),
  );
}

const listing = await withConsent(() => mcp.list("conformance", AbortSignal.timeout(20_000)));
const list = await readToolList(listing.tools);
if (!list.ok) throw new Error(list.error.message);
for (const { name, input } of list.value.tools) {
  await withConsent(() =>
    mcp.call({
      server: "conformance",
      tool: name,
      input,
      arguments: makeArguments(input),
      answers: {},
      state: null,
      task: "task",
      timeoutMs: 20_000,
      signal: AbortSignal.timeout(25_000),
    }),
  );
}
// Exit at once: the adapter would wait a few seconds for unfinished answers.
process.exit();
