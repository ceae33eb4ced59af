/** Signatures of calls, compared with those of node:crypto. */
import { createHmac, randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { isSigned, type SignedCall } from "../../../../core/channels/webhooks/hook-signature.ts";

const NOW = 1_800_000_000_000;
const SECONDS = NOW / 1000;
const BODY = '{"id":"evt_1","note":"ü \u{1f41f}"}';
const SECRET = "a-secret-of-a-test";
const STANDARD_KEY = randomBytes(32);
const STANDARD_SECRET = `whsec_${STANDARD_KEY.toString("base64")}`;

function hmac(key: string | Buffer, message: string, encoding: "hex" | "base64" = "hex"): string {
  return createHmac("sha256", key).update(message).digest(encoding);
}

async function judge(
  type: SignedCall["type"],
  headers: Readonly<Record<string, string>>,
  { body = BODY, secret = type === "standard" ? STANDARD_SECRET : SECRET, signatureHeader = "x-otto-signature" } = {},
): Promise<boolean> {
  const header = (name: string) => headers[name] ?? null;
  return await isSigned({ type, secret, signatureHeader, body: new TextEncoder().encode(body), header }, NOW);
}

const stripe = (at: number, secret = SECRET, body = BODY) => `t=${at},v1=${hmac(secret, `${at}.${body}`)}`;

function standard(at: number, id = "msg_1", key: Buffer = STANDARD_KEY, body = BODY) {
  const signature = `v1,${hmac(key, `${id}.${at}.${body}`, "base64")}`;
  return { "webhook-id": id, "webhook-timestamp": String(at), "webhook-signature": signature };
}

describe("GitHub's signature", () => {
  const good = `sha256=${hmac(SECRET, BODY)}`;

  test("covers the exact bytes of the body", async () => {
    expect(await judge("github", { "x-hub-signature-256": good })).toBe(true);
    expect(await judge("github", { "x-hub-signature-256": good }, { body: `${BODY} ` })).toBe(false);
    expect(await judge("github", { "x-hub-signature-256": good }, { secret: "another-secret" })).toBe(false);
  });

  test.each([
    "",
    "sha256=",
    "sha256=00",
    `sha1=${good.slice(7)}`,
    good.slice(0, -2),
    `${good}00`,
    `sha256=${"0".repeat(64)}`,
  ])("is rejected as %j", async (signature) => {
    expect(await judge("github", { "x-hub-signature-256": signature })).toBe(false);
  });

  test("is rejected when it is missing, or in the header of another scheme", async () => {
    expect(await judge("github", {})).toBe(false);
    expect(await judge("github", { "x-otto-signature": good })).toBe(false);
  });
});

describe("a generic signature", () => {
  test("is in the configured header", async () => {
    const signature = hmac(SECRET, BODY);
    expect(await judge("generic", { "x-otto-signature": `sha256=${signature}` })).toBe(true);
    const named = { signatureHeader: "x-acme" };
    expect(await judge("generic", { "x-acme": signature.toUpperCase() }, named)).toBe(true);
    expect(await judge("generic", { "x-otto-signature": `sha256=${signature}` }, named)).toBe(false);
  });
});

describe("Stripe's signature", () => {
  test("is valid for one of several secrets, and next to other versions", async () => {
    const both = `${stripe(SECONDS, "older-secret")},v1=${hmac(SECRET, `${SECONDS}.${BODY}`)},v0=00`;
    expect(await judge("stripe", { "stripe-signature": stripe(SECONDS) })).toBe(true);
    expect(await judge("stripe", { "stripe-signature": both })).toBe(true);
  });

  test.each([
    [300, true],
    [-300, true],
    [301, false],
    [-301, false],
    [86_400, false],
  ])("with a time %i seconds away is valid: %s", async (away, expected) => {
    expect(await judge("stripe", { "stripe-signature": stripe(SECONDS + away) })).toBe(expected);
  });

  test.each([
    ["another moment", stripe(SECONDS).replace(`t=${SECONDS}`, `t=${SECONDS + 1}`)],
    ["two moments", `t=${SECONDS + 1},${stripe(SECONDS)}`],
    ["no moment", stripe(SECONDS).replace(/^t=\d+,/, "")],
    ["no number", stripe(SECONDS).replace(/t=\d+/, "t=NaN")],
    ["no signature", `t=${SECONDS}`],
    ["another body", stripe(SECONDS, SECRET, "{}")],
    ["nothing", ""],
  ])("with %s is rejected", async (_, signature) => {
    expect(await judge("stripe", { "stripe-signature": signature })).toBe(false);
  });
});

describe("a standard webhook's signature", () => {
  test("is valid as the specification's library makes it", async () => {
    const signature = new Webhook(STANDARD_SECRET).sign("msg_1", new Date(NOW), BODY);
    expect(await judge("standard", { ...standard(SECONDS), "webhook-signature": signature })).toBe(true);
  });

  test("covers id, time and body, also as one of several", async () => {
    expect(await judge("standard", standard(SECONDS))).toBe(true);
    const several = { ...standard(SECONDS) };
    several["webhook-signature"] = `v1a,AAAA v1,${Buffer.alloc(32).toString("base64")} ${several["webhook-signature"]}`;
    expect(await judge("standard", several)).toBe(true);
  });

  test.each([
    ["another id", { ...standard(SECONDS), "webhook-id": "msg_2" }],
    ["another moment", { ...standard(SECONDS), "webhook-timestamp": String(SECONDS + 1) }],
    ["an old moment", standard(SECONDS - 301)],
    ["another key", standard(SECONDS, "msg_1", randomBytes(32))],
    ["no id", { ...standard(SECONDS), "webhook-id": undefined as unknown as string }],
    ["no base64", { ...standard(SECONDS), "webhook-signature": "v1,%%%" }],
    [
      "another version",
      { ...standard(SECONDS), "webhook-signature": standard(SECONDS)["webhook-signature"].replace("v1", "v2") },
    ],
  ])("with %s is rejected", async (_, headers) => {
    expect(await judge("standard", headers)).toBe(false);
  });
});
