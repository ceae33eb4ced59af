/**
 * Many MCP servers behind one listener, for tests that cannot start any: `/mcp/{id}` is a server of 2026-07-28, `PUT
 * /set/{id}` says what it lists and answers, `GET /calls/{id}` tells what was called.
 */
import { type McpMessage, type McpStandIn, sendJson, startMcpServer } from "./mcp-server.ts";

/** What a server does. `answers`: by tool, the results of its calls in their order; the last one stays. */
interface DeskSettings {
  readonly tools?: readonly unknown[];
  readonly answers?: Readonly<Record<string, readonly unknown[]>>;
  /** Answers everything with this status. */
  readonly status?: number;
  /** Says with every call's reply that its tools are others now. */
  readonly listChanged?: boolean;
}

export async function startMcpDesk(): Promise<McpStandIn> {
  const settings = new Map<string, DeskSettings>();
  const calls = new Map<string, { params: unknown; headers: McpMessage["headers"] }[]>();
  const idOf = ({ path }: McpMessage) => path.split("/")[2] ?? "";

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
      if (message.path.startsWith("/set/")) {
        settings.set(id, JSON.parse(message.text) as DeskSettings);
        sendJson(response, 200, {});
        return true;
      }
      if (message.path.startsWith("/calls/")) {
        sendJson(response, 200, calls.get(id) ?? []);
        return true;
      }
      const status = settings.get(id)?.status;
      if (status !== undefined) sendJson(response, status, {});
      return status !== undefined;
    },
  });
}
