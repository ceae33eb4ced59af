/** A mock MCP server that wants OAuth, with a tenant that adds it: requests of the tenant, and what a person does in a browser. */
import { env } from "cloudflare:workers";
import { expect, inject } from "vitest";
import { mcpRegistryFromEnv } from "../../../adapters/env/mcp.ts";
import type { SavedAuth } from "../../../adapters/mcp/server.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { type Answer, type Caller, makeCaller } from "../http/entry.ts";
import { newBrowser } from "./consent-client.ts";

const ECHO = { name: "echo", description: "Echoes.", inputSchema: { type: "object" } };
const REPLY = { resultType: "complete", content: [{ type: "text", text: "heard" }] };

export interface GuardedServer {
  readonly caller: Caller;
  readonly url: string;
  /** Tells the mock server what to do. */
  control(what: "expire" | "revoke" | "admit" | "migrate"): Promise<void>;
  /** Sets what it answers. */
  serve(change?: object): Promise<void>;
  /** Adds it as `notes`. A trusted one only reads. */
  add(oauth?: object | null, more?: object): Promise<Answer>;
  /** Goes where a person goes, and gives the path and query that they come back with. */
  agree(link: string, browser?: ReturnType<typeof newBrowser>): Promise<string>;
  /** Goes there, and comes back in the same browser. */
  consent(link: string): Promise<Answer>;
  /** Reloads it, and authorizes Otto where it asks for that. */
  authorize(): Promise<void>;
  reload(): Promise<Answer>;
  call(): Promise<Answer>;
  /** What is stored of its authorization, opened; null without the server. */
  readAuth(): Promise<SavedAuth | null>;
  /** How often its tool was called. */
  countCalls(): Promise<number>;
}

export async function openGuardedServer(): Promise<GuardedServer> {
  const caller = await makeCaller();
  const id = crypto.randomUUID();
  const { mcpUrl } = inject("servers");
  const url = `${mcpUrl}/mcp/${id}`;
  const server: GuardedServer = {
    caller,
    url,
    async control(what) {
      await fetch(`${mcpUrl}/${what}/${id}`, { method: "POST" });
    },
    async serve(change = {}) {
      const tools = [{ ...ECHO, annotations: { readOnlyHint: true } }];
      const settings = { tools, answers: { echo: [REPLY] }, guarded: true, ...change };
      await fetch(`${mcpUrl}/set/${id}`, { method: "PUT", body: JSON.stringify(settings) });
    },
    add: async (oauth = {}, more = { trusted: true }) =>
      await caller.send("POST", "/v1/mcp-servers", {
        name: "notes",
        url,
        ...(oauth === null ? {} : { oauth }),
        ...more,
      }),
    async agree(link, browser = newBrowser()) {
      const answer = await fetch(await browser.begin(link), { redirect: "manual" });
      const back = new URL(answer.headers.get("location") ?? "");
      return back.pathname + back.search;
    },
    async consent(link) {
      const browser = newBrowser();
      return await browser.visit(await server.agree(link, browser));
    },
    async authorize() {
      const { json } = await server.reload();
      const page = await server.consent(json.authorization_url);
      expect(page.status, page.text).toBe(200);
    },
    reload: async () => await caller.send("POST", "/v1/mcp-servers/notes/reload"),
    call: async () => await caller.send("POST", "/v1/tools/notes_echo/call", {}),
    async readAuth() {
      const saved = await mcpRegistryFromEnv(env, caller.tenant).authOf("notes").load();
      return !saved.ok && saved.error.code === "not_found" ? null : valueOf(saved);
    },
    async countCalls() {
      return (await (await fetch(`${mcpUrl}/calls/${id}`)).json<unknown[]>()).length;
    },
  };
  await server.serve();
  return server;
}
