/** People: humans who can be asked or told something. */

/** Where a person is reached. `team` and `user` are Slack's ids (`T…`, `U…`). */
export type PersonAddress =
  | { readonly kind: "slack"; readonly team: string; readonly user: string }
  | { readonly kind: "email"; readonly address: string };

/** When a person works: ISO days of the week (1 is Monday), and times as `09:00` in the person's zone. `to` may be `24:00`. */
export interface WorkingHours {
  readonly days: readonly number[];
  readonly from: string;
  readonly to: string;
}

/** What a person's record says. */
export interface PersonFields {
  /** Unique in its tenant, whatever the case. */
  readonly name: string;
  /** Other names to find the person by; two people may share one. */
  readonly aliases: readonly string[];
  /** In the order in which those of one kind are used; each belongs to one person of a tenant. */
  readonly addresses: readonly PersonAddress[];
  /** The kind of address that is tried first; null: Slack, if there is one. */
  readonly preferred: PersonAddress["kind"] | null;
  /** IANA name. */
  readonly timeZone: string;
  /** Null: at any time. */
  readonly workingHours: WorkingHours | null;
  readonly mayAnswer: boolean;
  readonly mayApprove: boolean;
}

/** A record as it is kept. `version` grows with every change. */
export interface PersonRecord extends PersonFields {
  /** `per_…` */
  readonly id: string;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** People of one tenant. */
export const MAX_PEOPLE = 10_000;
/** Names and addresses of one person. */
export const MAX_ALIASES = 10;
export const MAX_ADDRESSES = 20;
/** UTF-16 units of a name. */
export const MAX_NAME = 200;

/** What somebody is who turned up by themselves in a channel: asked, but not trusted with approvals. */
export const LINKED_BY_THEMSELVES = { mayAnswer: true, mayApprove: false } as const;

/** What tells one address from another: mail is told apart without its case. */
export function addressKey(address: PersonAddress): string {
  return address.kind === "slack"
    ? `slack/${address.team}/${address.user}`
    : `email/${address.address.trim().toLowerCase()}`;
}

/** The form of a name in which two names are one: without case, and without what spaces and composed letters differ in. */
export function nameKey(name: string): string {
  return name.normalize("NFKC").trim().replace(/\s+/gu, " ").toLowerCase();
}

/** The first word of a name, as `nameKey` writes it. */
export function firstNameKey(name: string): string {
  return nameKey(name).split(" ")[0] ?? "";
}
