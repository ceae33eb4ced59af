/** The MCP server that adding an app of the directory makes. */
import { isPerPerson, type McpSettings } from "./config.ts";

/** True for a server at the address of the entry to which each person connects an account. */
export function isServerOf({ url }: { readonly url: string }, settings: Pick<McpSettings, "url" | "oauth">): boolean {
  return settings.url !== null && settings.url === URL.parse(url)?.href && isPerPerson(settings);
}
