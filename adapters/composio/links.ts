/** Consents of people, which they give on Composio's page. Composio keeps the tokens. */
import { z } from "zod";
import { ok, type Result } from "../../core/base/errors.ts";
import type { AccountLink, AppLinks } from "../../core/ports/apps.ts";
import { readAccount, revokeAccount } from "./accounts.ts";
import { openAuthConfigs } from "./auth-configs.ts";
import { failUnreadable, toReadFailure } from "./read-failure.ts";
import { type ComposioAccess, type ComposioReply, isSuccess, sendToComposio } from "./request.ts";

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 262_144;

const linkSchema = z.object({
  redirect_url: z.url({ protocol: /^https?$/ }),
  connected_account_id: z.string().min(1).max(200),
  expires_at: z.string().transform((text, context) => {
    const at = Date.parse(text);
    if (Number.isNaN(at)) context.addIssue("has to be a time");
    return at;
  }),
});

export function openAppLinks(access: ComposioAccess): AppLinks {
  const configs = openAuthConfigs(access);
  return {
    async link(wanted) {
      const first = await configs.get(wanted);
      if (!first.ok) return first;
      const reply = await sendLink(access, wanted, first.value);
      if (reply.kind !== "reply" || reply.status !== 404) return toLink(reply);
      // The settings were deleted at Composio. A link has no effect until a person follows it, so one more is safe.
      await configs.forget(wanted);
      const second = await configs.get(wanted);
      return second.ok ? toLink(await sendLink(access, wanted, second.value)) : second;
    },
    account: (providerId) => readAccount(access, providerId),
    revoke: (providerId) => revokeAccount(access, providerId),
  };
}

async function sendLink(
  access: ComposioAccess,
  { entity, callbackUrl }: { readonly entity: string; readonly callbackUrl: string },
  config: string,
): Promise<ComposioReply> {
  return await sendToComposio(access, {
    kind: "call",
    method: "POST",
    path: "/connected_accounts/link",
    body: { auth_config_id: config, user_id: entity, callback_url: callbackUrl },
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  });
}

function toLink(reply: ComposioReply): Result<AccountLink> {
  if (!isSuccess(reply)) return toReadFailure(reply, "The sign-in of this app");
  const parsed = linkSchema.safeParse(reply.body);
  if (!parsed.success) return failUnreadable();
  const { redirect_url, connected_account_id, expires_at } = parsed.data;
  return ok({ url: redirect_url, providerId: connected_account_id, expiresAt: expires_at });
}
