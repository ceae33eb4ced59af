/** The failure of a call that Composio or the app refused. */
import { ANSWERED, type ErrorCode, type Failed, notSent } from "../../core/base/errors.ts";
import type { AppCall } from "../../core/ports/apps.ts";
import { hideAccount } from "./hide-account.ts";
import type { CallOutcome } from "./outcome.ts";

/** The service answered, so nothing was carried out. */
export function failRefused(
  { app, action, account }: Pick<AppCall, "app" | "action" | "account">,
  { by, status, text: written }: CallOutcome & { readonly kind: "refused" },
): Failed {
  const text = hideAccount(written, account);
  const service = by === "app" ? app : "Composio";
  const message = `${service} refused ${action} (HTTP ${status})${text === "" ? ". Check its arguments, and what its account may do." : `: ${text}`}`;
  return notSent(toErrorCode(status), message, { cause: ANSWERED });
}

function toErrorCode(status: number): ErrorCode {
  if (status === 401 || status === 403) return "permission_denied";
  if (status === 404 || status === 410) return "not_found";
  return status === 413 ? "too_large" : "invalid_input";
}
