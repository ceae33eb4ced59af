/**
 * The client for the public MCP conformance suite: connects Otto's adapter to the server in its last argument. `MCP_CONFORMANCE_SCENARIO`
 * selects the scenario, `MCP_CONFORMANCE_CONTEXT` holds credentials and calls. Instead of a person, the program fetches the authorization
 * page and follows its redirect, and answers “Yes” to a server's questions.
 */
import { openMcp } from "../../adapters/mcp/mcp.ts";
import type { Consent, McpServer, SavedAuth } from "../../adapters/mcp/server.ts";
import { type Failure, ok } from "../../core/base/errors.ts";
import { readAnswer, readQuestion } from "../../core/mcp/question.ts";
import { readToolList } from "../../core/mcp/tool-list.ts";
import type { McpAnswer, McpCall, McpReply, McpTool } from "../../core/ports/mcp.ts";
import { fakeAuthStore, noProcesses } from "../fakes/mcp.ts";
import { makeDirectWeb } from "./direct-web.ts";

const url = process.argv.at(-1) ?? "";
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly toolCalls?: readonly Planned[];
};

interface Planned {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

const CONSENT: Consent = {
  redirectUrl: "http://127.0.0.1:9/oauth/mcp/callback",
  // The one that the suite knows.
  clientUrl: "https://conformance-test.local/client-metadata.json",
  state: "the-state",
};
/** Maximum number of consents. */
const MAX_CONSENTS = 2;

let saved: SavedAuth = {};
const store = fakeAuthStore(
  () => saved,
  (next) => {
    saved = next;
  },
);

const server: McpServer = {
  name: "conformance",
  url,
  headers: [],
  version: 1,
  prior: null,
  process: null,
  oauth: {
    grant: scenario.includes("client-credentials") ? "client_credentials" : "authorization_code",
    clientId: context.client_id ?? null,
    clientSecret: context.client_secret ?? null,
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
  noteGrantEnded: () => Promise.resolve(),
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

/** The calls that the scenario wants, or one of each tool. */
function planCalls(tools: readonly McpTool[]): readonly Planned[] {
  return context.toolCalls ?? tools.map(({ name, input }) => ({ name, arguments: makeArguments(input, tools) }));
}

/** Creates an argument for each required property of a schema. The one that is an object wants another tool's schema. */
function makeArguments(input: McpTool["input"], [first]: readonly McpTool[]): Readonly<Record<string, unknown>> {
  const properties = (input["properties"] ?? {}) as Readonly<Record<string, { readonly type?: string }>>;
  const makeValue = (type = "string") => (type === "number" ? 2 : type === "object" ? first?.input : "text");
  return Object.fromEntries(Object.entries(properties).map(([name, { type }]) => [name, makeValue(type)]));
}

async function send(call: McpCall): Promise<McpReply> {
  const signal = AbortSignal.timeout(25_000);
  return await withConsent(() => mcp.call({ ...call, signal }));
}

/** A person's “Yes” to each question, in the form that the server asked for. */
function answerAll(reply: Extract<McpReply, { kind: "input_required" }>): Readonly<Record<string, McpAnswer>> {
  const answers = Object.entries(reply.questions).map(([key, question]): [string, McpAnswer] => {
    const form = readQuestion(question);
    const read = form === null ? null : readAnswer(form, "Yes");
    if (read?.ok !== true) throw new Error(`the question ${key} has an unknown form`);
    return [key, read.answer];
  });
  return Object.fromEntries(answers);
}

const listing = await withConsent(() => mcp.list("conformance", AbortSignal.timeout(20_000)));
const list = await readToolList(listing.tools);
if (!list.ok) throw new Error(list.error.message);
const { tools } = list.value;
const calls = planCalls(tools).map(({ name, arguments: given }): McpCall => {
  const input = tools.find((tool) => tool.name === name)?.input ?? {};
  const fresh = { server: "conformance", tool: name, input, arguments: given, answers: {}, state: null };
  return { ...fresh, task: "task", timeoutMs: 20_000, signal: AbortSignal.abort() };
});
// Every call is made before any question is answered: an answer and a state belong to their call alone.
const asked: McpCall[] = [];
for (const call of calls) {
  const reply = await send(call);
  if (reply.kind === "input_required") asked.push({ ...call, answers: answerAll(reply), state: reply.state });
}
for (const call of asked) await send(call);
// Exit at once: the adapter would wait a few seconds for unfinished answers.
process.exit();
