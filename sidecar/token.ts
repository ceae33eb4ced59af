/**
 * The signed token that orders one piece of work from the sidecar: base64url(JSON payload) + "." + base64url(HMAC-SHA256
 * of that text). It is good for a minute, for one use, for one purpose and for one body.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { PacketError, textOfHashes } from "../adapters/sidecar/packet.ts";
import type { UsedTokens } from "./used-tokens.ts";

/** How far ahead a token's end may lie. */
const MAX_AHEAD_S = 60;
/** Room for clocks that differ. */
const CLOCK_SKEW_S = 5;
const MAX_TOKEN_CHARACTERS = 256 * 1024;
const ID = /^(?=.{16,100}$)[\w-]+(?:\.(?<body>[0-9a-f]{64}))?$/;
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const everyOrder = {
  /** Seconds since the epoch. */
  exp: z.number(),
  /** Different for each token; behind a dot, the hash of the body that comes with it, of which a Worker of the release before states none. */
  jti: z.string().regex(ID),
};

const egressOrder = z.strictObject({
  ...everyOrder,
  purpose: z.literal("egress"),
  method: z.string().regex(/^[A-Z]{1,20}$/),
  url: z.string(),
  /** Whose request it is. Without it the request has a connection to itself. */
  tenant: z.string().min(1).max(200).optional(),
  headers: z.array(z.tuple([z.string(), z.string()])).max(200),
  /** The port need not be 80 or 443: whoever orders has it on a list with this host. */
  port_is_listed: z.boolean().optional(),
  /** Everything together: resolving, connecting, sending, and reading the answer. */
  timeout_ms: z.number().int().min(1).max(600_000),
  /** Of the body that is handed back, decoded. */
  max_bytes: z
    .number()
    .int()
    .min(0)
    .max(64 * 1024 * 1024),
  /** The reply is handed back as it comes, and breaks off after `max_bytes`. */
  stream: z.boolean().optional(),
});

const jobOrder = z.strictObject({
  ...everyOrder,
  purpose: z.literal("job"),
  kind: z.string().min(1).max(64),
  tenant: z.string().min(1).max(200),
  /** SHA-256 in hex of the head of the packet that comes with it: what is ordered, and which files. */
  head: sha256,
  /** From the moment when it begins. */
  timeout_ms: z.number().int().min(1).max(600_000),
});

const mcpMessageOrder = z.strictObject({
  ...everyOrder,
  purpose: z.literal("mcp"),
  tenant: z.string().min(1).max(200),
  /** As in a job's order: which process, with all that it is given. */
  head: sha256,
});

const mcpEndOrder = z.strictObject({
  ...everyOrder,
  purpose: z.literal("mcp_end"),
  tenant: z.string().min(1).max(200),
  /** The server that is gone; null: all of the tenant are. */
  server: z.string().min(1).max(100).nullable(),
});

const anyOrder = z.discriminatedUnion("purpose", [egressOrder, jobOrder, mcpMessageOrder, mcpEndOrder]);

/** One request that the sidecar is asked to make. */
export type EgressOrder = z.infer<typeof egressOrder>;

/** One job that it is asked to do. */
export type JobOrder = z.infer<typeof jobOrder>;

/** One message that it is asked to hand to an MCP server. */
export type McpMessageOrder = z.infer<typeof mcpMessageOrder>;

export type SidecarOrder = z.infer<typeof anyOrder>;

/** The hash of the body that an order covers: of its bytes, or of its packet's files (`textOfHashes`). Null: it states none. */
export function bodyHashOf({ jti }: Pick<SidecarOrder, "jti">): string | null {
  return ID.exec(jti)?.groups?.["body"] ?? null;
}

/** Throws `PacketError` when the files of a packet, by their hashes in hex, are not those that the order covers. */
export function requireFiles(order: Pick<SidecarOrder, "jti">, hashes: readonly string[]): void {
  const actual = createHash("sha256").update(textOfHashes(hashes)).digest("hex");
  if (![null, actual].includes(bodyHashOf(order)))
    throw new PacketError("invalid_input", "The files of the packet are not those that were ordered.");
}

export type TokenVerdict =
  | { readonly ok: true; readonly order: SidecarOrder }
  | { readonly ok: false; readonly reason: TokenRefusal };

/** `foreign`: signed with another secret than this one. The last two: it cannot be recorded as used, so nothing begins. */
export type TokenRefusal = "foreign" | "invalid" | "expired" | "used" | "full" | "not_stored";

/** Makes a function that reads a token and tells whether it may be acted on. Each token passes once, also across a restart. */
export function makeTokenCheck(secret: string, used: UsedTokens, now: () => number): (token: string) => TokenVerdict {
  return function checkToken(token) {
    const read = payloadOf(token, secret);
    if (!read.ok) return read;
    const parsed = anyOrder.safeParse(read.payload);
    if (!parsed.success) return { ok: false, reason: "invalid" };
    const order = parsed.data;
    const nowS = now() / 1_000;
    if (order.exp + CLOCK_SKEW_S < nowS) return { ok: false, reason: "expired" };
    if (order.exp > nowS + MAX_AHEAD_S + CLOCK_SKEW_S) return { ok: false, reason: "invalid" };
    const use = used.use(order.jti, order.exp + CLOCK_SKEW_S, nowS);
    return use === "stored" ? { ok: true, order } : { ok: false, reason: use };
  };
}

type Payload =
  | { readonly ok: true; readonly payload: unknown }
  | { readonly ok: false; readonly reason: "foreign" | "invalid" };

/** The payload of a token whose signature is right. */
function payloadOf(token: string, secret: string): Payload {
  if (token.length > MAX_TOKEN_CHARACTERS) return { ok: false, reason: "invalid" };
  const [payload, signature, ...rest] = token.split(".");
  if (payload === undefined || signature === undefined || rest.length > 0) return { ok: false, reason: "invalid" };
  const right = createHmac("sha256", secret).update(payload).digest();
  const given = Buffer.from(signature, "base64url");
  if (given.length !== right.length) return { ok: false, reason: "invalid" };
  if (!timingSafeEqual(given, right)) return { ok: false, reason: "foreign" };
  try {
    return { ok: true, payload: JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) as unknown };
  } catch {
    return { ok: false, reason: "invalid" };
  }
}
