/** Fake MCP servers: each has a list of tools and a function that answers calls. */
import { failed, type Failure, notSent, ok } from "../../core/base/errors.ts";
import type { AuthStore, SavedAuth } from "../../adapters/mcp/server.ts";
import { fakeSecrets } from "./secrets.ts";
import type { McpCall, McpPort, McpReply } from "../../core/ports/mcp.ts";

/** The failure without a sidecar to run servers as processes. */
export const noProcesses = { sidecar: null, secrets: fakeSecrets() };

/** The authorization of one caller, whose lease is always free. */
export function fakeAuthStore(read: () => SavedAuth, write: (next: SavedAuth) => void = () => undefined): AuthStore {
  /** What the caller loaded or saved last. */
  let known = "";
  const put = (next: SavedAuth): void => {
    write(next);
    known = JSON.stringify(read());
  };
  return {
    load: () => {
      known = JSON.stringify(read());
      return Promise.resolve(ok(read()));
    },
    save: (next) => Promise.resolve(ok(put(next))),
    replace: (next) => {
      if (JSON.stringify(read()) !== known) return Promise.resolve(ok(false));
      put(next);
      return Promise.resolve(ok(true));
    },
    lease: () => Promise.resolve(ok(true)),
    release: () => Promise.resolve(),
  };
}

/** One server. `away` means that it is unreachable. */
export interface FakeMcpServer {
  readonly tools: readonly {
    readonly name: string;
    readonly inputSchema: unknown;
    readonly [field: string]: unknown;
  }[];
  readonly answer: (call: McpCall) => McpReply | Failure;
  readonly away?: boolean;
}

/** Creates a port to these servers, by name. */
export function fakeMcp(servers: Readonly<Record<string, FakeMcpServer>> = {}): McpPort {
  const find = (name: string) => {
    const server = servers[name];
    if (server === undefined) return notSent("not_found", `There is no MCP server ${name}.`);
    if (server.away === true) {
      return notSent("upstream_failed", `The MCP server ${name} cannot be reached.`);
    }
    return ok(server);
  };
  return {
    async list(name) {
      const server = find(name);
      if (!server.ok) return server;
      const { tools } = server.value;
      return await Promise.resolve(ok({ tools, protocolVersion: "2026-07-28", prior: null }));
    },
    async call(call) {
      const server = find(call.server);
      if (!server.ok) return server;
      if (call.signal.aborted) return notSent("timeout", "The call was cancelled.");
      if (!server.value.tools.some(({ name }) => name === call.tool)) {
        return failed("invalid_input", `There is no tool ${call.tool}.`, { cause: { kind: "answered" } });
      }
      const answered = server.value.answer(call);
      return await Promise.resolve("code" in answered ? { ok: false, error: answered } : ok(answered));
    },
  };
}
