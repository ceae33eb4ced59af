/** The account of a call, and what has to be connected, in words. */
import type { CallAccount, ConnectReason, PendingApproval } from "../api/types.generated.ts";

/** An account: what it is called, and whose it is. Both were written by others, except `everyone`. */
export interface AccountWords {
  readonly label: string;
  /** Null: shared. */
  readonly owner: string | null;
}

/** What a call acts through. An account that its app did not name is called by the app. */
export function describeAccount({ app, label, owner }: CallAccount): AccountWords {
  return { label: label ?? app, owner: owner.kind === "person" ? owner.name : null };
}

/** Whether a reader may decide an approval, as far as the owner of its account has a say. The API checks the rest. */
export function canDecide({ decides }: Pick<PendingApproval, "decides">, person: string | null): boolean {
  return decides == null || decides.delegates || decides.person_id === person;
}

interface ReasonWords {
  /** The button's verb: what its press does, before the app's name. */
  readonly action: string;
  /** After the app's name in the button and the title. */
  readonly rest: string;
  readonly why: string;
}

export const REASONS: Readonly<Record<ConnectReason, ReasonWords>> = {
  missing: { action: "Connect", rest: "", why: "No account of it is connected." },
  expired: { action: "Reconnect", rest: "", why: "Its account has expired." },
  revoked: { action: "Reconnect", rest: "", why: "Its account was disconnected." },
  scopes: { action: "Reconnect", rest: "", why: "Its account lacks a permission that this call needs." },
  unattended: {
    action: "Allow",
    rest: " while you are away",
    why: "No person started this task, and the account's owner has not allowed its use while away.",
  },
};
