/** One small request that needs the key, before a key is stored. */
import { ANSWERED, failed, ok, type Result } from "../../core/base/errors.ts";
import { toReadFailure } from "./read-failure.ts";
import { type ComposioAccess, sendToComposio } from "./request.ts";

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 262_144;

/** `invalid_input` for a key that Composio refuses; another failure says nothing of the key. */
export async function checkKey(access: ComposioAccess): Promise<Result<void>> {
  // Settings of consents belong to the key's project, so they are not listed without a valid key.
  const reply = await sendToComposio(access, {
    kind: "call",
    method: "GET",
    path: "/auth_configs",
    query: { limit: "1" },
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  });
  if (reply.kind === "reply" && reply.status === 200) return ok(undefined);
  if (reply.kind === "reply" && (reply.status === 401 || reply.status === 403)) {
    const message = `Composio refused this key (HTTP ${reply.status}). Copy it again from your project's settings at Composio.`;
    return failed("invalid_input", message, { field: "api_key", cause: ANSWERED });
  }
  return toReadFailure(reply, "The list of settings");
}
