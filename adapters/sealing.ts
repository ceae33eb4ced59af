/**
 * Sealing of what is stored and may hold a secret: AES-256-GCM under OTTO_SECRET_KEY, with a fresh 96-bit nonce in front
 * (NIST SP 800-38D). `context` says what the bytes belong to: sealed bytes that were moved elsewhere do not open.
 */
import { fromBase64 } from "../core/base64.ts";
import { raise } from "../core/errors.ts";

const NONCE_BYTES = 12;
const KEY_BYTES = 32;

export interface Sealing {
  seal(bytes: Uint8Array, context: string): Promise<Uint8Array>;
  /** Throws `internal` for bytes that were not sealed with this key and context. */
  open(sealed: Uint8Array, context: string): Promise<Uint8Array>;
  /** 32 bytes or more that only a holder of the key can make, the same for the same seed bytes and purpose. */
  derive(seed: Uint8Array, purpose: string, byteCount: number): Promise<Uint8Array>;
}

/** `secretKey` is 32 bytes in base64. Throws a RangeError for anything else. */
export function openSealing(secretKey: string): Sealing {
  const raw = decodeKey(secretKey);
  return {
    async seal(bytes, context) {
      const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
      const key = await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt"]);
      const sealed = new Uint8Array(await crypto.subtle.encrypt(gcm(nonce, context), key, bytes));
      const whole = new Uint8Array(NONCE_BYTES + sealed.length);
      whole.set(nonce);
      whole.set(sealed, NONCE_BYTES);
      return whole;
    },
    async open(sealed, context) {
      const key = await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["decrypt"]);
      const nonce = sealed.subarray(0, NONCE_BYTES);
      try {
        return new Uint8Array(await crypto.subtle.decrypt(gcm(nonce, context), key, sealed.subarray(NONCE_BYTES)));
      } catch {
        return raise("internal", "A stored secret does not open: OTTO_SECRET_KEY is another than when it was stored.");
      }
    },
    async derive(seed, purpose, byteCount) {
      const key = await crypto.subtle.importKey("raw", raw, "HKDF", false, ["deriveBits"]);
      const info = new TextEncoder().encode(purpose);
      const bits = await crypto.subtle.deriveBits(
        { name: "HKDF", hash: "SHA-256", salt: seed, info },
        key,
        byteCount * 8,
      );
      return new Uint8Array(bits);
    },
  };
}

function gcm(nonce: Uint8Array, context: string) {
  return { name: "AES-GCM", iv: nonce, additionalData: new TextEncoder().encode(context) };
}

function decodeKey(base64: string): Uint8Array {
  let raw: Uint8Array;
  try {
    raw = fromBase64(base64);
  } catch {
    throw new RangeError("OTTO_SECRET_KEY is not base64");
  }
  if (raw.length !== KEY_BYTES) throw new RangeError(`OTTO_SECRET_KEY has to be ${KEY_BYTES} bytes in base64`);
  return raw;
}
