/**
 * The console: its page at every path outside the API, and the files that it loads. The page's policy keeps it from
 * loading anything from elsewhere.
 */
import { assetsFromEnv } from "../../adapters/env/console.ts";
import type { AppContext } from "../http/context.ts";

/** The methods of the console's paths. */
export const CONSOLE_METHODS = ["GET", "HEAD", "OPTIONS"];

/** The API's paths, including unknown ones. Paths below `/slack` and `/connect` belong to the API. */
const API_PATH = /^\/(?:(?:v1|api|webhook|mcp|oauth|health|docs|cdn-cgi)(?:\/|$)|slack\/|connect\/|openapi\.json$)/;

/** Files whose names contain the hash of their content. */
const HASHED_PATH = /^\/assets\//;

/**
 * The page runs its own scripts from files and calls its own server. `blob:` and `data:` pictures are previews of a
 * task's files.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "frame-src 'none'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  // No text becomes HTML or a script; web/src/shell/trusted-types.ts has the one exception.
  "require-trusted-types-for 'script'",
  "trusted-types default",
].join("; ");

/** Browser features that the console does not use. */
const UNUSED_FEATURES = [
  "accelerometer",
  "autoplay",
  "camera",
  "clipboard-read",
  "display-capture",
  "encrypted-media",
  "fullscreen",
  "geolocation",
  "gyroscope",
  "hid",
  "idle-detection",
  "local-fonts",
  "magnetometer",
  "microphone",
  "midi",
  "payment",
  "picture-in-picture",
  "publickey-credentials-create",
  "publickey-credentials-get",
  "screen-wake-lock",
  "serial",
  "usb",
  "xr-spatial-tracking",
];
const PERMISSIONS = UNUSED_FEATURES.map((name) => `${name}=()`).join(", ");

/** Whether a path is outside the API. */
export function isConsolePath(path: string): boolean {
  return !API_PATH.test(path);
}

/** Returns the file at this path, or the console's page; null for an asset that this build lacks. */
export async function findConsoleFile(c: AppContext): Promise<Response | null> {
  const { method, path } = c.req;
  const headers = new Headers();
  for (const name of ["if-none-match", "accept-encoding"]) {
    const value = c.req.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  const found = await assetsFromEnv(c.env).fetch(new URL(c.req.url).href, { method, headers, redirect: "manual" });
  const isPage = found.headers.get("content-type")?.startsWith("text/html") ?? false;
  // A page of an earlier build requests an asset that no longer exists. The page would be an invalid script.
  if (HASHED_PATH.test(path) && (isPage || found.status === 404)) return null;
  const answer = new Response(found.body, found);
  answer.headers.set("content-security-policy", PAGE_POLICY);
  answer.headers.set("cross-origin-opener-policy", "same-origin");
  answer.headers.set("permissions-policy", PERMISSIONS);
  answer.headers.set("cache-control", HASHED_PATH.test(path) ? "public, max-age=31536000, immutable" : "no-cache");
  return answer;
}
