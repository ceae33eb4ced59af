/**
 * Moves files between Otto and the provider of apps, by signed addresses that the provider gives. They are data from outside, so
 * each goes through egress, redirects included: by https to any public host, and otherwise only to what the operator opened. A
 * signed address is a secret, so no message has one. It is no place for the tenant's secrets: references in it are text.
 */
import { asNotSent, type Failure, type ErrorCode, failed, notSent, ok, type Result } from "../../core/base/errors.ts";
import type { AppDownload, AppFile, AppFileLink } from "../../core/ports/app-calls.ts";
import type { AppsPort } from "../../core/ports/apps.ts";
import type { WebPort, WebStream } from "../../core/ports/web.ts";
import { readLargeReply } from "../egress/large-reply.ts";
import { resultMemory } from "../sidecar/result-memory.ts";

export interface AppFilesParts {
  readonly apps: Pick<AppsPort, "requestUpload">;
  readonly web: Pick<WebPort, "open">;
  /** Returns the MD5 of bytes in hex, by which the provider checks an upload. */
  md5(bytes: Uint8Array): Promise<string>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Of one upload. */
const PUT_TIMEOUT_MS = 120_000;
const MAX_PUT_REPLY_BYTES = 65_536;
/** More than a piece of a stream has. */
const STREAM_MARGIN_BYTES = 2_097_152;
const MAX_REDIRECTS = 3;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export async function uploadAppFile(parts: AppFilesParts, file: AppFile): Promise<Result<{ readonly key: string }>> {
  const { app, action, name, contentType, size, signal } = file;
  const release = await resultMemory.reserve(size, signal);
  try {
    const bytes = await file.read();
    if (!bytes.ok) return asNotSent(bytes.error);
    const md5 = await parts.md5(bytes.value);
    const target = await parts.apps.requestUpload({ app, action, name, contentType, md5, signal });
    if (!target.ok) return asNotSent(target.error);
    const put = await putBytes(parts, target.value.url, bytes.value, { contentType, signal });
    if (put.ok) return ok({ key: target.value.key });
    return notSent(put.error.code, `${name} could not be uploaded: ${put.error.message}. Nothing was sent.`);
  } finally {
    release();
  }
}

async function putBytes(
  { web }: AppFilesParts,
  url: string,
  body: Uint8Array,
  { contentType, signal }: Pick<AppFile, "contentType" | "signal">,
): Promise<Result<void>> {
  const opened = await web.open({
    ...toRequest(url, { timeoutMs: PUT_TIMEOUT_MS, maxBytes: MAX_PUT_REPLY_BYTES, signal }),
    method: "PUT",
    headers: [["content-type", contentType]],
    body,
  });
  if (!opened.ok) return explain(opened.error);
  const { status } = opened.value;
  await drop(opened.value);
  return status >= 200 && status < 300 ? ok(undefined) : failStatus(status);
}

export async function downloadAppFile(parts: AppFilesParts, wanted: AppFileLink): Promise<Result<AppDownload>> {
  const until = parts.now() + wanted.timeoutMs;
  let url = wanted.url;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const timeoutMs = until - parts.now();
    if (timeoutMs <= 0) return TOO_LATE;
    // A stream breaks off at its limit, and this side counts first.
    const maxBytes = wanted.maxBytes + STREAM_MARGIN_BYTES;
    const opened = await parts.web.open({ ...toRequest(url, { ...wanted, maxBytes, timeoutMs }), method: "GET" });
    if (!opened.ok) return explain(opened.error);
    const next = REDIRECTS.has(opened.value.status) ? findRedirect(opened.value, url) : null;
    if (next === null) return await readFile(opened.value, wanted);
    await drop(opened.value);
    url = next;
  }
  return failed("upstream_failed", "its address redirects too often");
}

/** Without https, only what the operator opened may be reached. */
function toRequest(url: string, { timeoutMs, maxBytes, signal }: Omit<AppFileLink, "url">) {
  const allowedDomains = URL.parse(url)?.protocol === "https:" ? ["*"] : null;
  const none: readonly (readonly [string, string])[] = [];
  return { url, headers: none, body: null, timeoutMs, maxBytes, followRedirects: false, allowedDomains, signal };
}

async function readFile(reply: WebStream, { maxBytes, signal }: AppFileLink): Promise<Result<AppDownload>> {
  if (reply.status !== 200) {
    await drop(reply);
    return failStatus(reply.status);
  }
  const length = readLength(reply);
  const tooLarge = failed("too_large", `it has more than ${maxBytes} bytes`);
  if (length !== undefined && length > maxBytes) {
    await drop(reply);
    return tooLarge;
  }
  try {
    const read = await readLargeReply({ ...reply, length }, { maxBytes, signal });
    if (!read.ok) return explain(read.error);
    const { body, truncated, release = () => undefined } = read.value;
    if (!truncated) return ok({ bytes: body, contentType: getHeader(reply, "content-type"), release });
    release();
    return tooLarge;
  } catch {
    return signal.aborted ? TOO_LATE : failed("upstream_failed", "it did not arrive whole, or not in time");
  }
}

function findRedirect(reply: WebStream, from: string): string | null {
  return URL.parse(getHeader(reply, "location") ?? "", from)?.href ?? null;
}

/** Undefined where the body is encoded, or its length is not stated. */
function readLength(reply: WebStream): number | undefined {
  const stated = getHeader(reply, "content-length") ?? "";
  return getHeader(reply, "content-encoding") === null && /^\d{1,15}$/.test(stated) ? Number(stated) : undefined;
}

function getHeader({ headers }: WebStream, name: string): string | null {
  return headers.find(([one]) => one.toLowerCase() === name)?.[1] ?? null;
}

/** Ends a reply that nobody reads. */
async function drop({ body }: WebStream): Promise<void> {
  await body.cancel().catch(() => undefined);
}

const TOO_LATE = failed("timeout", "there was not enough time");

/** S3 and R2 reply with 403 to a link that has expired. */
function failStatus(status: number): Result<never> {
  const expired = status === 403 || status === 410 ? ", so its link may have expired" : "";
  return failed("upstream_failed", `its server replied with HTTP ${status}${expired}`);
}

const REASONS: Partial<Record<ErrorCode, string>> = {
  blocked_by_policy: "Otto may not reach its address",
  invalid_input: "its address is not valid",
  not_available: "web requests are not available here",
  too_large: "it is too large to be sent",
  timeout: "there was not enough time",
};

/** The reason without the address. */
function explain({ code }: Failure): Result<never> {
  const known = REASONS[code];
  return known === undefined ? failed("upstream_failed", "its server cannot be reached") : failed(code, known);
}
