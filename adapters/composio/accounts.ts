/** Accounts at Composio. Its tokens stay there: Otto has the id of an account alone. */
import { z } from "zod";
import { ok, type Result } from "../../core/base/errors.ts";
import type { ProviderAccount } from "../../core/ports/apps.ts";
import { failUnreadable, toReadFailure } from "./read-failure.ts";
import { type ComposioAccess, type ComposioReply, type ComposioRequest, isSuccess, sendToComposio } from "./request.ts";

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 262_144;

const STATUSES = {
  INITIALIZING: "pending",
  INITIATED: "pending",
  ACTIVE: "active",
  FAILED: "failed",
  INACTIVE: "failed",
  EXPIRED: "expired",
  REVOKED: "revoked",
} as const satisfies Record<string, ProviderAccount["status"]>;

const accountSchema = z.object({
  id: z.string().min(1),
  user_id: z.string(),
  status: z.enum(Object.keys(STATUSES) as (keyof typeof STATUSES)[]),
  alias: z.string().nullish(),
  toolkit: z.object({ slug: z.string().min(1) }),
});

export async function readAccount(access: ComposioAccess, providerId: string): Promise<Result<ProviderAccount>> {
  const reply = await send(access, { method: "GET", path: toPath(providerId) });
  if (reply.kind !== "reply" || reply.status !== 200) return toReadFailure(reply, "This account");
  const parsed = accountSchema.safeParse(reply.body);
  if (!parsed.success) return failUnreadable();
  const { id, user_id, status, alias, toolkit } = parsed.data;
  return ok({
    providerId: id,
    entity: user_id,
    app: toolkit.slug.toLowerCase(),
    status: STATUSES[status],
    label: alias ?? null,
  });
}

/**
 * Revokes the access at the app. An account that Composio cannot revoke, such as one that is pending, is deleted. One that
 * is gone counts as revoked.
 */
export async function revokeAccount(access: ComposioAccess, providerId: string): Promise<Result<void>> {
  const revoked = await send(access, { method: "POST", path: `${toPath(providerId)}/revoke` });
  const isRefused = revoked.kind === "reply" && [400, 409, 422].includes(revoked.status);
  const reply = isRefused
    ? await send(access, { method: "DELETE", path: toPath(providerId), query: { revoke_on_delete: "true" } })
    : revoked;
  const isGone = reply.kind === "reply" && [404, 410].includes(reply.status);
  return isSuccess(reply) || isGone ? ok(undefined) : toReadFailure(reply, "This account");
}

async function send(
  access: ComposioAccess,
  request: Pick<ComposioRequest, "method" | "path" | "query">,
): Promise<ComposioReply> {
  return await sendToComposio(access, { kind: "call", timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, ...request });
}

function toPath(providerId: string): string {
  return `/connected_accounts/${encodeURIComponent(providerId)}`;
}
