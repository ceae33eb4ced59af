/** A server to which each person connects an account: every request carries the token of its account, and no other. */
import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ServerCaches } from "../../../adapters/connections/discover.ts";
import { openAuthorizations } from "../../../adapters/connections/oauth-client.ts";
import { parseEgressAllow } from "../../../adapters/egress/address.ts";
import type { AccountCredentials } from "../../../adapters/egress/fill-connection.ts";
import { openWeb } from "../../../adapters/egress/web.ts";
import { type McpServers, openMcp } from "../../../adapters/mcp/mcp.ts";
import type { McpServer } from "../../../adapters/mcp/server.ts";
import { connectSidecar } from "../../../adapters/sidecar/sidecar.ts";
import { ok } from "../../../core/base/errors.ts";
import type { Account } from "../../../core/connections/account.ts";
import { makeSidecar } from "../../../sidecar/app.ts";
import { makeSystemEgress } from "../../../sidecar/egress.ts";
import { fakeAuthStore, noProcesses } from "../../fakes/mcp.ts";
import { fakeProviderBook } from "../../fakes/provider-book.ts";
import { fakeSecrets } from "../../fakes/secrets.ts";
import { closeServer, listenOnLoopback } from "../../mock-servers/listen.ts";
import { type McpMockServer, startMcpServer } from "../../mock-servers/mcp-server.ts";
import { startMcpServers } from "../../mock-servers/mcp-servers.ts";
import { makeApp, makeFlow, REDIRECT } from "../connections/providers.ts";
import { valueOf } from "../value-of.ts";
import { callOf, tool } from "./suite.ts";

const REPLY = { resultType: "complete", content: [{ type: "text", text: "heard" }] };

let servers: McpMockServer;
/** A server of an earlier revision, with sessions. */
let legacy: McpMockServer;
let url: string;
let sidecar: ReturnType<typeof makeSidecar>;
let mcp: McpServers;
let id: string;
let calls: string[];
let per: "person" | undefined;
/** The tokens of each connection, the present one first. */
let tokens: Record<string, string[]>;
let connect: () => Promise<string>;
/** What the requests of consents said that the tokens are for. */
let resources: (string | null)[];

const accountOf = (connection: string): Account => ({
  connection,
  app: "notes",
  provider: "mcp",
  owner: { kind: "person", id: `per_${connection}`, name: connection },
  label: null,
  consent: 1,
  delegates: false,
});

beforeEach(async () => {
  servers = await startMcpServers();
  legacy = await startMcpServer({ revision: "2025-11-25", tools: () => [tool("echo")], answer: () => REPLY });
  [id, calls, tokens, resources, per] = [crypto.randomUUID(), [], {}, [], "person"];
  url = `http://${servers.host}/mcp/${id}`;
  await fetch(`http://${servers.host}/set/${id}`, {
    method: "POST",
    body: JSON.stringify({ tools: [tool("echo")], answers: { echo: [REPLY] }, guarded: true }),
  });
  const secret = randomBytes(32).toString("hex");
  const hosts = [servers.host, legacy.host];
  const allow = parseEgressAllow(hosts.join(","));
  sidecar = makeSidecar(secret, makeSystemEgress(allow));
  const accounts: AccountCredentials = {
    bearer({ connection }, renew) {
      calls.push(`${renew === undefined ? "bearer" : "renew"} ${connection}`);
      if (renew !== undefined) tokens[connection]?.shift();
      const value = tokens[connection]?.[0] ?? "none";
      return Promise.resolve(ok({ header: "authorization", value, hosts }));
    },
    refused({ connection }) {
      calls.push(`refused ${connection}`);
      return Promise.resolve();
    },
  };
  const sidecarUrl = `http://127.0.0.1:${await listenOnLoopback(sidecar, 0)}`;
  const shared = { sidecar: connectSidecar(sidecarUrl, secret), allow, tenant: "t1", secrets: fakeSecrets() };
  const find = (): McpServer => {
    const store = fakeAuthStore(() => ({}));
    const oauth = { grant: "authorization_code", clientId: null, clientSecret: null, scope: null } as const;
    const personal = per === undefined ? {} : { per };
    const fixed = { name: "notes", headers: [], version: 1, prior: null, process: null };
    return { ...fixed, url, oauth: { ...oauth, ...personal, store } };
  };
  mcp = openMcp({
    web: openWeb({ ...shared, accounts }),
    processes: noProcesses,
    tenant: "t1",
    find: () => Promise.resolve(ok(find())),
    consent: null,
    noteListChanged: () => Promise.resolve(),
    noteGrantEnded: () => Promise.resolve(),
  });
  connect = async () => {
    const { issuer, resource } = valueOf(await mcp.findAuthority("notes", AbortSignal.timeout(10_000)));
    const book = fakeProviderBook({ at: { kind: "issuer", issuer }, resource });
    const authorizations = openAuthorizations({
      web: openWeb(shared),
      isOpened: () => true,
      timer: globalThis,
      book,
      cache: new ServerCaches().open("t1", Date.now),
      now: Date.now,
    });
    const app = makeApp({ app: "notes", provider: "mcp", kind: "mcp", scopes: [], hosts: [servers.host] });
    const begun = valueOf(await authorizations.begin(app, { redirectUrl: REDIRECT, state: "s" }));
    resources.push(new URL(begun.url).searchParams.get("resource"));
    const { headers } = await fetch(begun.url, { redirect: "manual" });
    const returned = new URL(headers.get("location") ?? "").searchParams;
    const granted = valueOf(await authorizations.complete(app, makeFlow(begun), returned));
    return granted.tokens.kind === "oauth" ? granted.tokens.access : "";
  };
});

