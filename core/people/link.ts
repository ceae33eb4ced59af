/** Creates the record of a person who was linked from a channel. */
import { openZone } from "../base/time-zone.ts";
import {
  getAddressKey,
  LINKED_PERMISSIONS,
  MAX_ADDRESSES,
  MAX_NAME,
  type PersonAddress,
  type PersonFields,
} from "./person.ts";

/** The sender as the channel describes it, unverified. */
interface Speaker {
  readonly team: string;
  readonly user: string;
  readonly name: string;
  readonly email: string | null;
  readonly tz: string | null;
}

/** The fields of a new record. `tries`: how many names were taken. */
export function createLinkedFields({ team, user, name, email, tz }: Speaker, tries: number): PersonFields {
  const mail: PersonAddress[] = email === null ? [] : [{ kind: "email", address: email.trim() }];
  return {
    name: chooseName(cleanName(name), user, tries),
    aliases: [],
    addresses: [{ kind: "slack", team, user }, ...mail],
    preferred: "slack",
    timeZone: tz !== null && openZone(tz) !== null ? tz : "UTC",
    workingHours: null,
    ...LINKED_PERMISSIONS,
  };
}

export function hasAddress({ addresses }: PersonFields, address: PersonAddress): boolean {
  return addresses.some((each) => getAddressKey(each) === getAddressKey(address));
}

/** Adds an address; at the limit it replaces the last one of its kind. */
export function addAddress(person: PersonFields, address: PersonAddress): PersonFields {
  const { name, aliases, addresses, preferred, timeZone, workingHours, mayAnswer, mayApprove } = person;
  const full = addresses.length >= MAX_ADDRESSES;
  const last = full ? addresses.findLastIndex(({ kind }) => kind === address.kind) : -1;
  const remaining = full
    ? addresses.filter((_, index) => index !== (last < 0 ? addresses.length - 1 : last))
    : addresses;
  return {
    name,
    aliases,
    addresses: [...remaining, address],
    preferred,
    timeZone,
    workingHours,
    mayAnswer,
    mayApprove,
  };
}

/** Removes characters that a name cannot have; may be empty. */
function cleanName(name: string): string {
  const plain = name.toWellFormed().replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " ");
  return plain
    .replaceAll(/\s+/gu, " ")
    .trim()
    .slice(0, MAX_NAME - 40)
    .toWellFormed()
    .trim();
}

/** `Ana`, then `Ana (2)`, then a name with the member's id. */
function chooseName(name: string, user: string, tries: number): string {
  if (name === "") return `Slack member ${user}`;
  if (tries === 0) return name;
  return tries < 4 ? `${name} (${tries + 1})` : `${name} (${user})`;
}
