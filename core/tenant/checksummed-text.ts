/**
 * Tokens with a checksum: `<prefix><owner>_<secret><checksum>`. `<owner>` is a tenant's id without its prefix (or
 * `operator`), so that a token can be looked up in the tenant's own object; it proves nothing. `<checksum>` is six
 * characters of base62: the CRC-32 of everything before it. It detects a mistyped token, and a token in a public
 * repository, without a look-up.
 */

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const CHECKSUM_CHARACTERS = 6;

/** The owner in the operator's key, which may create tenants. */
export const OPERATOR = "operator";

/** The format of one kind of token. The secret has base62 characters of 5.95 bits each. */
export interface TokenForm {
  /** Lower-case letters that end in `_`. */
  readonly prefix: string;
  readonly secretCharacters: number;
}

/**
 * Creates a token. `random` needs 1.5 bytes for each character of the secret, because bytes that would bias a character
 * are skipped.
 */
export function createToken({ prefix, secretCharacters }: TokenForm, owner: string, random: Uint8Array): string {
  let secret = "";
  for (const byte of random) {
    if (secret.length === secretCharacters) break;
    if (byte < 248) secret += BASE62.charAt(byte % 62);
  }
  if (secret.length < secretCharacters) throw new RangeError("a secret needs more random bytes");
  const body = `${prefix}${owner.replace(/^ten_/, "")}_${secret}`;
  return body + checksum(body);
}

/** Returns the owner of a token: `operator` or a tenant's id; null if the text is not a token of this kind. */
export function findTokenOwner({ prefix, secretCharacters }: TokenForm, text: string): string | null {
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
