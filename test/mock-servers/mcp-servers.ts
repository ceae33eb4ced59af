/**
 * Many mock MCP servers behind one listener, for tests that cannot start servers: `/mcp/{id}` is a server of 2026-07-28, `PUT /set/{id}`
 * configures its tools and answers, `GET /calls/{id}` lists its calls. A `guarded` server has an authorization server at `/as/{id}/1`, whose
 * tokens expire by `POST /expire/{id}`, and whose grants end by `POST /revoke/{id}`; `POST /admit/{id}` accepts clients again that
 * authenticate as themselves. `POST /migrate/{id}` gives it another one, and only that one's tokens count from then on.
 */
import type { ServerResponse } from "node:http";
import { McpAuthority } from "./mcp-authority.ts";
import { type McpMessage, type McpMockServer, sendJson, startMcpServer } from "./mcp-server.ts";

/** A server's behaviour. `answers` lists the results of calls in order, by tool; the last one repeats. */
interface ServerSettings {
  readonly tools?: readonly unknown[];
  readonly answers?: Readonly<Record<string, readonly unknown[]>>;
  /** Answers everything with this status. */
  readonly status?: number;
  /** Sends a changed list of tools with every call's reply. */
  readonly listChanged?: boolean;
  readonly guarded?: boolean;
  /** The authorization server answers requests for tokens with this status. */
  readonly tokenStatus?: number;
}

/** The paths of tests. */
const CONTROLS: ReadonlySet<string | undefined> = new Set(["set", "calls", "expire", "revoke", "admit", "migrate"]);

export async function startMcpServers(): Promise<McpMockServer> {
  const settings = new Map<string, ServerSettings>();
  const calls = new Map<string, { params: unknown; headers: McpMessage["headers"] }[]>();
  const authorities = new Map<string, McpAuthority[]>();
  const idOf = ({ path }: McpMessage) =>
    path
      .split("?")[0]
      ?.split("/")
      .findLast((part) => part.length === 36) ?? "";

  function addAuthority({ headers }: McpMessage, id: string): void {
    const before = authorities.get(id) ?? [];
    const origin = `http://${headers["host"] ?? ""}`;
    const made = new McpAuthority(`${origin}/as/${id}/${before.length + 1}`, `${origin}/mcp/${id}`);
    authorities.set(id, [...before, made]);
  }

  /** True if the authorization check answered. */
  function guard(message: McpMessage, id: string, response: ServerResponse): boolean {
    if (!authorities.has(id)) addAuthority(message, id);
    const all = authorities.get(id) ?? [];
    const { tokenStatus } = settings.get(id) ?? {};
    if (tokenStatus !== undefined && message.path.endsWith("/token")) {
      sendJson(response, tokenStatus, {});
      return true;
    }
    const reply = all.map((one) => one.answer(message)).find((answer) => answer !== null);
    if (reply !== undefined) {
      if (reply.location !== undefined) response.setHeader("location", reply.location);
      sendJson(response, reply.status, reply.body ?? {});
      return true;
    }
    const isAccepted = all.at(-1)?.accepts(message.headers["authorization"]) === true;
    if (!message.path.startsWith("/mcp/") || isAccepted) return false;
    const metadata = `http://${message.headers["host"] ?? ""}/as/${id}/${all.length}/metadata`;
    response.setHeader("www-authenticate", `Bearer resource_metadata="${metadata}"`);
    sendJson(response, 401, {});
    return true;
  }

  return await startMcpServer({
    asEvents: true,
    notifications: (message) =>
      settings.get(idOf(message))?.listChanged === true ? ["notifications/tools/list_changed"] : [],
    tools: (message) => settings.get(idOf(message))?.tools ?? [],
    answer(params, message) {
      const id = idOf(message);
      const made = calls.get(id) ?? [];
      calls.set(id, [...made, { params, headers: message.headers }]);
      const name = String(params["name"]);
      const answers = settings.get(id)?.answers?.[name] ?? [];
      const before = made.filter((call) => (call.params as { name: unknown }).name === name).length;
      return answers[before] ?? answers.at(-1) ?? { error: { code: -32602, message: `no tool ${name}` } };
    },
    takeOver(message, response) {
      const id = idOf(message);
      const [, what] = message.path.split("/");
      if (what === "set") settings.set(id, JSON.parse(message.text) as ServerSettings);
      for (const one of authorities.get(id) ?? []) {
        if (what === "expire") one.expire();
        if (what === "revoke") one.revoke();
        if (what === "admit") one.admit();
      }
      if (what === "migrate") addAuthority(message, id);
      if (CONTROLS.has(what)) {
        sendJson(response, 200, calls.get(id) ?? []);
        return true;
      }
      const { status, guarded } = settings.get(id) ?? {};
      if (guarded === true && guard(message, id, response)) return true;
      if (status !== undefined) sendJson(response, status, {});
      return status !== undefined;
    },
  });
}
