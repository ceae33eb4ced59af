/** A person in the API. */
import { z } from "zod";
import { openZone } from "../base/time-zone.ts";
import {
  getAddressKey,
  MAX_ADDRESSES,
  MAX_ALIASES,
  MAX_NAME,
  getNameKey,
  type PersonAddress,
  type PersonFields,
  type PersonRecord,
  type WorkingHours,
} from "./person.ts";

/** A name appears in lists and messages, so it has no control characters and no half of a surrogate pair. */
export const nameSchema = z
  .string()
  .trim()
  .min(1)
  .max(MAX_NAME)
  .refine((name) => isPlain(name) && getNameKey(name) !== "", "contains characters that a name cannot have");

const addressSchema = z.union([
  z
    .strictObject({
      kind: z.literal("slack"),
      team: z.string().regex(/^[TE][A-Z0-9]{1,30}$/, "is not the id of a workspace: T…"),
      user: z.string().regex(/^[UW][A-Z0-9]{1,30}$/, "is not the id of a member: U…"),
    })
    .meta({ id: "SlackAddress" }),
  z.strictObject({ kind: z.literal("email"), address: z.email().max(254) }).meta({ id: "EmailAddress" }),
]);

const hoursSchema = z
  .strictObject({
    days: z
      .array(z.int().min(1).max(7))
      .min(1)
      .max(7)
      .refine((days) => new Set(days).size === days.length, "two days are the same")
      .describe("1 is Monday."),
    from: z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "is not a time such as 09:00"),
    to: z.string().regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/, "is not a time such as 17:00"),
  })
  .refine(({ from, to }) => from !== to, { path: ["to"], message: "is the same as from" })
  .describe("In the person's time zone. Hours that end before they begin end on the next day.");

const fields = {
  name: nameSchema.describe("Unique in the tenant, ignoring case."),
  aliases: z.array(nameSchema).max(MAX_ALIASES).default([]).describe("Other names for search."),
  addresses: z
    .array(addressSchema)
    .max(MAX_ADDRESSES)
    .refine((all) => new Set(all.map(getAddressKey)).size === all.length, "two addresses are the same")
    .default([])
    .describe("Each belongs to one person. The first of each kind is used."),
  preferred: z.enum(["slack", "email"]).nullable().default(null).describe("The channel to try first; null: Slack."),
  time_zone: z
    .string()
    .max(100)
    .refine((zone) => openZone(zone) !== null, "is not an IANA time zone such as Europe/Berlin")
    .default("UTC"),
  working_hours: hoursSchema.nullable().default(null).describe("Null: at any time."),
  may_answer: z.boolean().default(true).describe("Whether this person's answers count."),
  may_approve: z
    .boolean()
    .default(false)
    .describe("Whether this person may approve actions, and answer other people's questions."),
};

/** The settings of a person. */
export const personSettingSchema = z
  .strictObject(fields)
  .refine(({ preferred, addresses }) => preferred === null || addresses.some(({ kind }) => kind === preferred), {
    path: ["preferred"],
    message: "there is no address of this kind",
  });
export type PersonSetting = z.output<typeof personSettingSchema>;

export const personSchema = z
  .strictObject({
    id: z.string(),
    ...fields,
    version: z.int(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: "Person" });

export function toFields(setting: PersonSetting): PersonFields {
  const { name, aliases, addresses, preferred, time_zone, working_hours, may_answer, may_approve } = setting;
  const fields = { name, aliases, addresses, preferred, timeZone: time_zone, workingHours: working_hours };
  return { ...fields, mayAnswer: may_answer, mayApprove: may_approve };
}

export function toPersonView(person: PersonRecord): z.output<typeof personSchema> {
  const { id, name, aliases, addresses, preferred, timeZone, workingHours, mayAnswer, mayApprove } = person;
  return {
    id,
    name,
    aliases: [...aliases],
    addresses: addresses.map((address: PersonAddress) => ({ ...address })),
    preferred,
    time_zone: timeZone,
    working_hours: workingHours === null ? null : toHoursView(workingHours),
    may_answer: mayAnswer,
    may_approve: mayApprove,
    version: person.version,
    created_at: new Date(person.createdAt).toISOString(),
    updated_at: new Date(person.updatedAt).toISOString(),
  };
}

function toHoursView({ days, from, to }: WorkingHours) {
  return { days: [...days], from, to };
}

function isPlain(text: string): boolean {
  return text.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);
}
