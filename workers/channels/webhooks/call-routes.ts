/**
 * The entry point for programs outside: `POST /webhook/{type}`. A call is authenticated, stored and answered without
 * Postgres. The hook's inbox then creates its task.
 */
import { createRoute } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { z } from "zod";
import {
  findDeliveryName,
  findEvent,
  mayRecur,
  parsePayload,
  selectHeaders,
  decodeBody,
} from "../../../core/channels/webhooks/hook-call.ts";
import { isSigned } from "../../../core/channels/webhooks/hook-signature.ts";
import { HOOK_TYPES, type HookAuth, hookNameSchema, type HookType } from "../../../core/channels/webhooks/hook.ts";
import { raise } from "../../../core/base/errors.ts";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { rateBody, REQUEST_MS } from "../../../core/tenant/cost-rates.ts";
import { answers } from "../../http/answers.ts";
import { chargeCost, paceRequest } from "../../http/charge-cost.ts";
import { refreshHookSettings, readHookSettings } from "./hook-settings.ts";
import { nameByBody } from "./hook-item.ts";
import { takeCall } from "./take-call.ts";
import { openHookSecrets } from "./hook-secrets.ts";
import type { App, AppContext, AppEnv, MiddlewareContext } from "../../http/context.ts";
import { authenticate } from "../../http/middleware/authenticate.ts";
import { readBody } from "../../http/middleware/body-limits.ts";
import { refuseBoundKey } from "../../http/middleware/key-bounds.ts";
import { requireScope } from "../../http/middleware/require-scope.ts";
import { optionalQuery } from "../../http/list-query.ts";
import { getTenant } from "../../http/principal.ts";
import { receiveProviderEvent } from "../../triggers/events.ts";

const receivedSchema = z
  .strictObject({
    status: z.literal("received"),
    message_id: z.string().describe("The same for every attempt of one delivery."),
    webhook_type: z.string(),
  })
  .meta({ id: "WebhookReceived" });

/** The caller: a hook, or (`hook` null) a tenant's key that names no hook by id. */
interface Caller {
  readonly tenant: string;
  readonly hook: string | null;
  readonly type: HookType;
  readonly isOncePerBody: boolean;
}

/** A call of a hook by its id is signed; any other needs a key. */
const authenticateKeyed: MiddlewareHandler<AppEnv> = async function authenticateKeyed(c, next) {
  if (isKeyed(c)) return await authenticate(c, next);
  await next();
  return undefined;
};

const requireWriting: MiddlewareHandler<AppEnv> = async function requireWriting(c, next) {
  if (isKeyed(c)) return await requireScope("tasks:write")(c, async () => void (await refuseBoundKey(c, next)));
  await next();
  return undefined;
};

/**
 * Programs that call a hook may add their own query parameters, which are ignored. A key without a hook id must not,
 * since that is a typing mistake.
 */
const callQuery = z
  .looseObject({ hook: optionalQuery(z.string().max(100)).describe("The hook's id, `hook_…`") })
  .superRefine(({ hook, ...others }, context) => {
    const keys = hook === undefined ? Object.keys(others) : [];
    if (keys.length > 0) context.addIssue({ code: "unrecognized_keys", keys, path: [], input: others });
  });

const call = createRoute({
  tags: ["Webhooks in"],
  method: "post",
  operationId: "incomingWebhooks.call",
  path: "/webhook/{type}",
  summary: "Call a hook",
  description:
    "With `?hook=hook_…` the call is signed as the hook's type says: GitHub's `X-Hub-Signature-256`, Stripe's `Stripe-Signature`, Standard Webhooks' `webhook-signature`, or `X-Otto-Signature: sha256=<HMAC-SHA-256 of the body in hex>`. With a key of the scope `tasks:write` it needs no signature, and `type` is the name or the type of a hook; without such a hook, the built-in agent gets the call. The body can be anything, at most 1 MB. The same delivery (`X-GitHub-Delivery`, Stripe's event id, `webhook-id`; for a generic call `Idempotency-Key`, `webhook-id` or `X-Request-Id`) creates one task within 30 days; with `once_per_body`, so does the same body. A repeat gets the reply of the first call, and is listed as `repeat`. 410 if the hook is disabled. `/webhook/composio` without `?hook` and key is for the provider of apps, which signs events of triggers.",
  middleware: [authenticateKeyed, requireWriting],
  request: {
    params: z.object({ type: hookNameSchema.describe("A hook's type or name") }),
    query: callQuery,
  },
  responses: answers({ 200: { description: "It is stored.", json: receivedSchema } }, [404, 410, 413, 422]),
});

