/**
 * Signs webhooks by the Standard Webhooks specification
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md): HMAC-SHA256 over id,
 * time and body, with a secret of 24 to 64 bytes that is written as `whsec_` and base64.
 */
import { toBase64 } from "../../base/base64.ts";

/** Bytes of a generated secret. */
export const SECRET_BYTES = 32;

const encoder = new TextEncoder();

/** Formats a secret for receivers. */
export function writeSecret(bytes: Uint8Array): string {
  return `whsec_${toBase64(bytes)}`;
}

/** The signed content. The id contains no `.`, and `seconds` (since the epoch) are those of the attempt. */
export interface SignedParts {
  readonly id: string;
  readonly seconds: number;
  readonly body: string;
}

/** The value of `webhook-signature`: one signature for each secret, separated by spaces. */
export async function signWebhook(
  secrets: readonly Uint8Array<ArrayBuffer>[],
  { id, seconds, body }: SignedParts,
): Promise<string> {
  const content = new Uint8Array(encoder.encode(`${id}.${seconds}.${body}`));
  const signatures = await Promise.all(secrets.map((secret) => sign(secret, content)));
  return signatures.map((signature) => `v1,${toBase64(signature)}`).join(" ");
}

async function sign(secret: Uint8Array<ArrayBuffer>, content: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, content));
}
