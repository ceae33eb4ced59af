/** A server with one grant for all: its account is only named. The package sends the token, and a refusal ends the account. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type McpServers, openMcp } from "../../../adapters/mcp/mcp.ts";
import type { Consent, McpServer, SavedAuth } from "../../../adapters/mcp/server.ts";
import { ok } from "../../../core/base/errors.ts";
import type { Account } from "../../../core/connections/account.ts";
import type { WebPort } from "../../../core/ports/web.ts";
import { fakeAuthStore, noProcesses } from "../../fakes/mcp.ts";
import { makeDirectWeb } from "../../mock-servers/direct-web.ts";
import type { McpMockServer } from "../../mock-servers/mcp-server.ts";
import { startMcpServers } from "../../mock-servers/mcp-servers.ts";
import { valueOf } from "../value-of.ts";
import { callOf, tool } from "./suite.ts";

const CONSENT: Consent = { redirectUrl: "http://127.0.0.1:9/callback", clientUrl: null, state: "the-state" };
const REPLY = { resultType: "complete", content: [{ type: "text", text: "heard" }] };
const ACCOUNT: Account = {
  connection: "con_1",
  app: "notes",
  provider: "mcp",
  owner: { kind: "shared" },
  label: null,
  consent: 1,
  delegates: false,
};
const ENDED = {
  ok: false,
  error: { code: "permission_denied", happened: "no", cause: { kind: "connection_ended", connection: "con_1" } },
};

let servers: McpMockServer;
let id: string;
let saved: SavedAuth;
let grant: "authorization_code" | "client_credentials";
let hasOAuth: boolean;
/** What the last listing found of the server: then a call is its first request. */
let prior: unknown;
let ends: readonly (readonly [string, string])[];
/** Called before each request. */
let onRequest: () => void;
/** The accounts that requests had for the egress module. */
let sentAccounts: unknown[];

beforeEach(async () => {
  servers = await startMcpServers();
  [id, saved, grant, ends, sentAccounts] = [crypto.randomUUID(), {}, "authorization_code", [], []];
  [hasOAuth, prior, onRequest] = [true, null, () => undefined];
  await control("set");
});

afterEach(async () => {
  await servers.close();
});

async function control(what: "set" | "expire" | "revoke" | "admit" | "migrate", more: object = {}): Promise<void> {
  const body = JSON.stringify({ tools: [tool("echo")], answers: { echo: [REPLY] }, guarded: true, ...more });
  await fetch(`http://${servers.host}/${what}/${id}`, { method: "POST", body });
}

function open(consent: Consent | null = null): McpServers {
  const web: Pick<WebPort, "open"> = {
    open: async (request) => {
      sentAccounts.push(request.account);
      onRequest();
      return await makeDirectWeb().open(request);
    },
  };
  const store = fakeAuthStore(
    () => saved,
    (next) => (saved = next),
  );
  const own = grant === "client_credentials" ? { clientId: "otto", clientSecret: "s" } : NO_CLIENT;
  const oauth: McpServer["oauth"] = { grant, ...own, scope: null, store };
  const fixed = { name: "notes", headers: [], version: 1, prior, process: null };
  const server: McpServer = { ...fixed, url: `http://${servers.host}/mcp/${id}`, oauth: hasOAuth ? oauth : null };
  return openMcp({
    web,
    processes: noProcesses,
    tenant: "t1",
    consent,
    find: () => Promise.resolve(ok(server)),
    noteListChanged: () => Promise.resolve(),
    noteGrantEnded: ({ connection }, why) => Promise.resolve((ends = [...ends, [connection, why]])),
  });
}

const NO_CLIENT = { clientId: null, clientSecret: null };

const call = async (account: Account | null = ACCOUNT) =>
  await open().call(callOf(account === null ? {} : { account }));
const list = async (consent: Consent | null = null) => await open(consent).list("notes", AbortSignal.timeout(10_000));
const tokenRequests = () => servers.received.filter(({ path }) => path.endsWith("/token")).length;

/** A person authorizes Otto. */
async function authorize(): Promise<void> {
  const listed = await list(CONSENT);
  const cause = listed.ok ? undefined : listed.error.cause;
  const { headers } = await fetch(cause?.kind === "needs_consent" ? cause.url : "", { redirect: "manual" });
  valueOf(await open(CONSENT).finish("notes", new URL(headers.get("location") ?? "").searchParams));
  ({ prior } = valueOf(await list()));
}

