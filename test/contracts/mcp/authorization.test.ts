/** Credentials belong to the authorization server that issued them, even when the MCP server names another one (SEP-2352). */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type McpServers, openMcp } from "../../../adapters/mcp/mcp.ts";
import type { Consent, McpServer, SavedAuth } from "../../../adapters/mcp/server.ts";
import { ok } from "../../../core/base/errors.ts";
import { fakeAuthStore, noProcesses } from "../../fakes/mcp.ts";
import { makeDirectWeb } from "../../mock-servers/direct-web.ts";
import type { McpMockServer } from "../../mock-servers/mcp-server.ts";
import { startMcpServers } from "../../mock-servers/mcp-servers.ts";
import { tool } from "./suite.ts";

const CONSENT: Consent = { redirectUrl: "http://127.0.0.1:9/callback", clientUrl: null, state: "the-state" };
const OWN = { clientId: "own-client-id", clientSecret: "canary-own-secret" };
const NONE = { clientId: null, clientSecret: null };

type OAuth = Pick<NonNullable<McpServer["oauth"]>, "grant" | "clientId" | "clientSecret">;

let servers: McpMockServer;
let id: string;
let saved: SavedAuth;

beforeEach(async () => {
  servers = await startMcpServers();
  id = crypto.randomUUID();
  saved = {};
  await send("set", JSON.stringify({ tools: [tool("echo")], guarded: true }));
});

afterEach(async () => {
  await servers.close();
});

async function send(what: "set" | "migrate" | "expire", body = ""): Promise<void> {
  await fetch(`http://${servers.host}/${what}/${id}`, { method: "POST", body });
}

/** A port to the guarded server. */
function open(oauth: OAuth, consent: Consent | null): McpServers {
  const write = (next: SavedAuth) => {
    saved = next;
  };
  const url = `http://${servers.host}/mcp/${id}`;
  const fixed = { name: "notes", headers: [], version: 1, prior: null, process: null };
  const server: McpServer = {
    ...fixed,
    url,
    oauth: { ...oauth, scope: null, store: fakeAuthStore(() => saved, write) },
  };
  return openMcp({
    web: makeDirectWeb(),
    processes: noProcesses,
    tenant: "t1",
    find: () => Promise.resolve(ok(server)),
    consent,
    noteListChanged: () => Promise.resolve(),
    noteGrantEnded: () => Promise.resolve(),
  });
}

const list = (oauth: OAuth, consent: Consent | null = null) =>
  open(oauth, consent).list("notes", AbortSignal.timeout(10_000));

/** The page that a person is sent to. */
async function begin(oauth: OAuth): Promise<string> {
  const listed = await list(oauth, CONSENT);
  const cause = listed.ok ? undefined : listed.error.cause;
  if (cause?.kind !== "needs_consent") throw new Error("no person was asked");
  return cause.url;
}

/** Agrees on the page, and returns with the code. */
async function agree(oauth: OAuth, page: string) {
  const { headers } = await fetch(page, { redirect: "manual" });
  const { searchParams } = new URL(headers.get("location") ?? "");
  return await open(oauth, CONSENT).finish("notes", searchParams);
}

/** Everything that the authorization server of this number received. */
const receivedBy = (number: number) =>
  servers.received
    .filter(({ path }) => path.includes(`/as/${id}/${number}`))
    .map(({ path, text, headers }) => ({ path, text, authorization: headers["authorization"] }));

const pathsOf = (number: number) => receivedBy(number).map(({ path }) => path.split("?")[0]?.split("/").at(-1));

const MIGRATED = {
  ok: false,
  error: {
    code: "permission_denied",
    message: expect.stringMatching(
      /now names the authorization server \S+\/2, but Otto's credentials belong to \S+\/1\./,
    ),
  },
};

describe("an MCP server that names another authorization server", () => {
  it("gets a new registration there, and nothing of the first", async () => {
    const person: OAuth = { grant: "authorization_code", ...NONE };
    expect(await agree(person, await begin(person))).toEqual({ ok: true, value: undefined });
    expect(await list(person)).toMatchObject({ ok: true });
    const first = JSON.stringify(saved.client);
    await send("migrate");
    expect(await list(person)).toMatchObject(MIGRATED);
    expect(pathsOf(2)).not.toContain("register");
    const page = await begin(person);
    expect(page).toContain(`/as/${id}/2/authorize`);
    expect(await agree(person, page)).toEqual({ ok: true, value: undefined });
    expect(await list(person)).toMatchObject({ ok: true });
    expect(pathsOf(2)).toContain("register");
    const { client_id: firstId } = JSON.parse(first) as { readonly client_id: string };
    expect(JSON.stringify(receivedBy(2))).not.toContain(firstId);
    expect(JSON.stringify(receivedBy(2))).not.toContain("canary");
  });

  it("while a person agrees does not get the code: it goes to where they were sent", async () => {
    const person: OAuth = { grant: "authorization_code", ...NONE };
    const page = await begin(person);
    await send("migrate");
    expect(await agree(person, page)).toEqual({ ok: true, value: undefined });
    expect(pathsOf(1)).toContain("token");
    expect(receivedBy(2)).toEqual([]);
  });

  it.each(["authorization_code", "client_credentials"] as const)(
    "does not get the tenant's own client by %s, also after a restart",
    async (grant) => {
      const own: OAuth = { grant, ...OWN };
      if (grant === "authorization_code") await agree(own, await begin(own));
      expect(await list(own)).toMatchObject({ ok: true });
      await send("migrate");
      saved = JSON.parse(JSON.stringify(saved)) as SavedAuth;
      expect(await list(own)).toMatchObject(MIGRATED);
      expect(await list(own, CONSENT)).toMatchObject(MIGRATED);
      expect(pathsOf(2)).not.toContain("token");
      expect(pathsOf(2)).not.toContain("register");
      expect(pathsOf(2)).not.toContain("authorize");
    },
  );

  it("does not get the own client of an authorization that an earlier release stored", async () => {
    const own: OAuth = { grant: "client_credentials", ...OWN };
    expect(await list(own)).toMatchObject({ ok: true });
    const { ownClient, ...before } = saved;
    expect(ownClient).toMatchObject({ id: OWN.clientId });
    saved = before;
    await send("migrate");
    expect(await list(own)).toMatchObject(MIGRATED);
    expect(pathsOf(2)).not.toContain("token");
  });

  it("does not get it after the tokens that named its authorization server were rejected", async () => {
    const own: OAuth = { grant: "authorization_code", ...OWN };
    await agree(own, await begin(own));
    const { ownClient: _, ...before } = saved;
    saved = { ...before, tokens: { ...(before.tokens as object), refresh_token: "revoked" } };
    await send("expire");
    expect(await list(own)).toMatchObject({ ok: false, error: { code: "permission_denied" } });
    expect(saved.tokens).toBeUndefined();
    await send("migrate");
    const asked = await list(own, CONSENT);
    expect(asked).toMatchObject({ ok: false, error: { code: "permission_denied" } });
    expect(JSON.stringify(asked)).not.toContain(OWN.clientId);
    expect(pathsOf(2)).not.toContain("token");
  });
});
