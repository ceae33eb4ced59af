/** MCP servers that are processes, when nobody is to have them any more. */
import type { Sidecar } from "../sidecar/sidecar.ts";
import { signMcpEnd } from "../sidecar/token.ts";

const TIMEOUT_MS = 2_000;

/**
 * Has the sidecar end the processes of a server that is gone, or of a tenant (`server` null), each with the last request
 * that it has. Never throws: a sidecar that does not hear it ends them when they have been idle for its time.
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
