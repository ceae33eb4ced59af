/** A row of the table of connections in memory. */
import type { Provider } from "../../core/connections/account.ts";
import type { Connection } from "../../core/connections/connection.ts";
import type { Flow } from "../../core/connections/flow.ts";
import type { TokenSet } from "../../core/connections/tokens.ts";
import { makeId } from "../../core/base/ids.ts";
import type { OwnedApp, SettledState, UsedLink } from "../../core/ports/connection-table.ts";
import { createConnection } from "./connection.ts";

export interface ConnectionRow {
  connection: Connection;
  tokens: TokenSet | null;
  version: number;
  flow: Flow | null;
  linkUsed: string | null;
  leasedUntil: number;
  revoking: TokenSet[];
}

interface NewRow {
  readonly tenant: string;
  readonly owned: OwnedApp;
  readonly provider: Provider;
}

export function makeConnectionRow({ tenant, owned, provider }: NewRow, now: number): ConnectionRow {
  const { app, person, alias } = owned;
  const id = makeId("connection", now, crypto.getRandomValues(new Uint8Array(10)));
  const owner = person === null ? ({ kind: "shared" } as const) : ({ kind: "person", id: person, name: "" } as const);
  const named = { tenant, id, app, provider, owner, alias, createdAt: now, updatedAt: now };
  const fresh = { status: "new", consent: 0, unattended: false, settingsHash: null } as const;
  const empty = { tokens: null, version: 0, flow: null, linkUsed: null, leasedUntil: 0, revoking: [] };
  return { connection: createConnection({ ...named, ...fresh }), ...empty };
}

export function isPresent({ version, connection: { consent } }: ConnectionRow, of: SettledState | undefined): boolean {
  return of === undefined || ("version" in of ? of.version === version : of.consent === consent);
}

export function formatLink({ createdAt, nonce }: UsedLink): string {
  return `${String(createdAt).padStart(15, "0")}.${nonce}`;
}
