/** What the record of a person says who was linked from a channel. */
import { openZone } from "../base/time-zone.ts";
import {
  addressKey,
  LINKED_BY_THEMSELVES,
  MAX_ADDRESSES,
  MAX_NAME,
  type PersonAddress,
  type PersonFields,
} from "./person.ts";

/** Who speaks, as the channel tells it: nothing of it was checked. */
interface Speaker {
  readonly team: string;
  readonly user: string;
  readonly name: string;
  readonly email: string | null;
  readonly tz: string | null;
}

/** The fields of a new record. `tries`: how many names were taken already. */
export function linkedFields({ team, user, name, email, tz }: Speaker, tries: number): PersonFields {
  const mail: PersonAddress[] = email === null ? [] : [{ kind: "email", address: email.trim() }];
  return {
    name: freeName(plainName(name), user, tries),
    aliases: [],
    addresses: [{ kind: "slack", team, user }, ...mail],
    preferred: "slack",
    timeZone: tz !== null && openZone(tz) !== null ? tz : "UTC",
    workingHours: null,
    ...LINKED_BY_THEMSELVES,
  };
}

export function hasAddress({ addresses }: PersonFields, address: PersonAddress): boolean {
  return addresses.some((each) => addressKey(each) === addressKey(address));
}

/** The person with one address more; the last of the kind makes room where there is none. */
export function withAddress(person: PersonFields, address: PersonAddress): PersonFields {
  const { name, aliases, addresses, preferred, timeZone, workingHours, mayAnswer, mayApprove } = person;
  const full = addresses.length >= MAX_ADDRESSES;
  const last = full ? addresses.findLastIndex(({ kind }) => kind === address.kind) : -1;
  const kept = full ? addresses.filter((_, index) => index !== (last < 0 ? addresses.length - 1 : last)) : addresses;
  return { name, aliases, addresses: [...kept, address], preferred, timeZone, workingHours, mayAnswer, mayApprove };
}

/** Without what no name holds; empty when nothing is left. */
function plainName(name: string): string {
  const plain = name.toWellFormed().replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " ");
  return plain
    .replaceAll(/\s+/gu, " ")
    .trim()
    .slice(0, MAX_NAME - 40)
    .toWellFormed()
    .trim();
}

/** `Ana`, then `Ana (2)`, then one that only this member has. */
function freeName(name: string, user: string, tries: number): string {
  if (name === "") return `Slack member ${user}`;
  if (tries === 0) return name;
  return tries < 4 ? `${name} (${tries + 1})` : `${name} (${user})`;
}
