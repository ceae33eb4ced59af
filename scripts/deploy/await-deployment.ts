/** Whether an upload has arrived: its own /health says so. */
import { DeployRefused } from "./deploy-refused.ts";

/** A new name on workers.dev takes a minute to be known everywhere. */
const GIVE_UP_AFTER_MS = 180_000;
const LOOK_EVERY_MS = 2_000;
const LOOK_TIMEOUT_MS = 10_000;

export interface DeploymentHealth {
  readonly status: string;
  readonly database: string;
  readonly sidecar: string;
  readonly version: string;
}

export interface Waiting {
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

/**
 * Asks `origin` until the upload `versionId` answers and works. Throws `DeployRefused` with the last answer, at once when
 * that upload itself says that it cannot work.
 */
export async function awaitDeployment(origin: string, versionId: string, waiting: Waiting): Promise<DeploymentHealth> {
  let last = "nothing";
  for (const end = waiting.now() + GIVE_UP_AFTER_MS; waiting.now() < end; await waiting.sleep(LOOK_EVERY_MS)) {
    const health = await look(origin);
    if (typeof health === "string") last = health;
    else if (health["deployment"] !== versionId) last = `upload ${String(health["deployment"])}, which is another`;
    else {
      last = JSON.stringify(health);
      if (health["status"] === "failed" && health["database"] !== "away") break;
      if (hasProblems(health)) break;
      if (health["database"] === "ok") return health as unknown as DeploymentHealth;
    }
  }
  throw new DeployRefused(
    `The upload ${versionId} is out, but ${origin}/health does not say that it works.\nIts last answer: ${last}\n` +
      "Mend what it names and deploy again, or go back: npx wrangler rollback",
  );
}

function hasProblems(health: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(health["problems"]) && health["problems"].length > 0;
}

async function look(origin: string): Promise<Record<string, unknown> | string> {
  try {
    const response = await fetch(`${origin}/health`, { signal: AbortSignal.timeout(LOOK_TIMEOUT_MS) });
    const text = await response.text();
    try {
      return JSON.parse(text) as Record<string, unknown>;
    } catch {
      return `${response.status} ${text.slice(0, 200)}`;
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
