/** Finds the connection that a task's need is about. A need names none: the agent may have configured another than the default. */
import { type ConnectNeed, getOwnerPerson } from "./account.ts";
import type { Connection } from "./connection.ts";

interface Need extends Pick<ConnectNeed, "person" | "reason"> {
  /** The hash of the app's present settings. */
  readonly settingsHash: string;
}

/** `none`: the owner never connected one. `works`: what was wrong is no longer so. */
export type Concerned =
  | { readonly kind: "found"; readonly connection: Connection }
  | { readonly kind: "none" | "works" };

/** `connections` are those of one app, of any owner. */
export function findConcerned(connections: readonly Connection[], need: Need): Concerned {
  const own = connections.filter((each) => each.consent > 0 && getOwnerPerson(each.owner) === need.person);
  if (own.length === 0) return { kind: "none" };
  const fitting = own.filter((each) => fits(each, need));
  const connection = fitting.find(({ isDefault }) => isDefault) ?? fitting[0];
  return connection === undefined ? { kind: "works" } : { kind: "found", connection };
}

function fits({ status, settingsHash }: Connection, need: Need): boolean {
  switch (need.reason) {
    case "missing":
      return status !== "active";
    case "expired":
      return status === "expired" || status === "failed" || (status === "active" && settingsHash !== need.settingsHash);
    case "revoked":
      return status === "revoked";
    case "scopes":
    case "unattended":
      return status === "active";
  }
}
