/**
 * Seals stored values that may contain secrets: AES-256-GCM under OTTO_SECRET_KEY, with a fresh 96-bit nonce (NIST SP
 * 800-38D). `context` binds the bytes to their owner: moved elsewhere, they do not open.
 *
 * Sealed bytes are the key's header (core/secrets/key-ring.ts), the nonce, and the ciphertext with its tag. Bytes of an
 * earlier release have no header; each key of the ring is tried for them, which the tag makes safe.
 */
import { raise } from "../../core/base/errors.ts";
import { HEADER_BYTES, type KeyRing, parseKeyRing, type RingMember } from "../../core/secrets/key-ring.ts";

const NONCE_BYTES = 12;

export interface Sealing {
  seal(bytes: Uint8Array, context: string): Promise<Uint8Array>;
  /** Throws `internal` for bytes that were not sealed with a key of the ring and this context. */
  open(sealed: Uint8Array, context: string): Promise<Uint8Array>;
  /**
   * True if another key than the present one may have sealed the bytes. False while the ring has one member: a
   * rolled-back release then still opens what it sealed.
   */
  isStale(sealed: Uint8Array): boolean;
  /** At least 32 bytes that only a holder of the key can derive, always the same for a seed and purpose. */
  derive(seed: Uint8Array, purpose: string, byteCount: number): Promise<Uint8Array>;
  /** The same for every key of the ring, the present one first: for values issued before the key changed. */
  deriveEach(seed: Uint8Array, purpose: string, byteCount: number): Promise<readonly Uint8Array[]>;
}

/**
 * `secretKey` seals and opens, the comma-separated keys of `old` open; each is 32 bytes in base64. Throws a RangeError
 * for other values.
 */
export function openSealing(secretKey: string, old: string | null = null): Sealing {
  const ring = parseKeyRing(secretKey, old);
  const [present] = ring;
  return {
    async seal(bytes, context) {
      const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
      const key = await crypto.subtle.importKey("raw", present.raw, "AES-GCM", false, ["encrypt"]);
      const sealed = new Uint8Array(await crypto.subtle.encrypt(toGcmParameters(nonce, context), key, bytes));
      const whole = new Uint8Array(HEADER_BYTES + NONCE_BYTES + sealed.length);
      whole.set(present.header);
      whole.set(nonce, HEADER_BYTES);
      whole.set(sealed, HEADER_BYTES + NONCE_BYTES);
      return whole;
    },
    async open(sealed, context) {
      const named = ring.find((member) => isSealedBy(sealed, member));
      const opened = named === undefined ? null : await decrypt(named, sealed.subarray(HEADER_BYTES), context);
      return opened ?? (await openWithoutHeader(ring, sealed, context));
    },
    isStale: (sealed) => ring.length > 1 && !isSealedBy(sealed, present),
    derive: (seed, purpose, byteCount) => deriveFrom(present, seed, purpose, byteCount),
    deriveEach: (seed, purpose, byteCount) =>
      Promise.all(ring.map((member) => deriveFrom(member, seed, purpose, byteCount))),
  };
}

async function openWithoutHeader(ring: KeyRing, sealed: Uint8Array, context: string): Promise<Uint8Array> {
  for (const member of ring) {
    const opened = await decrypt(member, sealed, context);
    if (opened !== null) return opened;
  }
  return raise(
    "internal",
    "A stored secret does not open: the key that sealed it is neither OTTO_SECRET_KEY nor one of OTTO_SECRET_KEYS_OLD.",
  );
}

/** Null for bytes that this key and context did not seal. */
async function decrypt({ raw }: RingMember, sealed: Uint8Array, context: string): Promise<Uint8Array | null> {
  const key = await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["decrypt"]);
  const nonce = sealed.subarray(0, NONCE_BYTES);
  try {
    return new Uint8Array(
      await crypto.subtle.decrypt(toGcmParameters(nonce, context), key, sealed.subarray(NONCE_BYTES)),
    );
  } catch {
    return null;
  }
}

async function deriveFrom(
  { raw }: RingMember,
  seed: Uint8Array,
  purpose: string,
  byteCount: number,
): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey("raw", raw, "HKDF", false, ["deriveBits"]);
  const info = new TextEncoder().encode(purpose);
  const bits = await crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt: seed, info }, key, byteCount * 8);
  return new Uint8Array(bits);
}

function isSealedBy(sealed: Uint8Array, { header }: RingMember): boolean {
  return sealed.length > HEADER_BYTES && header.every((byte, at) => sealed[at] === byte);
}

function toGcmParameters(nonce: Uint8Array, context: string) {
  return { name: "AES-GCM", iv: nonce, additionalData: new TextEncoder().encode(context) };
}
