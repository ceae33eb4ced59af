/**
 * Verifies the signed token that orders one piece of work: base64url(JSON payload) + "." + base64url(HMAC-SHA256 of that text). It is
 * valid for a minute, one use, one purpose and one body.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { MAX_BATCH_REPLY_BYTES, MAX_BATCH_REQUESTS } from "../adapters/sidecar/egress-batch.ts";
import { PacketError, joinHashes } from "../adapters/sidecar/packet.ts";
import type { UsedTokens } from "./used-tokens.ts";

/** How far ahead a token may expire. */
const MAX_AHEAD_S = 60;
/** Tolerated clock difference. */
const CLOCK_SKEW_S = 5;
const MAX_TOKEN_CHARACTERS = 256 * 1024;
const ID = /^(?=.{16,100}$)[\w-]+(?:\.(?<body>[0-9a-f]{64}))?$/;
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const commonFields = {
  /** Seconds since the epoch. */
  exp: z.number(),
  /** Unique for each token. After a dot, the hash of the body; a Worker of the previous release omits it. */
  jti: z.string().regex(ID),
};

/** Names the tenant's batch of requests. */
const batchFields = { tenant: z.string().min(1).max(200), batch: z.uuid() };

const httpFields = {
  method: z.string().regex(/^[A-Z]{1,20}$/),
  url: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])).max(200),
  /** Allows a port other than 80 and 443, because the caller lists it with this host. */
  port_is_listed: z.boolean().optional(),
  /** Limits the sum of resolving, connecting, sending and reading the answer. */
  timeout_ms: z.number().int().min(1).max(600_000),
};

/** Limits the decoded body of a reply, in bytes. */
const maxBytes = z.number().int().min(0);

const egressOrder = z.strictObject({
  ...commonFields,
  ...httpFields,
  purpose: z.literal("egress"),
  /** The tenant of the request. Without it the request does not share a connection. */
  tenant: z.string().min(1).max(200).optional(),
  max_bytes: maxBytes.max(64 * 1024 * 1024),
  /** Streams the reply, which breaks off after `max_bytes`. */
  stream: z.boolean().optional(),
});

/** The requests are in the body, which the token always covers. */
const egressBatchOrder = z.strictObject({
  ...commonFields,
  ...batchFields,
  purpose: z.literal("egress_batch"),
});

const egressEndOrder = z.strictObject({
  ...commonFields,
  ...batchFields,
  purpose: z.literal("egress_end"),
  index: z
    .int()
    .min(0)
    .max(MAX_BATCH_REQUESTS - 1),
});

/** One request of a batch, as the head of its frame. */
export const batchedRequest = z.strictObject({ ...httpFields, max_bytes: maxBytes.max(MAX_BATCH_REPLY_BYTES) });

const jobOrder = z.strictObject({
  ...commonFields,
  purpose: z.literal("job"),
  kind: z.string().min(1).max(64),
  tenant: z.string().min(1).max(200),
  /** SHA-256 in hex of the packet's head, which holds the order and lists the files. */
  head: sha256,
  /** Counted from the start of the job. */
  timeout_ms: z.number().int().min(1).max(600_000),
});

const mcpMessageOrder = z.strictObject({
  ...commonFields,
  purpose: z.literal("mcp"),
  tenant: z.string().min(1).max(200),
  /** As in a job's order: the process and its configuration. */
  head: sha256,
});

const mcpEndOrder = z.strictObject({
  ...commonFields,
  purpose: z.literal("mcp_end"),
  tenant: z.string().min(1).max(200),
  /** The removed server. Null means all servers of the tenant. */
  server: z.string().min(1).max(100).nullable(),
});

const anyOrder = z.discriminatedUnion("purpose", [
  egressOrder,
  egressBatchOrder,
  egressEndOrder,
  jobOrder,
  mcpMessageOrder,
  mcpEndOrder,
]);

/** Orders one HTTP request. */
export type EgressOrder = z.infer<typeof egressOrder>;

/** One HTTP request, of an order or of a batch. */
export type EgressRequest = z.infer<typeof batchedRequest> & Pick<EgressOrder, "tenant">;

/** Orders the HTTP requests of its body. */
export type EgressBatchOrder = z.infer<typeof egressBatchOrder>;

/** Ends one request of a batch. */
export type EgressEndOrder = z.infer<typeof egressEndOrder>;

/** Orders one job. */
export type JobOrder = z.infer<typeof jobOrder>;

/** Orders one message to an MCP server. */
export type McpMessageOrder = z.infer<typeof mcpMessageOrder>;

export type SidecarOrder = z.infer<typeof anyOrder>;

/** Returns the hash of the body that an order covers: of its bytes, or of its packet's files (`joinHashes`). Null if it states none. */
export function getBodyHash({ jti }: Pick<SidecarOrder, "jti">): string | null {
  return ID.exec(jti)?.groups?.["body"] ?? null;
}

/** Throws `PacketError` unless the hashes in hex are those of the files that the order covers. */
export function requireFiles(order: Pick<SidecarOrder, "jti">, hashes: readonly string[]): void {
  const actual = createHash("sha256").update(joinHashes(hashes)).digest("hex");
  if (![null, actual].includes(getBodyHash(order)))
    throw new PacketError("invalid_input", "The files of the packet do not match the token.");
}

export type TokenVerdict =
  | { readonly ok: true; readonly order: SidecarOrder }
  | { readonly ok: false; readonly reason: TokenRefusal };

/** `foreign` means signed with another secret. `full` and `not_stored` mean that it cannot be recorded as used. */
export type TokenRefusal = "foreign" | "invalid" | "expired" | "used" | "full" | "not_stored";

/** Creates a function that verifies a token and returns its order. Each token passes once, even across a restart. */
export function makeTokenCheck(secret: string, used: UsedTokens, now: () => number): (token: string) => TokenVerdict {
  return function checkToken(token) {
    const read = verifyPayload(token, secret);
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

/** Checks a token's signature and parses its payload. */
function verifyPayload(token: string, secret: string): Payload {
  if (token.length > MAX_TOKEN_CHARACTERS) return { ok: false, reason: "invalid" };
  const [payload, signature, ...rest] = token.split(".");
  if (payload === undefined || signature === undefined || rest.length > 0) return { ok: false, reason: "invalid" };
  const expected = createHmac("sha256", secret).update(payload).digest();
  const given = Buffer.from(signature, "base64url");
  if (given.length !== expected.length) return { ok: false, reason: "invalid" };
  if (!timingSafeEqual(given, expected)) return { ok: false, reason: "foreign" };
  try {
    return { ok: true, payload: JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) as unknown };
  } catch {
    return { ok: false, reason: "invalid" };
  }
}
