/**
 * What the tour of accounts needs outside of Otto: an app with its authorization server, an MCP server that accepts that
 * server's tokens, and Slack. The app and the MCP server answer with the data of the account whose token they get.
 */
import type { McpMessage, McpMockServer } from "../mock-servers/mcp-server.ts";
import { sendJson, startMcpServer } from "../mock-servers/mcp-server.ts";
import { type OAuthApp, startOAuthApp } from "../mock-servers/oauth-app.ts";
import { type SlackServer, startSlackServer } from "../mock-servers/slack-server.ts";
import { startFirstTime, type TestSystem } from "../setup/start-system.ts";

export const SIGNING_SECRET = "canary-signing-secret";

/** A call of an MCP tool: the token that it carried, and whose it was. */
interface PagesCall {
  readonly credential: string;
  readonly user: string;
}

export interface AccountsWorld {
  readonly system: TestSystem;
  readonly app: OAuthApp;
  readonly mcp: McpMockServer;
  readonly slack: SlackServer;
  /** The calls of the tool `pages` of the MCP server. */
  readonly pagesCalls: readonly PagesCall[];
  close(): Promise<void>;
}

/** Starts everything. Otto's state folder is empty. `more` are other variables of it, for the address of the MCP server. */
export async function startAccountsWorld(
  more: (mcpUrl: string) => Readonly<Record<string, string>> = () => ({}),
): Promise<AccountsWorld> {
  const [app, slack] = await Promise.all([startOAuthApp(), startSlackServer()]);
  const pagesCalls: PagesCall[] = [];
  const mcp = await startPages(app, pagesCalls);
  const closeServers = async (): Promise<void> => {
    await Promise.all([app.close(), slack.close(), mcp.close()]);
  };
  try {
    const system = await startFirstTime((url) => ({
      OTTO_PUBLIC_URL: url,
      OTTO_EGRESS_ALLOW: `${app.host},${mcp.host}`,
      SLACK_API_URL: `${slack.url}/api/`,
      SLACK_SIGNING_SECRET: SIGNING_SECRET,
      ...more(mcp.url),
    }));
    return {
      system,
      app,
      mcp,
      slack,
      pagesCalls,
      async close() {
        await system.stop();
        await closeServers();
      },
    };
  } catch (error) {
    await closeServers();
    throw error;
  }
}

const PAGES_TOOL = {
  name: "pages",
  description: "Lists the pages of the account.",
  inputSchema: { type: "object" },
  annotations: { readOnlyHint: true },
};
const METADATA = "/metadata";

/** An MCP server whose authorization server is the app's (RFC 9728). */
async function startPages({ url: issuer, grants }: OAuthApp, calls: PagesCall[]): Promise<McpMockServer> {
  const tokenOf = ({ headers }: McpMessage): string => headers["authorization"]?.replace(/^Bearer /, "") ?? "";
  return await startMcpServer({
    asEvents: true,
    tools: () => [PAGES_TOOL],
    answer(_, message) {
      const user = grants.findUser(tokenOf(message));
      calls.push({ credential: tokenOf(message), user: user?.id ?? "" });
      return { resultType: "complete", content: [{ type: "text", text: `A page of ${user?.name ?? "nobody"}` }] };
    },
    takeOver(message, response) {
      const origin = `http://${message.headers["host"] ?? ""}`;
      if (message.path === METADATA) {
        sendJson(response, 200, { resource: `${origin}/mcp`, authorization_servers: [issuer] });
        return true;
      }
      if (grants.findUser(tokenOf(message)) !== null) return false;
      response.setHeader("www-authenticate", `Bearer resource_metadata="${origin}${METADATA}"`);
      sendJson(response, 401, {});
      return true;
    },
  });
}
