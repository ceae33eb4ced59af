/**
 * Verifies the signature of a hook's call. Every scheme is HMAC-SHA-256; the signed content and the place of the
 * signature differ. WebCrypto compares in constant time.
 */
import { readBase64 } from "../../base/base64.ts";
import { joinBytes } from "../../base/join-bytes.ts";
import type { HookType } from "./hook.ts";

/** Tolerance of a signed time, in both directions. */
const TOLERANCE_MS = 5 * 60_000;
/** Most signatures to verify: a call has two while its secret is being replaced. */
const MAX_SIGNATURES = 10;

/**
 * The parts of a call that its signature covers. `header` takes lower-case names and returns null for a missing header.
 */
export interface SignedCall {
  readonly type: HookType;
  readonly secret: string;
  readonly signatureHeader: string;
  readonly body: Uint8Array;
  readonly header: (name: string) => string | null;
}

/** `now` is in milliseconds since the epoch. */
export async function isSigned(call: SignedCall, now: number): Promise<boolean> {
  switch (call.type) {
    case "github":
      return await isSignedBody(call, "x-hub-signature-256");
    case "generic":
      return await isSignedBody(call, call.signatureHeader);
    case "stripe":
      return await isSignedByStripe(call, now);
    case "standard":
      return await isSignedByStandard(call, readBase64(call.secret.replace(/^whsec_/, "")), now);
    case "composio":
      return await isSignedByStandard(call, utf8(call.secret), now);
  }
}

/** `sha256=` and the body's HMAC in hex; a generic caller may omit the prefix. */
async function isSignedBody({ secret, body, header }: SignedCall, name: string): Promise<boolean> {
  const signature = /^(?:sha256=)?([0-9a-f]{64})$/i.exec(header(name)?.trim() ?? "")?.[1];
  return signature !== undefined && (await isHmac(utf8(secret), body, [fromHex(signature)]));
}

/** https://docs.stripe.com/webhooks/signature: `t=…,v1=…`, over the time in seconds, a dot and the body. */
async function isSignedByStripe({ secret, body, header }: SignedCall, now: number): Promise<boolean> {
  const fields = (header("stripe-signature") ?? "").split(",").map((field) => field.trim().split(/=(.*)/s));
  const moments = fields.flatMap(([name, value]) => (name === "t" && value !== undefined ? [value] : []));
  const signatures = fields.flatMap(([name, value]) =>
    name === "v1" && /^[0-9a-f]{64}$/i.test(value ?? "") ? [fromHex(value ?? "")] : [],
  );
  const [moment] = moments;
  if (moment === undefined || moments.length > 1 || !isRecent(moment, now)) return false;
  return await isHmac(utf8(secret), joinBytes([utf8(`${moment}.`), body]), signatures);
}

/**
 * https://www.standardwebhooks.com: `v1,` and base64, over the id, the time in seconds and the body, separated by dots.
 * `key` is null for a secret that cannot be read. Composio's key is the secret's own characters
 * (https://docs.composio.dev/docs/setting-up-triggers/subscribing-to-events).
 */
async function isSignedByStandard({ body, header }: SignedCall, key: Uint8Array | null, now: number): Promise<boolean> {
  const [id, moment] = [header("webhook-id"), header("webhook-timestamp")];
  if (id === null || moment === null || !isRecent(moment, now)) return false;
  const signatures = (header("webhook-signature") ?? "").split(" ").flatMap((one) => {
    const bytes = one.startsWith("v1,") ? readBase64(one.slice("v1,".length)) : null;
    return bytes === null ? [] : [bytes];
  });
  return key !== null && (await isHmac(key, joinBytes([utf8(`${id}.${moment}.`), body]), signatures));
}

/** True when one of the signatures is the HMAC of the message. */
async function isHmac(secret: Uint8Array, message: Uint8Array, signatures: readonly Uint8Array[]): Promise<boolean> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", asUnshared(secret), algorithm, false, ["verify"]);
  for (const signature of signatures.slice(0, MAX_SIGNATURES)) {
    if (await crypto.subtle.verify("HMAC", key, asUnshared(signature), asUnshared(message))) return true;
  }
  return false;
}

function isRecent(seconds: string, now: number): boolean {
  return /^\d{1,12}$/.test(seconds) && Math.abs(now - Number(seconds) * 1000) <= TOLERANCE_MS;
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function fromHex(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16));
}

/** No memory is shared between threads here, which the types cannot say. */
function asUnshared(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes as Uint8Array<ArrayBuffer>;
}
