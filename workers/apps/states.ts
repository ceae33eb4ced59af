/** The state of an app for one caller: the best among their own connections to it, and among the shared ones. */
import type { Provider } from "../../core/connections/account.ts";
import { type Connection, type ConnectionStatus, toConnectionStatus } from "../../core/connections/connection.ts";

/** The best first. */
const STATES = ["active", "pending", "expired", "failed", "revoked"] as const satisfies readonly ConnectionStatus[];

/** A connection with the state that the API shows. */
export interface StatedConnection {
  readonly connection: Connection;
  readonly status: ConnectionStatus;
}

export interface AppState {
  /** The best one; among equals an own one, and the one that tasks use. */
  readonly best: StatedConnection;
  readonly me: ConnectionStatus | null;
  readonly shared: ConnectionStatus | null;
}

/** Names an app of one provider. An import or an MCP server may have the name of an app of the catalogue. */
export function toAppKey(provider: Provider, app: string): string {
  return `${provider} ${app.toLowerCase()}`;
}

export function splitAppKey(key: string): { readonly provider: Provider; readonly app: string } {
  const at = key.indexOf(" ");
  return { provider: key.slice(0, at) as Provider, app: key.slice(at + 1) };
}

/** Returns the state of each app that has a connection, by `toAppKey`. `now` is in milliseconds since the epoch. */
export function judgeApps(connections: readonly Connection[], now: number): ReadonlyMap<string, AppState> {
  const stated = connections.flatMap((connection) => {
    const status = toConnectionStatus(connection, now);
    return status === null ? [] : [{ connection, status }];
  });
  const byApp = Map.groupBy(stated.toSorted(compare), ({ connection }) =>
    toAppKey(connection.provider, connection.app),
  );
  const states = new Map<string, AppState>();
  for (const [app, sorted] of byApp) {
    const [best] = sorted;
    if (best === undefined) continue;
    const find = (kind: "person" | "shared") => sorted.find(({ connection }) => connection.owner.kind === kind);
    states.set(app, { best, me: find("person")?.status ?? null, shared: find("shared")?.status ?? null });
  }
  return states;
}

export function isConnected(state: AppState | undefined): boolean {
  return state?.best.status === "active";
}

function compare(one: StatedConnection, other: StatedConnection): number {
  return rank(one) - rank(other);
}

function rank({ connection, status }: StatedConnection): number {
  const { owner, isDefault } = connection;
  return 4 * STATES.indexOf(status) + (owner.kind === "shared" ? 2 : 0) + (isDefault ? 0 : 1);
}
