/**
 * The keys that seal stored values. The first member is OTTO_SECRET_KEY and seals; those of OTTO_SECRET_KEYS_OLD only
 * open. A sealed value begins with its key's header of 12 bytes: the mark `otk` and 9 bytes of the key's fingerprint.
 * In base64 that is exactly 16 characters, by which the database distinguishes the keys
 * (migrations/0024_sealing_keys.sql).
 */
import { fromBase64, toBase64 } from "../base/base64.ts";
import { ok, type Result } from "../base/errors.ts";
import { toHex } from "../base/hex.ts";
import { sha256HexSync } from "../base/sha256-sync.ts";
import type { RecordedKeys } from "../ports/sealed-values.ts";

export const HEADER_BYTES = 12;
const KEY_BYTES = 32;
const FINGERPRINT_CHARACTERS = 18;
const MARK = "otk";
/** Each is tried for a value of an earlier release, which names no key. */
export const MAX_OLD_KEYS = 15;

export interface RingMember {
  readonly raw: Uint8Array<ArrayBuffer>;
  readonly header: Uint8Array;
}

/** The sealing member comes first, the oldest last. */
export type KeyRing = readonly [RingMember, ...RingMember[]];

/**
 * Parses the members, the sealing one first. `secretKey` is 32 bytes in base64, `old` such keys separated by commas.
 * Throws a RangeError that names the variable and contains no key.
 */
export function parseKeyRing(secretKey: string, old: string | null): KeyRing {
  const first = toMember(secretKey, "OTTO_SECRET_KEY");
  const earlier = (old ?? "").split(",").map((text) => text.trim());
  const members = earlier.filter((text) => text !== "").map((text) => toMember(text, "OTTO_SECRET_KEYS_OLD"));
  if (members.length > MAX_OLD_KEYS)
    throw new RangeError(`OTTO_SECRET_KEYS_OLD has to be at most ${MAX_OLD_KEYS} keys`);
  const others = new Map(members.map((member) => [getHeaderText(member), member]));
  others.delete(getHeaderText(first));
  return [first, ...others.values()];
}

/** The header of a key, in base64. */
export function getHeaderText({ header }: RingMember): string {
  return toBase64(header);
}

/** The keys that sealed a row and are missing in the ring, by their headers. Records of unused keys are deleted. */
export async function findMissingKeys(keys: RecordedKeys, ring: KeyRing): Promise<Result<readonly string[]>> {
  const read = await keys.listRecorded();
  if (!read.ok) return read;
  const present = new Set(ring.map(getHeaderText));
  const missing: string[] = [];
  for (const { header, member } of read.value) {
    const wanted = header === "" ? member : header;
    if (wanted === null) {
      const stated = await keys.setFirst(getHeaderText(ring.at(-1) ?? ring[0]));
      if (!stated.ok) return stated;
    } else if (!present.has(wanted)) {
      const forgotten = await keys.forget(header);
      if (!forgotten.ok) return forgotten;
      if (!forgotten.value) missing.push(wanted);
    }
  }
  return ok(missing);
}

/**
 * The message to an operator about missing keys and how to restore them. It contains fingerprints, never a key.
 * `place`: where else the present key can be stored, in parentheses.
 */
export function describeMissingKeys(headers: readonly string[], place = ""): string {
  const names = headers.map((header) => toFingerprint(header)).join(", ");
  const [noun, verb] = headers.length === 1 ? ["key", "is"] : ["keys", "are"];
  return (
    `The ${noun} with the fingerprint ${names} sealed secrets in the database and ${verb} missing: put the earlier key back ` +
    `as OTTO_SECRET_KEY${place}, or list it in OTTO_SECRET_KEYS_OLD.`
  );
}

function toMember(text: string, name: string): RingMember {
  let raw: Uint8Array<ArrayBuffer>;
  try {
    raw = fromBase64(text);
  } catch {
    throw new RangeError(`${name} is not base64`);
  }
  if (raw.length !== KEY_BYTES) throw new RangeError(`${name} has to be ${KEY_BYTES} bytes in base64`);
  const fingerprint = sha256HexSync(`otto sealing key ${toBase64(raw)}`).slice(0, FINGERPRINT_CHARACTERS);
  const bytes = fingerprint.match(/../g)?.map((pair) => Number.parseInt(pair, 16)) ?? [];
  return { raw, header: Uint8Array.from([...new TextEncoder().encode(MARK), ...bytes]) };
}

/** The fingerprint of a header, in hex. */
function toFingerprint(header: string): string {
  return toHex(fromBase64(header).subarray(MARK.length));
}
