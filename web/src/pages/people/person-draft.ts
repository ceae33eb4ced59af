/** A person in the form's fields, and the request that they make. */
import type { paths, Person } from "../../api/types.generated.ts";
import type { Faults } from "../../ui/faults.ts";

export type PersonSetting = paths["/v1/people"]["post"]["requestBody"]["content"]["application/json"];
export type AddressKind = Person["addresses"][number]["kind"];

/** Only the fields of its kind count. */
export interface AddressDraft {
  readonly kind: AddressKind;
  readonly address: string;
  readonly team: string;
  readonly user: string;
}

export interface PersonDraft {
  readonly name: string;
  /** Separated by commas. */
  readonly aliases: string;
  readonly addresses: readonly AddressDraft[];
  /** Empty: Slack first. */
  readonly preferred: AddressKind | "";
  readonly timeZone: string;
  readonly hasHours: boolean;
  readonly days: readonly number[];
  readonly from: string;
  readonly to: string;
  readonly mayAnswer: boolean;
  readonly mayApprove: boolean;
}

export function newPerson(timeZone: string): PersonDraft {
  return {
    name: "",
    aliases: "",
    addresses: [],
    preferred: "",
    timeZone,
    hasHours: false,
    days: [1, 2, 3, 4, 5],
    from: "09:00",
    to: "17:00",
    mayAnswer: true,
    mayApprove: false,
  };
}

export function emptyAddress(kind: AddressKind): AddressDraft {
  return { kind, address: "", team: "", user: "" };
}

export function draftOfPerson(person: Person): PersonDraft {
  const start = newPerson(person.time_zone);
  const { working_hours: hours } = person;
  return {
    ...start,
    name: person.name,
    aliases: person.aliases.join(", "),
    addresses: person.addresses.map((one) => ({ ...emptyAddress(one.kind), ...one })),
    preferred: person.preferred ?? "",
    hasHours: hours !== null,
    ...(hours === null ? {} : { days: hours.days, from: hours.from, to: hours.to }),
    mayAnswer: person.may_answer,
    mayApprove: person.may_approve,
  };
}

type Read = { readonly ok: true; readonly value: PersonSetting } | { readonly ok: false; readonly faults: Faults };

/** What is sent; or what has to be mended first, by the API's names of the fields. */
export function readPerson(draft: PersonDraft): Read {
  const faults: Record<string, string> = {};
  if (draft.name.trim() === "") faults["name"] = "Write a name.";
  for (const [index, one] of draft.addresses.entries()) {
    const isEmpty = one.kind === "email" ? one.address.trim() === "" : one.user.trim() === "" || one.team.trim() === "";
    if (isEmpty) faults[`addresses.${index}`] = "Fill this address in, or take it out.";
  }
  if (draft.preferred !== "" && !draft.addresses.some(({ kind }) => kind === draft.preferred))
    faults["preferred"] = "There is no address of this kind.";
  if (draft.hasHours && draft.days.length === 0) faults["working_hours.days"] = "Choose a day at least.";
  if (Object.keys(faults).length > 0) return { ok: false, faults };
  return { ok: true, value: toSetting(draft) };
}

function toSetting(draft: PersonDraft): PersonSetting {
  const { days, from, to } = draft;
  return {
    name: draft.name.trim(),
    aliases: draft.aliases
      .split(",")
      .map((alias) => alias.trim())
      .filter((alias) => alias !== ""),
    addresses: draft.addresses.map(({ kind, address, team, user }) =>
      kind === "email" ? { kind, address: address.trim() } : { kind, team: team.trim(), user: user.trim() },
    ),
    preferred: draft.preferred === "" ? null : draft.preferred,
    time_zone: draft.timeZone.trim(),
    working_hours: draft.hasHours ? { days: [...days], from, to: to === "00:00" ? "24:00" : to } : null,
    may_answer: draft.mayAnswer,
    may_approve: draft.mayApprove,
  };
}
