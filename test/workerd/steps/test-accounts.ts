/** The accounts of tenants in memory, for the tool `test_crm`, and what that tool did through them. */
import type { OpenConnections } from "../../../workers/connections/open-connections.ts";
import { type FakeAccounts, fakeConnections } from "../../fakes/connections.ts";

interface AccountUse {
  readonly text: string;
  readonly account: string | null;
  readonly consent: number | null;
}

const accounts = new Map<string, FakeAccounts>();
const uses = new Map<string, AccountUse[]>();

/** The accounts of a tenant, which a test changes. */
export function accountsOf(tenant: string): FakeAccounts {
  const found = accounts.get(tenant) ?? fakeConnections();
  accounts.set(tenant, found);
  return found;
}

export const openTestAccounts: OpenConnections = (_env, tenant) => accountsOf(tenant);

/** The calls of a tenant that acted, in order. */
export function usesOf(tenant: string): readonly AccountUse[] {
  return uses.get(tenant) ?? [];
}

export function noteUse(tenant: string, use: AccountUse): void {
  uses.set(tenant, [...usesOf(tenant), use]);
}
