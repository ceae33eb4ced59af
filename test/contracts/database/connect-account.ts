/** Connects an account whose tokens its provider stores, as a sign-in there does. */
import type { Connection } from "../../../core/connections/connection.ts";
import type { AccountTokens } from "../../../core/connections/tokens.ts";
import type { ConnectionTable } from "../../../core/ports/connection-table.ts";
import { valueOf } from "../value-of.ts";
import { act } from "./rows.ts";

interface ConnectedAccount {
  readonly app: string;
  /** Null: shared. */
  readonly person: string | null;
  readonly tokens: AccountTokens;
  readonly settingsHash: string;
  readonly provider?: "composio" | "oauth";
}

let links = 0;

/** `now`: of the table's clock. */
export async function connectAccount(
  table: ConnectionTable,
  { app, person, tokens, settingsHash, provider = "composio" }: ConnectedAccount,
  now = Date.now(),
): Promise<Connection> {
  links += 1;
  const owned = { app, person, alias: null };
  const { id } = valueOf(await table.ensure(owned, provider));
  const by = { person, name: "Ana" };
  const nonce = `n${links}`;
  const { providerId, key } = tokens;
  const account = { providerId, entity: "e", ...(key === undefined ? {} : { key }) };
  const flow = { nonce, verifier: "", issuer: null, redirectUrl: "", unattended: true, settingsHash, by };
  valueOf(await table.beginFlow(owned, { createdAt: now + links, nonce }, { ...flow, until: now + 60_000, account }));
  valueOf(await table.takeFlow(id, nonce));
  const consent = { tokens, label: null, scopes: null, unattended: true, settingsHash, by };
  return valueOf(await table.complete(id, consent, act("connection.connect", id)));
}
