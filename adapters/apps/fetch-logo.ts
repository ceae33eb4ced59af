/**
 * Fetches the logo of an app. Its address comes from the provider, so the request goes through egress, redirects included: by
 * https to any public host, and otherwise only to what the operator opened.
 */
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { findLogoType, MAX_LOGO_BYTES } from "../../core/apps/logo.ts";
import type { WebPort } from "../../core/ports/web.ts";

const TIMEOUT_MS = 5_000;

/** `not_available` without a way to the web, `too_large`, and `invalid_input` for what is no picture. */
export async function fetchLogo(web: Pick<WebPort, "request">, url: string): Promise<Result<Uint8Array>> {
  const replied = await web.request({
    method: "GET",
    url,
    headers: [["accept", "image/*"]],
    body: null,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_LOGO_BYTES,
    followRedirects: true,
    allowedDomains: URL.parse(url)?.protocol === "https:" ? ["*"] : null,
    signal: new AbortController().signal,
  });
  if (!replied.ok) return replied;
  const { status, body, truncated } = replied.value;
  if (status !== 200) return failed("upstream_failed", `Its server replied with HTTP ${status}.`);
  if (truncated) return failed("too_large", `It has more than ${MAX_LOGO_BYTES} bytes.`);
  if (findLogoType(body) === null) return failed("invalid_input", "It is not PNG, JPEG, GIF, WebP or SVG.");
  return ok(body);
}
