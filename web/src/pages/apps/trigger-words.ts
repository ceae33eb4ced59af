/** Triggers in words, and the accounts that they may use. */
import type { Connection, Trigger } from "../../api/types.generated.ts";

export const triggersKey = ["triggers"];

export const STATE_WORDS = {
  pending: { word: "Being created", tone: "plain" },
  active: { word: "Active", tone: "good" },
  paused: { word: "Paused", tone: "plain" },
  stopped: { word: "Stopped", tone: "warn" },
} as const satisfies Record<Trigger["state"], { readonly word: string; readonly tone: string }>;

/** Connected accounts whose events the reader may use: own ones, and shared ones for an administrator. */
export function findTriggerAccounts(
  connections: readonly Connection[],
  { person, isAdmin }: { readonly person: string | null; readonly isAdmin: boolean },
): readonly Connection[] {
  return connections.filter(
    ({ owner, status }) =>
      status === "active" && (owner.kind === "shared" ? isAdmin : person !== null && owner.id === person),
  );
}

export function nameAccount({ label, alias, owner }: Connection): string {
  return label ?? alias ?? (owner.kind === "shared" ? "Shared account" : "Your account");
}
