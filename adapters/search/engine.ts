/**
 * One request to a search engine: its limits, and what is rejected. The key is sent to the configured address only, so
 * redirects are not followed.
 */
import { z } from "zod";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { SearchHit, SearchRequest } from "../../core/ports/search.ts";
import { parseJson } from "../../core/base/parse-json.ts";
import { toPlainText } from "./plain-text.ts";

/** Maximum bytes of a reply; 20 results have about 50,000. */
const MAX_BYTES = 2_000_000;
const MAX_TITLE = 300;
const MAX_SNIPPET = 2_000;
const MAX_URL = 2_048;

/** An optional text of a reply. */
export const optionalText = z
  .string()
  .nullish()
  .transform((text) => text ?? "");

/** The address of an engine. */
export interface EngineAddress {
  readonly baseUrl: string;
  readonly apiKey: string | null;
}

/** A result of an engine; text may contain HTML. */
export interface RawHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** What differs between engines. */
export interface SearchEngine {
  readonly name: string;
  request(address: EngineAddress, search: SearchRequest): { readonly url: string; readonly init: RequestInit };
  /** Returns the results of a reply in order; null if the format is unknown. */
  hits(reply: unknown): readonly RawHit[] | null;
}

/** Sends a search. Never throws; no message contains the key or the query. */
export async function searchEngine(
  engine: SearchEngine,
  address: EngineAddress,
  search: SearchRequest,
): Promise<Result<readonly SearchHit[]>> {
  const limit = AbortSignal.any([search.signal, AbortSignal.timeout(search.timeoutMs)]);
  try {
    const { url, init } = engine.request(address, search);
    const response = await fetch(url, { ...init, redirect: "manual", signal: limit });
    if (response.status !== 200) {
      await response.body?.cancel();
      return toRefusal(engine.name, response.status);
    }
    const text = await readText(response);
    if (text === null) return failed("upstream_failed", `${engine.name} sent more than ${MAX_BYTES} bytes.`);
    const hits = engine.hits(parseJson(text));
    if (hits === null) return failed("upstream_failed", `${engine.name} sent an unreadable reply.`);
    return ok(hits.flatMap(cleanHit).slice(0, search.maxResults));
  } catch {
    if (limit.aborted) return failed("timeout", `${engine.name} did not reply in time.`);
    return failed("upstream_failed", `${engine.name} is unavailable.`);
  }
}

function toRefusal(name: string, status: number): Result<never> {
  if (status === 429) return failed("rate_limited", `${name} accepts no more searches at present. Try again later.`);
  if (status === 401 || status === 403)
    return failed(
      "upstream_failed",
      `${name} rejected Otto's request (HTTP ${status}): its key or its settings are wrong.`,
    );
  return failed("upstream_failed", `${name} replied with HTTP ${status}.`);
}

/** A result without markup, within its limits; empty without a valid URL. */
function cleanHit({ title, url, snippet }: RawHit): SearchHit[] {
  const parsed = url.length > MAX_URL ? null : URL.parse(url);
  if (parsed === null || (parsed.protocol !== "https:" && parsed.protocol !== "http:")) return [];
  return [
    { title: cut(toPlainText(title), MAX_TITLE), url: parsed.href, snippet: cut(toPlainText(snippet), MAX_SNIPPET) },
  ];
}

/** Cuts a text without splitting a surrogate pair. */
function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Null if it is too long. */
async function readText(response: Response): Promise<string | null> {
  const body = response.body as ReadableStream<Uint8Array> | null;
  if (body === null) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > MAX_BYTES) {
      await reader.cancel();
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
}