export function webhookCallRoutes(app: App): void {
  app.openapi(call, async (c) => {
    const { type: named } = c.req.valid("param");
    const { hook } = c.req.valid("query");
    if (isProviderEvent(c)) {
      const message_id = await receiveProviderEvent(c, await readCallBody(c));
      return c.json({ status: "received" as const, message_id, webhook_type: named }, 200);
    }
    const caller = hook === undefined ? findKeyedCaller(c, named) : await findHookCaller(c, named, hook);
    return c.json(
      { status: "received" as const, message_id: await storeCall(c, named, caller), webhook_type: named },
      200,
    );
  });
}

function findKeyedCaller(c: AppContext, named: string): Caller {
  const type = HOOK_TYPES.find((one) => one === named) ?? "generic";
  return { tenant: getTenant(c), hook: null, type, isOncePerBody: false };
}

/** Returns the hook of a call, once its caller is authenticated. */
async function findHookCaller(c: AppContext, named: string, id: string): Promise<Caller> {
  const record = await readHookSettings(c.env, id);
  if (record === null) return raiseNoHook();
  // If the check fails, a call a minute later repeats it.
  c.executionCtx.waitUntil(refreshHookSettings(c.env, record).catch(() => undefined));
  const { tenant, hook, type, name, isEnabled, isOncePerBody } = record.door;
  if (named !== type && named !== name) raiseNoHook();
  if (isKeyed(c)) {
    if (getTenant(c) !== tenant) raiseNoHook();
  } else if (!(await isSignedCall(c, record.door)))
    raise(
      "unauthenticated",
      "The call has no valid signature for its hook, or was signed more than five minutes ago. Check the hook's type and secret.",
    );
  else await paceSignedCall(c, tenant);
  if (!isEnabled) raise("gone", "The hook is disabled. Enable it first.");
  return { tenant, hook, type, isOncePerBody };
}

async function isSignedCall(c: AppContext, door: HookAuth): Promise<boolean> {
  const { type, signatureHeader } = door;
  const header = (name: string) => c.req.header(name) ?? null;
  const now = Date.now();
  const body = await readCallBody(c);
  for await (const secret of openHookSecrets(c.env, door, now))
    if (await isSigned({ type, secret, signatureHeader, body, header }, now)) return true;
  return false;
}

/** Charges the hook's tenant for a signed call. Its pace is that of requests with a key, with a shorter wait. */
async function paceSignedCall(c: AppContext, tenant: string): Promise<void> {
  await paceRequest(c.env, tenant, c.req);
  chargeCost(c.env, tenant, REQUEST_MS + rateBody("json", (await readCallBody(c)).length));
}

/** Stores a call. Returns the id of its message. */
async function storeCall(c: AppContext, named: string, { tenant, hook, type, isOncePerBody }: Caller): Promise<string> {
  const header = (name: string) => c.req.header(name) ?? null;
  const body = await readCallBody(c);
  const text = decodeBody(type, header("content-type") ?? "", body);
  const payload = parsePayload(text);
  const bodyHash = await sha256Hex(body);
  const name =
    isOncePerBody && !mayRecur(type, payload)
      ? nameByBody(bodyHash)
      : (findDeliveryName(type, payload, header) ?? crypto.randomUUID());
  const headers = selectHeaders(c.req.raw.headers);
  const event = findEvent(type, payload, header);
  const hashOfBody = hook === null ? { bodyHash } : {};
  return await takeCall(c.env, { tenant, hook, named, type, headers, text, name, event, ...hashOfBody });
}

/** Whether a call has a key of Otto. */
function isKeyed(c: MiddlewareContext): boolean {
  const hook = new URL(c.req.url).searchParams.get("hook") ?? "";
  return (hook === "" && !isProviderEvent(c)) || hasKey(c);
}

function hasKey(c: MiddlewareContext): boolean {
  return /^Bearer +otto_/i.test(c.req.header("authorization") ?? "");
}

/** Whether the provider of apps reports an event: it names no hook, and signs for all triggers. */
function isProviderEvent(c: MiddlewareContext): boolean {
  const { pathname, searchParams } = new URL(c.req.url);
  return pathname === "/webhook/composio" && !searchParams.has("hook") && !hasKey(c);
}

async function readCallBody(c: AppContext): Promise<Uint8Array> {
  return (await readBody(c)) ?? new Uint8Array();
}

function raiseNoHook(): never {
  raise("not_found", "There is no such hook.");
}