describe("a call through the one grant of a server", () => {
  it("sends the server's own token, and names the account to nobody", async () => {
    await authorize();
    expect(saved.isNew).toBe(true);
    expect(await call()).toMatchObject({ ok: true });
    // A tool that was published before there were such accounts.
    expect(await call(null)).toMatchObject({ ok: true });
    expect(new Set(sentAccounts)).toEqual(new Set([undefined]));
    expect(ends).toEqual([]);
  });

  it("reports the account as ended once the grant is refused, and that nothing was done", async () => {
    await authorize();
    await control("revoke");
    expect(await call()).toMatchObject(ENDED);
    expect(ends).toEqual([["con_1", expect.stringContaining("does not accept Otto's credentials")]]);
    // What the package discarded stays lost for the next call too.
    expect(await call()).toMatchObject(ENDED);
    expect(await call(null)).toMatchObject({ ok: false, error: { code: "permission_denied" } });
    expect(ends).toHaveLength(2);
  });

  it("reports it after the server moved to another authorization server, and names both", async () => {
    await authorize();
    await control("migrate");
    expect(await call()).toMatchObject(ENDED);
    expect(ends).toEqual([["con_1", expect.stringMatching(/now names the authorization server \S+\/2, but/)]]);
  });

  it.each([
    ["the authorization server fails", { tokenStatus: 500 }, true],
    ["the server fails", { status: 500 }, false],
  ])("ends nothing while %s", async (_what, more, isExpired) => {
    await authorize();
    if (isExpired) await control("expire");
    await control("set", more);
    const failed = await call();
    expect(failed).toMatchObject({ ok: false, error: { code: "upstream_failed" } });
    expect([ends, saved.tokens]).toEqual([[], expect.anything()]);
  });

  it("is refused for a server that has no OAuth any more, and takes no account of a person", async () => {
    const refused = { ok: false, error: { code: "permission_denied", happened: "no" } };
    const before = servers.received.length;
    expect(await call({ ...ACCOUNT, owner: { kind: "person", id: "per_ana", name: "Ana" } })).toMatchObject(refused);
    hasOAuth = false;
    expect(await call()).toMatchObject(refused);
    expect(servers.received).toHaveLength(before);
  });
});

describe("an authorization that an administrator ended", () => {
  it("is used by no call, also where Otto authorizes itself, until an administrator reads the server again", async () => {
    grant = "client_credentials";
    expect(await list()).toMatchObject({ ok: true });
    expect(await call()).toMatchObject({ ok: true });
    saved = { isEnded: true };
    const before = servers.received.length;
    expect(await call()).toMatchObject(ENDED);
    expect(await call(null)).toMatchObject({ ok: false, error: { code: "permission_denied", happened: "no" } });
    expect(servers.received).toHaveLength(before);
    expect(await list()).toMatchObject({ ok: true });
    expect(saved).not.toHaveProperty("isEnded");
    expect(await call()).toMatchObject({ ok: true });
  });

  it("is not restored by an administrator's reading that began before", async () => {
    await authorize();
    await control("expire");
    onRequest = () => {
      saved = { isEnded: true };
    };
    expect(await list(CONSENT)).toMatchObject({ ok: false, error: { code: "permission_denied" } });
    expect(saved).toEqual({ isEnded: true });
  });

  it("is not renewed by a call that began before", async () => {
    grant = "client_credentials";
    valueOf(await list());
    await control("expire");
    const before = tokenRequests();
    const calling = call();
    saved = { isEnded: true };
    expect(await calling).toMatchObject({ ok: false, error: { code: "permission_denied" } });
    expect(tokenRequests()).toBe(before);
  });

  it("and a client that the authorization server refuses, end the account; a client that it accepts again is used", async () => {
    grant = "client_credentials";
    valueOf(await list());
    await control("revoke");
    expect(await call()).toMatchObject(ENDED);
    expect(await list()).toMatchObject({ ok: false, error: { code: "permission_denied" } });
    await control("admit");
    expect(await list()).toMatchObject({ ok: true });
  });
});
