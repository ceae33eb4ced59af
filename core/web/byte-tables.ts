/** Tables by byte: its lower case in ASCII, its value as a digit of hex and as a digit of base64. */
import { hexDigit, smallLetter } from "./spellings.ts";

/** Values of a byte. */
export const BYTES = 256;
/** Stands for a byte that is no digit. */
export const NO_DIGIT = 0xff;

/** A capital letter of ASCII as the small one; any other byte as it is. */
export const SMALL = Uint8Array.from({ length: BYTES }, (_, byte) => smallLetter(byte));

/** The value of each byte as a digit of hex. */
export const HEX = Uint8Array.from({ length: BYTES }, (_, byte) => {
  const digit = hexDigit(byte);
  return digit < 0 ? NO_DIGIT : digit;
});

/** The value of each byte as a digit of base64, of the plain alphabet and of that for URLs. */
export const BASE64 = base64Digits();

function base64Digits(): Uint8Array {
  const digits = new Uint8Array(BYTES).fill(NO_DIGIT);
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (let digit = 0; digit < alphabet.length; digit += 1) digits[alphabet.charCodeAt(digit)] = digit;
  digits["-".charCodeAt(0)] = alphabet.indexOf("+");
  digits["_".charCodeAt(0)] = alphabet.indexOf("/");
  return digits;
}
