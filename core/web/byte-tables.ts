/** Tables by byte: its lower case in ASCII, and its value as a hex digit and as a base64 digit. */
import { getHexDigit, toLowerCase } from "./spellings.ts";

/** Values of a byte. */
export const BYTES = 256;
/** Marks a byte that is no digit. */
export const NO_DIGIT = 0xff;

/** The lower case of an ASCII letter; any other byte unchanged. */
export const SMALL = Uint8Array.from({ length: BYTES }, (_, byte) => toLowerCase(byte));

/** The value of each byte as a hex digit. */
export const HEX = Uint8Array.from({ length: BYTES }, (_, byte) => {
  const digit = getHexDigit(byte);
  return digit < 0 ? NO_DIGIT : digit;
});

/** The value of each byte as a base64 digit, in the standard and the URL alphabet. */
export const BASE64 = createBase64Digits();

function createBase64Digits(): Uint8Array {
  const digits = new Uint8Array(BYTES).fill(NO_DIGIT);
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (let digit = 0; digit < alphabet.length; digit += 1) digits[alphabet.charCodeAt(digit)] = digit;
  digits["-".charCodeAt(0)] = alphabet.indexOf("+");
  digits["_".charCodeAt(0)] = alphabet.indexOf("/");
  return digits;
}
