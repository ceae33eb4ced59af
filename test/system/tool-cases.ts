/** Cases of the tenancy matrix: those of the tools, and of use. */
import type { Case } from "./tenancy-cases.ts";

/** A tool of a tenant's own, at an address with the text that only the first tenant has. */
export function ownTool(name: string, summary = "Look.") {
  const url = "https://nowhere.example/look";
  return { name, summary, security: "safe", input: { type: "object" }, request: { url } };
}

/** A document that the first tenant has imported. */
export const apiDocument = {
  name: "kept",
  openapi: {
    openapi: "3.1.0",
    info: { title: "Kept" },
    servers: [{ url: "https://nowhere.example" }],
    paths: { "/x": { get: { operationId: "look", summary: "Look." } } },
  },
};

/** An MCP server that is nowhere: its address is one that nothing is sent to. */
export const mcpServer = (name: string, path = "") => ({ name, url: `http://127.0.0.1:1/mcp${path}` });

/** A SKILL.md, with the text that only the first tenant has in its instructions. */
export const skillFile = (name: string, text: string) => `---\nname: ${name}\ndescription: Look.\n---\n\n${text}\n`;

const NONE = "0".repeat(64);

/** Of the skills: `canary-note` stays, `canary-done` goes. */
const SKILL_CASES: readonly Case[] = [
  { route: "GET /v1/skills", path: () => "/v1/skills", other: "nothing of it", owner: 200 },
  { route: "GET /v1/skills/{name}", path: () => "/v1/skills/canary-note", other: 404, owner: 200 },
  { route: "GET /v1/skills/{name}/versions", path: () => "/v1/skills/canary-note/versions", other: 404, owner: 200 },
  {
    route: "GET /v1/skills/{name}/versions/{version}",
    path: () => "/v1/skills/canary-note/versions/1",
    other: 404,
    owner: 200,
  },
  {
    route: "GET /v1/skills/{name}/versions/{version}/difference/{other}",
    path: () => "/v1/skills/canary-note/versions/1/difference/1",
    other: 404,
    owner: 200,
  },
  {
    route: "GET /v1/skills/{name}/files/{path}",
    path: () => "/v1/skills/canary-note/files/SKILL.md",
    other: 404,
    owner: 200,
  },
  {
    route: "PUT /v1/skills/{name}",
    path: () => "/v1/skills/canary-note",
    body: () => ({ version: 1 }),
    other: 404,
    owner: 200,
  },
  {
    route: "PUT /v1/skills/{name}",
    path: () => "/v1/skills/canary-note",
    body: () => ({ version: NONE }),
    other: 404,
    owner: 404,
  },
  { route: "DELETE /v1/skills/{name}", path: () => "/v1/skills/canary-done", other: 404, owner: 200 },
  {
    route: "POST /v1/skills/validate",
    path: () => "/v1/skills/validate",
    body: () => skillFile("canary-note", "Another."),
    other: "nothing of it",
    owner: 200,
  },
  {
    route: "POST /v1/skills",
    path: () => "/v1/skills",
    body: () => skillFile("another", "Another."),
    other: "nothing of it",
    owner: 201,
  },
];

/** In this order: what is taken away at the end was there before. */
export const TOOL_CASES: readonly Case[] = [
  { route: "GET /v1/usage", path: () => "/v1/usage?by=agent,key,project", other: "nothing of it", owner: 200 },
  { route: "GET /v1/tools.md", path: () => "/v1/tools.md", other: "nothing of it", owner: 200 },
  { route: "GET /v1/tools/{name}", path: () => "/v1/tools/canary.look", other: 404, owner: 200 },
  { route: "GET /v1/tools/{name}/versions", path: () => "/v1/tools/canary.look/versions", other: 404, owner: 200 },
  { route: "POST /v1/tools/{name}/reload", path: () => "/v1/tools/canary.look/reload", other: 404, owner: 200 },
  {
    route: "POST /v1/tools/{name}/call",
    path: () => "/v1/tools/canary.look/call",
    body: () => ({ arguments: {} }),
    other: 404,
    owner: 200,
  },
  {
    route: "POST /v1/tools",
    path: () => "/v1/tools",
    body: () => ownTool("canary.look"),
    other: "nothing of it",
    owner: 409,
  },
  {
    route: "PUT /v1/tools/{name}",
    path: () => "/v1/tools/canary.kept",
    body: () => ownTool("canary.kept"),
    other: 404,
    owner: 200,
  },
  { route: "DELETE /v1/tools/{name}", path: () => "/v1/tools/canary.kept", other: 404, owner: 200 },
  {
    route: "POST /v1/tools/import",
    path: () => "/v1/tools/import",
    body: () => apiDocument,
    other: "nothing of it",
    owner: 409,
  },
  { route: "GET /v1/tool-sources", path: () => "/v1/tool-sources", other: "nothing of it", owner: 200 },
  {
    route: "DELETE /v1/tool-sources/{source}",
    path: () => "/v1/tool-sources/openapi:gone",
    other: 404,
    owner: 200,
  },
  { route: "GET /v1/mcp-servers", path: () => "/v1/mcp-servers", other: "nothing of it", owner: 200 },
  { route: "GET /v1/mcp-servers/{name}", path: () => "/v1/mcp-servers/kept", other: 404, owner: 200 },
  { route: "POST /v1/mcp-servers/{name}/reload", path: () => "/v1/mcp-servers/kept/reload", other: 404, owner: 200 },
  {
    route: "POST /v1/mcp-servers/{name}/approve",
    path: () => "/v1/mcp-servers/kept/approve",
    body: () => ({ hash: "0".repeat(64) }),
    other: 404,
    owner: 409,
  },
  { route: "DELETE /v1/mcp-servers/{name}", path: () => "/v1/mcp-servers/kept", other: 404, owner: 204 },
  {
    route: "POST /v1/mcp-servers",
    path: () => "/v1/mcp-servers",
    body: () => mcpServer("mine"),
    other: "nothing of it",
    owner: 201,
  },
  {
    route: "PUT /v1/mcp-servers",
    path: () => "/v1/mcp-servers",
    body: () => ({ mcpServers: {} }),
    other: "nothing of it",
    owner: 200,
  },
  ...SKILL_CASES,
  { route: "GET /oauth/mcp/client.json", path: () => "/oauth/mcp/client.json", other: "nothing of it", owner: 200 },
  { route: "GET /oauth/mcp/begin", path: () => "/oauth/mcp/begin?state=x", other: 422, owner: 422 },
  { route: "GET /oauth/mcp/callback", path: () => "/oauth/mcp/callback?state=x", other: 422, owner: 422 },
  { route: "GET /v1/tools", path: () => "/v1/tools", other: "nothing of it", owner: 200 },
  { route: "GET /v1/tools.json", path: () => "/v1/tools.json", other: "nothing of it", owner: 200 },
  { route: "GET /v1/tools/{name}", path: () => "/v1/tools/read_file", other: "nothing of it", owner: 200 },
  {
    route: "POST /v1/tools/{name}/reload",
    path: () => "/v1/tools/read_file/reload",
    other: "nothing of it",
    owner: 200,
  },
];
