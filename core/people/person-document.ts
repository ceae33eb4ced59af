/** A person as the API takes and shows it. */
import { z } from "zod";
import { openZone } from "../base/time-zone.ts";
import {
  addressKey,
  MAX_ADDRESSES,
  MAX_ALIASES,
  MAX_NAME,
  nameKey,
  type PersonAddress,
  type PersonFields,
  type PersonRecord,
  type WorkingHours,
} from "./person.ts";

/** A name is shown in lists and messages, so it holds no control characters and no half of a pair. */
const nameSchema = z
  .string()
  .trim()
  .min(1)
  .max(MAX_NAME)
  .refine((name) => isPlain(name) && nameKey(name) !== "", "holds characters that no name has");

const addressSchema = z.union([
  z
    .strictObject({
      kind: z.literal("slack"),
      team: z.string().regex(/^[TE][A-Z0-9]{1,30}$/, "is the id of a workspace: T…"),
      user: z.string().regex(/^[UW][A-Z0-9]{1,30}$/, "is the id of a member: U…"),
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
    from: z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "is a time such as 09:00"),
    to: z.string().regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/, "is a time such as 17:00"),
  })
  .refine(({ from, to }) => from !== to, { path: ["to"], message: "is when they begin" })
  .describe("By the clocks of the person's zone. What ends before it begins ends on the next day.");

const fields = {
  name: nameSchema.describe("Unique in the tenant, whatever the case."),
  aliases: z.array(nameSchema).max(MAX_ALIASES).default([]).describe("Other names to be found by."),
  addresses: z
    .array(addressSchema)
    .max(MAX_ADDRESSES)
    .refine((all) => new Set(all.map(addressKey)).size === all.length, "two addresses are the same")
    .default([])
    .describe("Each belongs to one person. The first of each kind is used."),
  preferred: z.enum(["slack", "email"]).nullable().default(null).describe("What is tried first; null: Slack."),
  time_zone: z
    .string()
    .max(100)
    .refine((zone) => openZone(zone) !== null, "is no IANA time zone such as Europe/Berlin")
    .default("UTC"),
  working_hours: hoursSchema.nullable().default(null).describe("Null: at any time."),
  may_answer: z.boolean().default(true).describe("Whether this person's answers count."),
  may_approve: z
    .boolean()
    .default(false)
    .describe("Whether this person may approve actions, and answer what others are asked."),
};

/** What a person is set to. */
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

export function fieldsOf(setting: PersonSetting): PersonFields {
  const { name, aliases, addresses, preferred, time_zone, working_hours, may_answer, may_approve } = setting;
  const kept = { name, aliases, addresses, preferred, timeZone: time_zone, workingHours: working_hours };
  return { ...kept, mayAnswer: may_answer, mayApprove: may_approve };
}

export function shownPerson(person: PersonRecord): z.output<typeof personSchema> {
  const { id, name, aliases, addresses, preferred, timeZone, workingHours, mayAnswer, mayApprove } = person;
  return {
    id,
    name,
    aliases: [...aliases],
    addresses: addresses.map((address: PersonAddress) => ({ ...address })),
    preferred,
    time_zone: timeZone,
    working_hours: workingHours === null ? null : shownHours(workingHours),
    may_answer: mayAnswer,
    may_approve: mayApprove,
    version: person.version,
    created_at: new Date(person.createdAt).toISOString(),
    updated_at: new Date(person.updatedAt).toISOString(),
  };
}

function shownHours({ days, from, to }: WorkingHours) {
  return { days: [...days], from, to };
}

function isPlain(text: string): boolean {
  return text.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);
}
