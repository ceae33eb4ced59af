/**
 * Otto's own mail addresses. The local part is a tenant's id with a seal, so that mail finds its tenant without a
 * database query, and for a reply a tag that names the question. It is case-insensitive and has at most 55 of the 64
 * characters allowed.
 */

const TENANT_PREFIX = "ten_";
/** Crockford's base32, as in ids: without letters that look alike. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const FORM = /^([0-9a-z]{26})([0-9a-z]{8})(?:\+([0-9a-z]{20}))?$/;

/** Characters of a seal and of a tag: 40 and 100 bits. */
export const SEAL_CHARACTERS = 8;
export const TAG_CHARACTERS = 20;

export interface OwnAddress {
  readonly tenant: string;
  readonly seal: string;
  /** Null for a new mail to the tenant. */
  readonly tag: string | null;
}

export function toLocalPart({ tenant, seal, tag }: OwnAddress): string {
  return `${tenant.slice(TENANT_PREFIX.length)}${seal}${tag === null ? "" : `+${tag}`}`;
}

/** Parses a local part; null when it has another form. The caller verifies the seal. */
export function parseLocalPart(text: string): OwnAddress | null {
  const [, tenant, seal, tag = null] = FORM.exec(text.toLowerCase()) ?? [];
  return tenant === undefined || seal === undefined ? null : { tenant: TENANT_PREFIX + tenant, seal, tag };
}

/** Encodes the first bits of these bytes. */
export function toBase32(bytes: Uint8Array, characters: number): string {
  let bits = 0n;
  for (const byte of bytes) bits = (bits << 8n) | BigInt(byte);
  bits >>= BigInt(bytes.length * 8 - characters * 5);
  let text = "";
  for (let left = characters; left > 0; left -= 1) {
    text = ALPHABET.charAt(Number(bits & 31n)) + text;
    bits >>= 5n;
  }
  return text;
}
