/** Ends MCP server processes that are no longer needed. */
import type { Sidecar } from "../sidecar/sidecar.ts";
import { signMcpEnd } from "../sidecar/token.ts";

const TIMEOUT_MS = 2_000;

/**
 * Makes the sidecar end the processes of a deleted server, or of a tenant (`server` null), each after its last request.
 * Never throws: the sidecar also ends idle processes.
 */
export async function endProcesses(sidecar: Sidecar | null, tenant: string, server: string | null): Promise<void> {
  try {
    if (sidecar === null || (await sidecar.isAsleep())) return;
    const token = await signMcpEnd(sidecar.secret, { tenant, server }, Date.now());
    const response = await sidecar.fetch("/mcp", {
      method: "DELETE",
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
  } catch {
    return;
  }
}
