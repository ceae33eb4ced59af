/** The one grant of an MCP server is renewed by one caller at a time: its authorization server takes each refresh token once. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { openMcp } from "../../../adapters/mcp/mcp.ts";
import type { AuthStore, Consent, McpServer, SavedAuth } from "../../../adapters/mcp/server.ts";
import { notSent, ok } from "../../../core/base/errors.ts";
import type { WebPort } from "../../../core/ports/web.ts";
import { noProcesses } from "../../fakes/mcp.ts";
import { makeDirectWeb } from "../../mock-servers/direct-web.ts";
import type { McpMockServer } from "../../mock-servers/mcp-server.ts";
import { startMcpServers } from "../../mock-servers/mcp-servers.ts";
import { valueOf } from "../value-of.ts";
import { tool } from "./suite.ts";

const CONSENT: Consent = { redirectUrl: "http://127.0.0.1:9/callback", clientUrl: null, state: "the-state" };

let servers: McpMockServer;
let id: string;
let stored: string;
let leasedUntil: number;

beforeEach(async () => {
  servers = await startMcpServers();
  id = crypto.randomUUID();
  [stored, leasedUntil] = ["{}", 0];
  await send("set", JSON.stringify({ tools: [tool("echo")], guarded: true }));
  const page = await open(CONSENT).list("notes", AbortSignal.timeout(10_000));
  const cause = page.ok ? undefined : page.error.cause;
  const { headers } = await fetch(cause?.kind === "needs_consent" ? cause.url : "", { redirect: "manual" });
  const { searchParams } = new URL(headers.get("location") ?? "");
  valueOf(await open(CONSENT).finish("notes", searchParams));
});

afterEach(async () => {
  await servers.close();
});

async function send(what: "set" | "expire", body = ""): Promise<void> {
  await fetch(`http://${servers.host}/${what}/${id}`, { method: "POST", body });
}

/** The row, as one caller sees it. */
function openStore(): AuthStore {
  let present = stored;
  return {
    load: () => {
      present = stored;
      return Promise.resolve(ok(JSON.parse(stored) as SavedAuth));
    },
    save: (next) => {
      stored = JSON.stringify(next);
      present = stored;
      leasedUntil = 0;
      return Promise.resolve(ok(undefined));
    },
    replace: (next) => {
      const isPresent = present === stored;
      if (isPresent) [stored, leasedUntil] = [JSON.stringify(next), 0];
      present = JSON.stringify(next);
      return Promise.resolve(ok(isPresent));
    },
    lease: (ms) => {
      const isFree = present === stored && leasedUntil <= Date.now();
      if (isFree) leasedUntil = Date.now() + ms;
      return Promise.resolve(ok(isFree));
    },
    release: () => {
      if (present === stored) leasedUntil = 0;
      return Promise.resolve();
    },
  };
}

/** A port of an isolate of its own. */
function open(consent: Consent | null = null, web: Pick<WebPort, "open"> = makeDirectWeb()) {
  const fixed = { name: "notes", headers: [], version: 1, prior: null, process: null };
  const oauth = { grant: "authorization_code", clientId: null, clientSecret: null, scope: null } as const;
  const server: McpServer = {
    ...fixed,
    url: `http://${servers.host}/mcp/${id}`,
    oauth: { ...oauth, store: openStore() },
  };
  return openMcp({
    web,
    processes: noProcesses,
    tenant: "t1",
    find: () => Promise.resolve(ok(server)),
    consent,
    noteListChanged: () => Promise.resolve(),
    noteGrantEnded: () => Promise.resolve(),
  });
}

const list = async (web?: Pick<WebPort, "open">) => await open(null, web).list("notes", AbortSignal.timeout(20_000));
const refreshes = () => servers.received.filter(({ text }) => text.includes("grant_type=refresh_token")).length;

/** A web that loses renewals: they reach the server, and their answers are lost. */
function loseRenewals(): Pick<WebPort, "open"> {
  const web = makeDirectWeb();
  return {
    async open(request) {
      const opened = await web.open(request);
      const text = request.body === null ? "" : new TextDecoder().decode(request.body);
      return text.includes("grant_type=refresh_token")
        ? notSent("upstream_failed", "The connection was lost.")
        : opened;
    },
  };
}

it("50 callers at expiry: 1 refresh, 50 good calls", async () => {
  await send("expire");
  const listed = await Promise.all(Array.from({ length: 50 }, async () => await list()));
  expect(listed.filter(({ ok: isOk }) => isOk)).toHaveLength(50);
  expect(refreshes()).toBe(1);
}, 60_000);

it("a refusal ends the grant for all, and frees the lease", async () => {
  stored = JSON.stringify({
    ...(JSON.parse(stored) as SavedAuth),
    tokens: { ...((JSON.parse(stored) as SavedAuth).tokens as object), refresh_token: "revoked" },
  });
  await send("expire");
  expect(await list()).toMatchObject({ ok: false, error: { code: "permission_denied" } });
  expect(leasedUntil).toBe(0);
  expect(await list()).toMatchObject({ ok: false, error: { code: "permission_denied" } });
});

it("a renewal whose answer is lost is not repeated by the next caller before the lease has run out", async () => {
  await send("expire");
  expect(await list(loseRenewals())).toMatchObject({ ok: false });
  expect(leasedUntil).toBeGreaterThan(Date.now());
  const waiting = list();
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(refreshes()).toBe(1);
  leasedUntil = 0;
  // The server took the refresh token; the next caller finds the grant ended, and does not loop.
  expect(await waiting).toMatchObject({ ok: false, error: { code: "permission_denied" } });
  expect(refreshes()).toBe(2);
}, 30_000);

it("a consent that is given during a renewal stays", async () => {
  await send("expire");
  const consented = {
    tokens: { ...((JSON.parse(stored) as SavedAuth).tokens as object), access_token: "of the consent" },
  };
  const web = makeDirectWeb();
  const consenting: Pick<WebPort, "open"> = {
    async open(request) {
      const text = request.body === null ? "" : new TextDecoder().decode(request.body);
      if (text.includes("grant_type=refresh_token")) stored = JSON.stringify(consented);
      return await web.open(request);
    },
  };
  await list(consenting);
  expect(JSON.parse(stored)).toEqual(consented);
});
