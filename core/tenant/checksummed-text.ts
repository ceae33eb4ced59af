/**
 * Secrets that people and programs carry: `<prefix><owner>_<secret><checksum>`. `<owner>` is a tenant's id without its
 * prefix (or `operator`), so that a text can be looked up in the tenant's own object; it proves nothing by itself.
 * `<checksum>` is six characters of base62: the CRC-32 of all that stands before, so that a mistyped text and a string in
 * a public repository are told apart without a look-up.
 */

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const CHECKSUM_CHARACTERS = 6;

/** Stands where the tenant's id stands in the key that may make tenants. */
export const OPERATOR = "operator";

/** One kind of text. The secret's characters are of base62, of 5.95 bits each. */
export interface TextForm {
  /** Lower-case letters and `_` at its end. */
  readonly prefix: string;
  readonly secretCharacters: number;
}

/**
 * Makes a text of this form. `random` has half as many bytes again as the secret has characters: bytes that would favour
 * a character are passed over.
 */
export function makeText({ prefix, secretCharacters }: TextForm, owner: string, random: Uint8Array): string {
  let secret = "";
  for (const byte of random) {
    if (secret.length === secretCharacters) break;
    if (byte < 248) secret += BASE62.charAt(byte % 62);
  }
  if (secret.length < secretCharacters) throw new RangeError("a secret needs more random bytes");
  const body = `${prefix}${owner.replace(/^ten_/, "")}_${secret}`;
  return body + checksum(body);
}

/** The owner that a text names: `operator` or a tenant's id; null when the text is none of this form. */
export function textOwner({ prefix, secretCharacters }: TextForm, text: string): string | null {
  if (!text.startsWith(prefix)) return null;
  const [, owner, secret] = /^([a-z0-9]{1,40})_([0-9A-Za-z]+)$/.exec(text.slice(prefix.length)) ?? [];
  if (owner === undefined || secret?.length !== secretCharacters + CHECKSUM_CHARACTERS) return null;
  const body = text.slice(0, -CHECKSUM_CHARACTERS);
  if (checksum(body) !== text.slice(-CHECKSUM_CHARACTERS)) return null;
  return owner === OPERATOR ? OPERATOR : `ten_${owner}`;
}

/** CRC-32 (IEEE 802.3), in base62. */
function checksum(text: string): string {
  let crc = 0xffffffff;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  let rest = (crc ^ 0xffffffff) >>> 0;
  let written = "";
  for (let i = 0; i < CHECKSUM_CHARACTERS; i += 1) {
    written = BASE62.charAt(rest % 62) + written;
    rest = Math.floor(rest / 62);
  }
  return written;
}