afterEach(async () => {
  await Promise.all([servers.close(), legacy.close(), closeServer(sidecar)]);
});

const call = async (connection?: string) =>
  await mcp.call(callOf(connection === undefined ? {} : { account: accountOf(connection) }));
const sentTokens = () =>
  servers.received
    .filter(({ text }) => text.includes('"tools/call"'))
    .map(({ headers }) => headers["authorization"]?.replace("Bearer ", ""));

it("names its authorization server, where people consent by Otto's OAuth client", async () => {
  const authority = valueOf(await mcp.findAuthority("notes", AbortSignal.timeout(10_000)));
  expect(authority).toEqual({
    issuer: `http://${servers.host}/as/${id}/1`,
    resource: `http://${servers.host}/mcp/${id}`,
  });
});

it("two people in one task: each call carries the token of its account, as do lists", async () => {
  const [ana, ben] = [await connect(), await connect()];
  expect(new Set(resources)).toEqual(new Set([`http://${servers.host}/mcp/${id}`]));
  tokens = { con_ana: [ana], con_ben: [ben] };
  expect(await call("con_ana")).toMatchObject({ ok: true });
  expect(await call("con_ben")).toMatchObject({ ok: true });
  expect(await call("con_ana")).toMatchObject({ ok: true });
  expect(sentTokens()).toEqual([ana, ben, ana]);
  const listed = await mcp.list("notes", AbortSignal.timeout(10_000), accountOf("con_ana"));
  expect(listed).toMatchObject({ ok: true, value: { tools: [{ name: "echo" }] } });
});

it("two people in one task share no session of a server that has sessions", async () => {
  url = legacy.url;
  tokens = { con_ana: ["ana"], con_ben: ["ben"] };
  for (const connection of ["con_ana", "con_ben", "con_ana"])
    expect(await call(connection)).toMatchObject({ ok: true });
  const sent = legacy.received.filter(({ method }) => method === "tools/call");
  const sessions = sent.map(({ headers }) => headers["mcp-session-id"]);
  expect(sent.map(({ headers }) => headers["authorization"])).toEqual(["Bearer ana", "Bearer ben", "Bearer ana"]);
  expect(sessions[0]).toEqual(expect.any(String));
  expect(sessions[2]).toBe(sessions[0]);
  expect(sessions[1]).not.toBe(sessions[0]);
});

it("a token that the server refuses is renewed once; refused again, the connection has ended", async () => {
  const fresh = await connect();
  tokens = { con_ana: ["stale", fresh], con_ben: ["stale", "stale too"] };
  expect(await call("con_ana")).toMatchObject({ ok: true });
  const refused = await call("con_ben");
  expect(refused).toMatchObject({
    error: { code: "permission_denied", happened: "no", cause: { kind: "connection_ended", connection: "con_ben" } },
  });
  expect(calls.filter((one) => one.includes("con_ben")).slice(0, 3)).toEqual([
    "bearer con_ben",
    "renew con_ben",
    "refused con_ben",
  ]);
  expect(JSON.stringify(refused)).not.toContain("stale");
});

it("without an account nothing is sent, and a server with one account for all takes none", async () => {
  expect(await call()).toMatchObject({ ok: false, error: { code: "permission_denied", happened: "no" } });
  expect(servers.received).toHaveLength(1);
  per = undefined;
  expect(await call("con_ana")).toMatchObject({ ok: false, error: { code: "permission_denied", happened: "no" } });
  expect(calls).toEqual([]);
});
