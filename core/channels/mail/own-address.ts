/**
 * Otto's own addresses of mail. What stands before the `@`: a tenant's id with a seal, so that mail finds its tenant
 * without a look into the database, and for a reply a tag that says to what. All of it in letters whose case means nothing,
 * and at most 55 of the 64 characters that there may be.
 */

const TENANT_PREFIX = "ten_";
/** Crockford's base32, as ids have it: no letter that is taken for another. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const FORM = /^([0-9a-z]{26})([0-9a-z]{8})(?:\+([0-9a-z]{20}))?$/;

/** Characters of a seal, and of a tag: 40 and 100 bits. */
export const SEAL_CHARACTERS = 8;
export const TAG_CHARACTERS = 20;

export interface OwnAddress {
  readonly tenant: string;
  readonly seal: string;
  /** Null: new mail to the tenant. */
  readonly tag: string | null;
}

export function localPartOf({ tenant, seal, tag }: OwnAddress): string {
  return `${tenant.slice(TENANT_PREFIX.length)}${seal}${tag === null ? "" : `+${tag}`}`;
}

/** Null: the text has not the form of one. Whether its seal is right is for whoever has the key. */
export function readLocalPart(text: string): OwnAddress | null {
  const [, tenant, seal, tag = null] = FORM.exec(text.toLowerCase()) ?? [];
  return tenant === undefined || seal === undefined ? null : { tenant: TENANT_PREFIX + tenant, seal, tag };
}

/** The first bits of these bytes as so many characters. */
export function asBase32(bytes: Uint8Array, characters: number): string {
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
