/** Whether a browser is signed in to another tenant than that of a link. */
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import { findSessionTenant } from "../../core/tenant/session.ts";
import type { AppContext } from "./context.ts";
import { readSessionToken } from "./session-cookie.ts";

export async function isSignedInElsewhere(c: AppContext, tenant: string): Promise<boolean> {
  const token = readSessionToken(c);
  const there = token === null ? null : findSessionTenant(token);
  if (token === null || there === null || there === tenant) return false;
  const request = { sessionHash: await sha256Hex(token), idempotency: null };
  const { kind } = await tenantsFromEnv(c.env)(there).admitSession(request);
  return kind === "admitted" || kind === "limited";
}
