/** What the provider's answer about an account says of its connection. It ends connections, and never makes one active. */
import { type Failure, ok, type Result } from "../base/errors.ts";
import type { ProviderAccount } from "../ports/apps.ts";
import type { FlowAccount } from "./flow.ts";

/** How a connection ends; `why` is for people. */
export interface AccountEnd {
  readonly to: "expired" | "revoked";
  readonly why: string;
}

/** `wanted`: the account that the connection has. Null: it still works. Fails while the provider does not say. */
export function findAccountEnd(
  read: Result<ProviderAccount>,
  wanted: FlowAccount,
  title: string,
): Result<AccountEnd | null> {
  if (!read.ok) return findEndOfMissing(read.error, title);
  const { providerId, entity, status } = read.value;
  if (providerId !== wanted.providerId || entity !== wanted.entity)
    return ok({ to: "expired", why: `${title} names another owner of this account. Connect it again.` });
  switch (status) {
    case "active":
    case "pending":
      return ok(null);
    case "expired":
    case "failed":
      return ok({ to: "expired", why: `${title} ended the access. Connect it again.` });
    case "revoked":
      return ok({ to: "revoked", why: `The access was revoked at ${title}. Connect it again to use it.` });
  }
}

function findEndOfMissing(error: Failure, title: string): Result<AccountEnd | null> {
  if (error.code !== "not_found") return { ok: false, error };
  return ok({ to: "revoked", why: `The account was removed at the provider of ${title}. Connect it again to use it.` });
}
