/** What the contract suites do with the connections of one tenant. */
import type { Flow } from "../../../core/connections/flow.ts";
import type { TokenSet } from "../../../core/connections/tokens.ts";
import type { GivenConsent, OwnedApp } from "../../../core/ports/connection-table.ts";
import { valueOf } from "../value-of.ts";
import type { ConnectionBackend } from "./connection-tables.ts";
import { act } from "./rows.ts";

export const MINUTE_MS = 60_000;
export const SHARED: OwnedApp = { app: "crm", person: null, alias: null };

export const missing = { ok: false, error: { code: "not_found" } };
export const gone = { ok: false, error: { code: "gone" } };
export const ended = (connection: string) => ({
  ok: false,
  error: { code: "permission_denied", happened: "no", cause: { kind: "connection_ended", connection } },
});

export const oauth = (access: string): TokenSet => ({
  kind: "oauth",
  access,
  refresh: `refresh of ${access}`,
  expiresAt: Date.now() + 3_600_000,
  issuer: "https://auth.example",
});

const given = (change: Partial<GivenConsent> = {}): GivenConsent => ({
  tokens: oauth("access 1"),
  label: "ana@acme.example",
  scopes: ["read"],
  unattended: false,
  settingsHash: "hash 1",
  by: { person: null, name: "API key" },
  ...change,
});

export type Acts = Awaited<ReturnType<typeof openActs>>;

/** A tenant of its own, with a person. */
export async function openActs(backend: ConnectionBackend) {
  const at = await backend.open();
  const { table } = at;
  const ana = await at.addPerson("Ana");

  const flowOf = (nonce: string, providerId?: string): Flow => ({
    ...(providerId === undefined ? {} : { account: { providerId, entity: "e" } }),
    nonce,
    verifier: "v",
    issuer: null,
    redirectUrl: "https://otto.example/connect/callback",
    until: at.now() + 15 * MINUTE_MS,
    unattended: true,
    by: { person: ana, name: "Ana" },
  });
  const ensure = async (owned: OwnedApp) => valueOf(await table.ensure(owned, "oauth"));
  const complete = (id: string, change: Partial<GivenConsent> = {}) =>
    table.complete(id, given(change), act("connection.connect", id));
  return {
    at,
    table,
    ana,
    ensure,
    complete,
    own: (alias: string | null = null): OwnedApp => ({ app: "crm", person: ana, alias }),
    /** Confirms what is due to be revoked, and returns it. */
    async drain(id: string): Promise<readonly TokenSet[]> {
      const revoked: TokenSet[] = [];
      for (;;) {
        const due = valueOf(await table.takeRevocation(id));
        if (due === null) return revoked;
        revoked.push(due.tokens);
        valueOf(await table.endRevocation(id, due));
      }
    },
    revoke: async (id: string) => valueOf(await table.revoke(id, act("connection.revoke", id))),
    remove: (id: string) => table.remove(id, act("connection.delete", id)),
    begin: (owned: OwnedApp, nonce: string, createdAt = at.now(), providerId?: string) =>
      table.beginFlow(owned, { createdAt, nonce }, flowOf(nonce, providerId)),
    async connect(owned: OwnedApp, change: Partial<GivenConsent> = {}) {
      const { id } = await ensure(owned);
      return valueOf(await complete(id, change));
    },
  };
}
