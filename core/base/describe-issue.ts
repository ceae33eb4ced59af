/**
 * Says what is wrong with a value and what to give instead, in Otto's words, for every kind of issue that zod reports.
 * Importing this file sets it for every parse. A schema's own message comes before it. The text follows a field's name
 * and a colon.
 *
 * No value is quoted: it may be a secret that a caller put there by mistake. Its kind is named instead.
 */
import { z } from "zod";
import { getField } from "./json-fields.ts";
import { findNearest } from "./nearest.ts";
import { getOwn } from "./own-field.ts";

/** The most characters of a quoted name or choice, and the most that a message lists. */
const MAX_QUOTED = 60;
const MAX_CHOICES = 30;
const MAX_PATTERN = 200;

z.config({ customError: describeIssue });

/** Describes an issue that no schema has a message for. */
function describeIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return describeType(issue.expected, issue.input);
    case "invalid_value":
      return describeChoice(issue.values, issue.input);
    case "too_big":
      return describeBound(issue, issue.maximum, issue.inclusive === false ? "less than" : "at most");
    case "too_small":
      return describeBound(issue, issue.minimum, issue.inclusive === false ? "more than" : "at least");
    case "invalid_format":
      return describeFormat(issue);
    case "not_multiple_of":
      return `has to be a multiple of ${issue.divisor}`;
    case "unrecognized_keys":
      return describeUnknown(issue.keys);
    case "invalid_union":
      return describeUnion(issue);
    case "invalid_key":
      return `has a name that it cannot have: ${joinMessages(issue.issues)}`;
    case "invalid_element":
      return `has a value that it cannot have: ${joinMessages(issue.issues)}`;
    case "custom":
      return issue.input === undefined ? "is missing" : "does not have the form that it needs";
  }
}

/** Says which name was probably meant instead of an unknown one. */
export function describeUnknownName(name: string, names: readonly string[]): string {
  const nearest = findNearest(name, names);
  if (nearest !== null) return `there is no argument of this name; did you mean ${nearest}?`;
  return names.length === 0
    ? "there is no argument of this name; omit it"
    : `there is no argument of this name; omit it, or use one of ${names.slice(0, MAX_CHOICES).join(", ")}`;
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  set: "a list",
  object: "an object",
  record: "an object",
  map: "an object",
  null: "null",
  date: "a date",
};

function describeType(expected: string, input: unknown): string {
  const wanted = getOwn(TYPE_WORDS, expected) ?? "of another type";
  if (input === undefined) return `is missing; give ${wanted}`;
  if (expected === "never" || expected === "undefined") return "must not be given; omit it";
  if (input === null) return `has to be ${wanted}, not null; omit it if it is optional`;
  return `has to be ${wanted}, not ${describeKind(input)}`;
}

/** Names the kind of a value. */
function describeKind(input: unknown): string {
  if (input === null) return "null";
  if (Array.isArray(input)) return "a list";
  return getOwn(KINDS, typeof input) ?? "of another type";
}

const KINDS: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  bigint: "a number",
  boolean: "true or false",
  object: "an object",
};

function describeChoice(values: readonly unknown[], input: unknown): string {
  const choices = values.slice(0, MAX_CHOICES).map((value) => quote(value));
  const wanted = joinChoices(values.length > MAX_CHOICES ? [...choices, "…"] : choices);
  if (input === undefined) return `is missing; give ${wanted}`;
  const texts = values.filter((value) => typeof value === "string");
  if (typeof input !== "string" || texts.length === 0) return `has to be ${wanted}, not ${describeKind(input)}`;
  const nearest = findNearest(input, texts);
  return `has to be ${wanted}${nearest === null ? "" : `; did you mean ${quote(nearest)}?`}`;
}

function describeBound(
  { origin, exact, input }: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall>,
  limit: number | bigint,
  bound: string,
): string {
  const amount = exact === true ? `exactly ${limit}` : `${bound} ${limit}`;
  const unit = getOwn(UNITS, origin);
  if (unit === undefined) return `has to be ${amount}`;
  const given = typeof input === "string" || Array.isArray(input) ? `, not ${input.length}` : "";
  return `has to have ${amount} ${limit === 1 ? unit.replace(/s$/, "") : unit}${given}`;
}

const UNITS: Readonly<Record<string, string>> = {
  string: "characters",
  array: "entries",
  set: "entries",
  map: "entries",
  object: "entries",
  record: "entries",
  file: "bytes",
};

const FORMATS: Readonly<Record<string, string>> = {
  email: "an address such as ana@example.com",
  url: "a full URL such as https://example.com/page",
  date: "a date such as 2026-11-30",
  datetime: "a time such as 2026-11-30T08:00:00Z",
  time: "a time such as 08:00:00",
  duration: "a duration such as PT1H",
  uuid: "a UUID",
  ipv4: "an IPv4 address",
  ipv6: "an IPv6 address",
  base64: "Base64",
  base64url: "Base64 for URLs",
  json_string: "JSON",
};

function describeFormat(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidStringFormat>): string {
  const { format, pattern } = issue;
  for (const [name, verb] of [
    ["prefix", "begin with"],
    ["suffix", "end with"],
    ["includes", "contain"],
  ] as const)
    if (typeof issue[name] === "string") return `has to ${verb} ${quote(issue[name])}`;
  const known = getOwn(FORMATS, format);
  if (known !== undefined) return `has to be ${known}`;
  return pattern === undefined
    ? "does not have the form that it needs"
    : `has to match the pattern ${pattern.slice(0, MAX_PATTERN)}`;
}

function describeUnknown(keys: readonly string[]): string {
  return `there is no ${keys.slice(0, MAX_CHOICES).map(quote).join(", ")} here; omit it`;
}

/** `options` are the values of a discriminator, and `input` is then the object that has it. */
function describeUnion({ errors, input, options, discriminator }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>) {
  if (Array.isArray(options) && options.length > 0)
    return describeChoice(options, getField(input, discriminator ?? ""));
  const firsts = errors.flatMap(([first]) => (first === undefined ? [] : [first]));
  return firsts.length === 0
    ? "fits more than one of its forms; omit what belongs to the other"
    : joinMessages(firsts, "; or ");
}

function joinMessages(issues: readonly z.core.$ZodIssue[], separator = "; "): string {
  return [...new Set(issues.slice(0, MAX_CHOICES).map(prefixPath))].join(separator);
}

function prefixPath({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.map(String).join(".")} ${message}`;
}

function joinChoices(choices: readonly string[]): string {
  return choices.length < 2 ? choices.join("") : `${choices.slice(0, -1).join(", ")} or ${choices.at(-1) ?? ""}`;
}

/** A name or a choice as JSON, up to a bound. */
function quote(value: unknown): string {
  if (typeof value !== "string") return String(value);
  return JSON.stringify(value.length > MAX_QUOTED ? `${value.slice(0, MAX_QUOTED)}…` : value);
}
