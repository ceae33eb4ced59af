/**
 * The checked formats. Each expression is our own and linear in the text: no repeat is nested, and none matches the
 * same characters in two ways.
 */

/** Longer text matches only a URI. */
const MAX_SHORT = 320;

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d{1,20})?(?:z|[+-](\d\d):(\d\d))$/i;
const DURATION = /^P(?:\d+W|(?=[\dT])(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?)$/;
const EMAIL = /^[\w!#$%&'*+/=?^`{|}~.-]{1,64}@[a-z\d.-]{1,253}$/i;
const LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i;
const OCTET = /^(?:0|[1-9]\d{0,2})$/;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const URI_CHARACTERS = /^(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[\da-f]{2})*$/i;
const SCHEME = /^[a-z][a-z\d+.-]*:/i;
const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;

const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["date", limitLength(isDate)],
  ["time", limitLength(isTime)],
  ["date-time", limitLength(isDateTime)],
  ["duration", limitLength((text) => DURATION.test(text))],
  ["email", limitLength(isEmail)],
  ["hostname", limitLength(isHostname)],
  ["ipv4", limitLength(isIpv4)],
  ["ipv6", limitLength(isIpv6)],
  ["uuid", limitLength((text) => UUID.test(text))],
  ["uri", (text) => SCHEME.test(text) && URI_CHARACTERS.test(text)],
  ["uri-reference", (text) => URI_CHARACTERS.test(text)],
  ["json-pointer", (text) => POINTER.test(text)],
]);

/** Work to check a text besides its characters, in the units of a run. Unlisted formats need none. */
const WORK: ReadonlyMap<string, number> = new Map([
  ["date-time", 20],
  ["ipv6", 20],
]);

export function getFormatWork(name: string): number {
  return WORK.get(name) ?? 0;
}

/** Returns the check of a format; null for an unchecked one. */
export function findFormat(name: string): ((text: string) => boolean) | null {
  return FORMATS.get(name) ?? null;
}

function limitLength(fits: (text: string) => boolean): (text: string) => boolean {
  return (text) => text.length <= MAX_SHORT && fits(text);
}

/** RFC 3339 `full-date`. */
function isDate(text: string): boolean {
  const [, year = 0, month = 0, day = 0] = (DATE.exec(text) ?? []).map(Number);
  return month >= 1 && month <= 12 && day >= 1 && day <= countDays(year, month);
}

function countDays(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  if (month === 2) return isLeap ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** RFC 3339 `full-time`. A leap second is the last one of a day of UTC. */
function isTime(text: string): boolean {
  const parts = TIME.exec(text);
  if (parts === null) return false;
  const [hour = 0, minute = 0, second = 0] = parts.slice(1, 4).map(Number);
  const [offsetHour = 0, offsetMinute = 0] = parts.slice(4, 6).map((part) => Number(part ?? 0));
  if (hour > 23 || minute > 59 || offsetHour > 23 || offsetMinute > 59) return false;
  if (second < 60) return true;
  const offset = (offsetHour * 60 + offsetMinute) * (/-\d\d:\d\d$/.test(text) ? -1 : 1);
  return second === 60 && (((hour * 60 + minute - offset) % 1440) + 1440) % 1440 === 1439;
}

/** RFC 3339 `date-time`. */
function isDateTime(text: string): boolean {
  return /^.{10}t/i.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11));
}

/** The usual addresses: a local part without quotes, and a host name. */
function isEmail(text: string): boolean {
  const local = text.slice(0, text.lastIndexOf("@"));
  const dots = local.startsWith(".") || local.endsWith(".") || local.includes("..");
  return !dots && EMAIL.test(text) && isHostname(text.slice(text.lastIndexOf("@") + 1));
}

/** RFC 1123. */
function isHostname(text: string): boolean {
  return text.length <= 253 && text.split(".").every((label) => LABEL.test(label));
}

function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => OCTET.test(part) && Number(part) <= 255);
}

/** RFC 4291, section 2.2; no zone. */
function isIpv6(text: string): boolean {
  const last = text.slice(text.lastIndexOf(":") + 1);
  const plain = last.includes(".") ? (isIpv4(last) ? `${text.slice(0, -last.length)}0:0` : "") : text;
  const halves = plain.split("::");
  if (plain === "" || halves.length > 2) return false;
  const groups = halves.map((half) => (half === "" ? [] : half.split(":")));
  const count = groups.flat().length;
  const fits = groups.flat().every((group) => /^[\da-f]{1,4}$/i.test(group));
  return fits && (halves.length === 2 ? count <= 7 : count === 8);
}
