/** The order of one message to an MCP server that runs as a process. */
import { createHash } from "node:crypto";
import { z } from "zod";

const MAX_TEXT = 140_000;

export const mcpOrderSchema = z.strictObject({
  server: z.string().min(1).max(100),
  command: z.string().min(1).max(1_000),
  args: z.array(z.string().max(MAX_TEXT)).max(200),
  env: z.array(z.tuple([z.string().min(1).max(100), z.string().max(MAX_TEXT)])).max(100),
  /** Patterns of the hosts that it may reach (`core/web/host-pattern.ts`). */
  network: z.array(z.string().min(1).max(300)).max(100),
  /** The operation of the Worker that sends the message. Message ids are unique within it. */
  channel: z.string().min(1).max(100),
  /** How long the caller waits for the answer. */
  timeout_ms: z.int().min(1).max(600_000),
});

export type McpOrder = z.infer<typeof mcpOrderSchema>;

/** Orders with the same key use the same process. */
export function getProcessKey(tenant: string, { server, command, args, env, network }: McpOrder): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([command, args, env, network]))
    .digest("base64url");
  return JSON.stringify([tenant, server, hash]);
}
