/** The accounts through which the tool `test_crm` acted, by tenant. */
interface AccountUse {
  readonly text: string;
  readonly account: string | null;
  readonly consent: number | null;
}

const uses = new Map<string, AccountUse[]>();

/** The calls of a tenant that acted, in order. */
export function usesOf(tenant: string): readonly AccountUse[] {
  return uses.get(tenant) ?? [];
}

export function noteUse(tenant: string, use: AccountUse): void {
  uses.set(tenant, [...usesOf(tenant), use]);
}
