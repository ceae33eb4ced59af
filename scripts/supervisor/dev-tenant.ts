/** The tenant of this machine: made once by the API, like any other, and its key kept in the state folder. */
import { createHash, randomUUID } from "node:crypto";
import { renameSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { keyOwner } from "../../core/keys.ts";
import { type StateFolder, keep, readKept } from "./state-folder.ts";

const GIVE_UP_AFTER_MS = 30_000;
const RETRY_EVERY_MS = 500;

/**
 * The key of the local tenant. Makes the tenant when there is none, or when the kept key is not known to this system
 * any more (another database, say); that key is then put aside. Throws when the API will not make one.
 */
export async function keepDevTenant(state: StateFolder, origin: string, operatorKey: string): Promise<string> {
  const kept = readKept(state.devKeyFile);
  if (kept !== null && (await isAccepted(origin, kept))) return kept;
  // A start that was cut off between making the tenant and keeping its key gets the same tenant again.
  let idempotencyKey = `dev-tenant-${createHash("sha256").update(operatorKey).digest("hex").slice(0, 32)}`;
  if (kept !== null) {
    renameSync(state.devKeyFile, `${state.devKeyFile}.unknown`);
    idempotencyKey = `dev-tenant-${randomUUID()}`;
  }
  return keep(state.devKeyFile, await makeTenant(origin, operatorKey, idempotencyKey));
}

async function isAccepted(origin: string, key: string): Promise<boolean> {
  const response = await fetch(`${origin}/v1/tasks?limit=1`, { headers: { authorization: `Bearer ${key}` } });
  await response.body?.cancel();
  return response.status !== 401;
}

async function makeTenant(origin: string, operatorKey: string, idempotencyKey: string): Promise<string> {
  let problem = "";
  for (const end = Date.now() + GIVE_UP_AFTER_MS; Date.now() < end; await sleep(RETRY_EVERY_MS)) {
    const response = await fetch(`${origin}/v1/tenants`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${operatorKey}`,
        "content-type": "application/json",
        "idempotency-key": idempotencyKey,
      },
      body: JSON.stringify({ name: "local" }),
    });
    const text = await response.text();
    if (response.status === 201) {
      const { key } = JSON.parse(text) as { key: string };
      if (keyOwner(key) !== null) return key;
    }
    problem = `${response.status} ${text.slice(0, 500)}`;
    if (response.status < 500 && response.status !== 429) break;
  }
  throw new Error(`the local tenant could not be made: ${problem}`);
}
