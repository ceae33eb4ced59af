/**
 * Ids have a prefix for their kind. The rest is 26 characters of Crockford's base32: 48 bits of time in milliseconds,
 * then 80 random bits, so ids of one kind sort by creation time (the layout of the ULID specification, in lower case).
 */

/** The prefix of each kind of id. */
export const ID_PREFIXES = {
  task: "task",
  agent: "agent",
  key: "key",
  tenant: "ten",
  question: "qst",
  approval: "apr",
  request: "req",
  audit: "aud",
  secret: "sec",
  memory: "mem",
  person: "per",
  delivery: "dlv",
  endpoint: "whk",
  hook: "hook",
  schedule: "sch",
  slackInstall: "slk",
  message: "msg",
  session: "ses",
  signInLink: "lnk",
  connection: "con",
  connectionWait: "cnw",
  sync: "syn",
  trigger: "trg",
  providerKey: "pvk",
  document: "doc",
  piece: "pce",
  database: "dbs",
  codebase: "cdb",
} as const;

/** A kind of id. */
export type IdKind = keyof typeof ID_PREFIXES;

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;

/**
 * Creates an id. `random` is at least 10 bytes; the same bytes and time give the same id, by which a retried request
 * finds what its first attempt created.
 */
export function makeId(kind: IdKind, nowMs: number, random: Uint8Array): string {
  if (random.length < 10) throw new RangeError("an id needs 10 random bytes");
  let time = "";
  let rest = Math.floor(nowMs);
  for (let i = 0; i < TIME_CHARACTERS; i += 1) {
    time = ALPHABET.charAt(rest % 32) + time;
    rest = Math.floor(rest / 32);
  }
  let bits = 0n;
  for (let i = 0; i < 10; i += 1) bits = (bits << 8n) | BigInt(random[i] ?? 0);
  let tail = "";
  for (let i = 0; i < RANDOM_CHARACTERS; i += 1) {
    tail = ALPHABET.charAt(Number(bits & 31n)) + tail;
    bits >>= 5n;
  }
  return `${ID_PREFIXES[kind]}_${time}${tail}`;
}

/** True when `text` has the format of an id of this kind. Does not check that it exists. */
export function isId(kind: IdKind, text: string): boolean {
  const prefix = `${ID_PREFIXES[kind]}_`;
  if (!text.startsWith(prefix) || text.length !== prefix.length + TIME_CHARACTERS + RANDOM_CHARACTERS) return false;
  for (const character of text.slice(prefix.length)) if (!ALPHABET.includes(character)) return false;
  return true;
}

/** Returns the creation time in an id, in milliseconds since the epoch; null for text that is not an id. */
export function readIdTime(id: string): number | null {
  const time = id.slice(id.indexOf("_") + 1).slice(0, TIME_CHARACTERS);
  if (time.length < TIME_CHARACTERS) return null;
  let ms = 0;
  for (const character of time) {
    const digit = ALPHABET.indexOf(character);
    if (digit === -1) return null;
    ms = ms * 32 + digit;
  }
  return ms;
}

/** Returns the id of call `index` (from 0) of step `step` of a task: the same after any crash. */
export function deriveCallId(taskId: string, step: number, index: number): string {
  return `call_${taskId.slice(taskId.indexOf("_") + 1)}_${step}_${index}`;
}

/** Returns the step and the index in a call's id; null for text that is not one. */
export function parseCallId(call: string): { readonly step: number; readonly index: number } | null {
  const [, step, index] = /_(\d{1,6})_(\d{1,6})$/.exec(call) ?? [];
  return step === undefined ? null : { step: Number(step), index: Number(index) };
}

/** True when `text` has the format of a call id of this task. Does not check that it exists. */
export function isCallOf(taskId: string, text: string): boolean {
  const place = parseCallId(text);
  return place !== null && text === deriveCallId(taskId, place.step, place.index);
}

/**
 * Derives the id of the wait that a call opened, so that a retry finds it again. `before` is the number of the call's
 * earlier ones.
 */
export function deriveWaitId(kind: "question" | "approval" | "connectionWait", call: string, before = 0): string {
  return `${ID_PREFIXES[kind]}_${call.slice(call.indexOf("_") + 1)}${before === 0 ? "" : `r${before}`}`;
}

/** Returns the task of a call; null for text that is not a call's id. */
export function findTaskOfCall(call: string): string | null {
  const [, part = ""] = /^call_([0-9a-z]+)_\d{1,6}_\d{1,6}$/.exec(call) ?? [];
  const task = `${ID_PREFIXES.task}_${part}`;
  return isId("task", task) && isCallOf(task, call) ? task : null;
}

/** Returns the task whose call opened the wait with this id; null for another text. */
export function findTaskOfWait(id: string): string | null {
  const [, call] = /^(?:qst|apr|cnw)_(.+?)(?:r\d{1,3})?$/.exec(id) ?? [];
  return call === undefined ? null : findTaskOfCall(`call_${call}`);
}

/**
 * Derives the id of the subtask that call `index` of step `step` dispatches. Its random part is the parent's, moved by
 * an odd multiple of the call's number, so it is unique among the calls of one task.
 */
export function deriveSubtaskId(parentId: string, step: number, index: number, nowMs: number): string {
  const MODULUS = 1n << 80n;
  let bits = 0n;
  for (let i = parentId.length - 1; i >= parentId.length - RANDOM_CHARACTERS; i -= 1) {
    bits = (bits << 5n) | BigInt(Math.max(0, ALPHABET.indexOf(parentId.charAt(i))));
  }
  const call = BigInt(step) * 1000n + BigInt(index) + 1n;
  const moved = (bits * 0x5851f42d4c957f2d1405n + call * 0x9e3779b97f4a7c15f39dn) % MODULUS;
  return makeId(
    "task",
    nowMs,
    Uint8Array.from({ length: 10 }, (_, i) => Number((moved >> BigInt(8 * (9 - i))) & 255n)),
  );
}
