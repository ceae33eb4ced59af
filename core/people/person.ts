/** People who can receive questions and notifications. */

/** An address of a person. `team` and `user` are Slack's ids (`T…`, `U…`). */
export type PersonAddress =
  | { readonly kind: "slack"; readonly team: string; readonly user: string }
  | { readonly kind: "email"; readonly address: string };

/** Working hours: ISO weekdays (1 is Monday), and times such as `09:00` in the person's zone. `to` may be `24:00`. */
export interface WorkingHours {
  readonly days: readonly number[];
  readonly from: string;
  readonly to: string;
}

/** The fields of a person. */
export interface PersonFields {
  /** Unique in its tenant, ignoring case. */
  readonly name: string;
  /** Other names for search; two people may share one. */
  readonly aliases: readonly string[];
  /** Those of one kind are used in order. Each belongs to one person of a tenant. */
  readonly addresses: readonly PersonAddress[];
  /** The kind of address to try first; null: Slack, if there is one. */
  readonly preferred: PersonAddress["kind"] | null;
  /** IANA name. */
  readonly timeZone: string;
  /** Null: at any time. */
  readonly workingHours: WorkingHours | null;
  readonly mayAnswer: boolean;
  readonly mayApprove: boolean;
}

/** A stored record. `version` grows with every change. */
export interface PersonRecord extends PersonFields {
  /** `per_…` */
  readonly id: string;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** People of one tenant. */
export const MAX_PEOPLE = 10_000;
/** Limits of one person's names and addresses. */
export const MAX_ALIASES = 10;
export const MAX_ADDRESSES = 20;
/** UTF-16 units of a name. */
export const MAX_NAME = 200;

/** Permissions of a person who was linked from a channel: may answer questions, but not decide approvals. */
export const LINKED_PERMISSIONS = { mayAnswer: true, mayApprove: false } as const;

/** The key of an address; mail addresses ignore case. */
export function getAddressKey(address: PersonAddress): string {
  return address.kind === "slack"
    ? `slack/${address.team}/${address.user}`
    : `email/${address.address.trim().toLowerCase()}`;
}

/** The key of a name: without case, extra spaces, and differences in composed letters. */
export function getNameKey(name: string): string {
  return name.normalize("NFKC").trim().replace(/\s+/gu, " ").toLowerCase();
}

/** The first word of a name, in the form of `getNameKey`. */
export function getFirstNameKey(name: string): string {
  return getNameKey(name).split(" ")[0] ?? "";
}
