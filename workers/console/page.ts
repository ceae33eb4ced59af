/**
 * The console: its page at every path that is no address of the API, and the files that it loads. Nothing of it comes from
 * elsewhere, and the page's policy holds it to that.
 */
import { assetsFromEnv } from "../../adapters/env/console.ts";
import type { AppContext } from "../http/context.ts";

/** What the console answers at its addresses. */
export const CONSOLE_METHODS = ["GET", "HEAD", "OPTIONS"];

/** The API's addresses, also those that it does not have. `/slack` is a page of the console, what is below it the API's. */
const API_PATH = /^\/(?:(?:v1|api|webhook|mcp|oauth|health|docs|cdn-cgi)(?:\/|$)|slack\/|openapi\.json$)/;

/** Files whose names hold the hash of what is in them. */
const HASHED_PATH = /^\/assets\//;

/**
 * The page runs its own scripts, which come from files, and asks its own server. `blob:` and `data:` pictures are previews of a
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
  // Text becomes no HTML and no script, whoever wrote it; web/src/shell/trusted-types.ts has the one exception.
  "require-trusted-types-for 'script'",
  "trusted-types default",
].join("; ");

/** What browsers can do and the console does not. */
const UNUSED = [
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
const PERMISSIONS = UNUSED.map((name) => `${name}=()`).join(", ");

/** True for a path that the API does not have and never will. */
export function isConsolePath(path: string): boolean {
  return !API_PATH.test(path);
}

/** The file at this path, or the page, which shows what the path names; null: there is no such file of the build's. */
export async function consoleFile(c: AppContext): Promise<Response | null> {
  const { method, path } = c.req;
  const headers = new Headers();
  for (const name of ["if-none-match", "accept-encoding"]) {
    const value = c.req.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  const found = await assetsFromEnv(c.env).fetch(new URL(c.req.url).href, { method, headers, redirect: "manual" });
  const isPage = found.headers.get("content-type")?.startsWith("text/html") ?? false;
  // A page of an earlier build asks for a file that is gone: the page in its place would be no script.
  if (HASHED_PATH.test(path) && (isPage || found.status === 404)) return null;
  const answer = new Response(found.body, found);
  answer.headers.set("content-security-policy", PAGE_POLICY);
  answer.headers.set("cross-origin-opener-policy", "same-origin");
  answer.headers.set("permissions-policy", PERMISSIONS);
  answer.headers.set("cache-control", HASHED_PATH.test(path) ? "public, max-age=31536000, immutable" : "no-cache");
  return answer;
}
