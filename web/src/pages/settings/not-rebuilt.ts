/** What a lost database had alone, in words. */

/** One and many of each kind, by the kind's name in the API. */
const WORDS: Readonly<Record<string, readonly [string, string]>> = {
  agents: ["agent", "agents"],
  people: ["person", "people"],
  secrets: ["secret", "secrets"],
  memories: ["memory", "memories"],
  skills: ["skill", "skills"],
  tools: ["source of tools", "sources of tools"],
  mcp_servers: ["MCP server", "MCP servers"],
  webhooks: ["outgoing webhook", "outgoing webhooks"],
  incoming_webhooks: ["incoming webhook", "incoming webhooks"],
  slack_workspaces: ["Slack workspace", "Slack workspaces"],
  connections: ["connected account", "connected accounts"],
  projects: ["project without tasks or files", "projects without tasks or files"],
  keys: [
    "API key that was never used or that another tenant has",
    "API keys that were never used or that another tenant has",
  ],
};

/** A line for each kind of which something was lost. */
export function notRebuilt(counts: Readonly<Partial<Record<string, number>>>): string[] {
  return Object.entries(counts).flatMap(([kind, count = 0]) => {
    const [one, many] = WORDS[kind] ?? [kind, kind];
    return count === 0 ? [] : [`${count.toLocaleString("en")} ${count === 1 ? one : many}`];
  });
}
