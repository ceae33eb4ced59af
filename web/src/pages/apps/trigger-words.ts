/** Triggers in words, and the accounts that they may use. */
import type { Connection, Trigger } from "../../api/types.generated.ts";
import type { Reader } from "../connections/connection-words.ts";

export const triggersKey = ["triggers"];

export const TRIGGER_STATE_WORDS = {
  pending: { word: "Being created", tone: "plain" },
  active: { word: "Active", tone: "good" },
  paused: { word: "Paused", tone: "plain" },
  stopped: { word: "Stopped", tone: "warn" },
} as const satisfies Record<Trigger["state"], { readonly word: string; readonly tone: string }>;

/** Connected accounts whose events the reader may use: own ones, and shared ones for an administrator. */
export function findTriggerAccounts(connections: readonly Connection[], reader: Reader): readonly Connection[] {
  return connections.filter((one) => one.status === "active" && mayUseAccount(one, reader));
}

interface TriggerPermissions {
  /** Pause and delete it. */
  readonly change: boolean;
  readonly resume: boolean;
}

/**
 * What the reader may do with a trigger of an account in any state; undefined: one that the reader does not see. An
 * administrator ends a trigger of another person's account but does not resume it.
 */
export function getTriggerPermissions(
  account: Pick<Connection, "owner"> | undefined,
  reader: Reader,
): TriggerPermissions {
  const resume = account !== undefined && mayUseAccount(account, reader);
  return { change: resume || reader.isAdmin, resume };
}

function mayUseAccount({ owner }: Pick<Connection, "owner">, { person, isAdmin }: Reader): boolean {
  return owner.kind === "shared" ? isAdmin : person !== null && owner.id === person;
}

export function nameAccount({ label, alias, owner }: Connection): string {
  return label ?? alias ?? (owner.kind === "shared" ? "Shared account" : "Your account");
}
