/** Whether Slack itself sent a request (https://docs.slack.dev/authentication/verifying-requests-from-slack). */

/** Maximum difference between the clocks of Slack and Otto, and the lifetime of a request. */
const MAX_AGE_SECONDS = 300;

export interface SignedParts {
  /** The raw body, as received. */
  readonly body: Uint8Array;
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
}

/** Whether the body was signed with this secret within five minutes of `now`. Compares in constant time. */
export async function isSignedBySlack(
  { body, timestamp = "", signature = "" }: SignedParts,
  secret: string,
  now: number,
): Promise<boolean> {
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > MAX_AGE_SECONDS) return false;
  const given = /^v0=([0-9a-f]{64})$/.exec(signature)?.[1];
  if (given === undefined) return false;
  const prefix = new TextEncoder().encode(`v0:${timestamp}:`);
  const signed = new Uint8Array(prefix.length + body.length);
  signed.set(prefix);
  signed.set(body, prefix.length);
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(secret), hmac, false, ["verify"]);
  const mac = Uint8Array.from({ length: 32 }, (_, at) => Number.parseInt(given.slice(2 * at, 2 * at + 2), 16));
  return await crypto.subtle.verify("HMAC", key, mac, signed);
}
