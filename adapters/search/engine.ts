/**
 * One request to a search engine: its bounds, and what is refused before it is believed. The key goes to the configured
 * address only, so a redirect is never followed.
 */
import { z } from "zod";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { SearchHit, SearchRequest } from "../../core/ports/search.ts";
import { parseJson } from "../../core/base/parse-json.ts";
import { plainText } from "./plain-text.ts";

/** Bytes of a reply that are read; 20 results have about 50,000. */
const MAX_BYTES = 2_000_000;
const MAX_TITLE = 300;
const MAX_SNIPPET = 2_000;
const MAX_URL = 2_048;

/** A text of a reply that can be missing. */
export const textOrNothing = z
  .string()
  .nullish()
  .transform((text) => text ?? "");

/** Where an engine is. */
export interface EngineAddress {
  readonly baseUrl: string;
  readonly apiKey: string | null;
}

/** A result as an engine gives it; text may hold HTML. */
export interface RawHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** What differs between engines. */
export interface SearchEngine {
  readonly name: string;
  request(address: EngineAddress, search: SearchRequest): { readonly url: string; readonly init: RequestInit };
  /** The results of a reply in their order; null: it is none of this engine's. */
  hits(reply: unknown): readonly RawHit[] | null;
}

/** Asks an engine. Never throws; no message holds the key or the query. */
export async function askEngine(
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
      return refusalOf(engine.name, response.status);
    }
    const text = await readText(response);
    if (text === null) return failed("upstream_failed", `${engine.name} sent more than ${MAX_BYTES} bytes.`);
    const hits = engine.hits(parseJson(text));
    if (hits === null) return failed("upstream_failed", `${engine.name} sent a reply that cannot be read.`);
    return ok(hits.flatMap(cleanHit).slice(0, search.maxResults));
  } catch {
    if (limit.aborted) return failed("timeout", `${engine.name} did not answer in time.`);
    return failed("upstream_failed", `${engine.name} cannot be reached.`);
  }
}

function refusalOf(name: string, status: number): Result<never> {
  if (status === 429) return failed("rate_limited", `${name} takes no more searches for now. Try again later.`);
  if (status === 401 || status === 403)
    return failed(
      "upstream_failed",
      `${name} refuses to answer Otto (HTTP ${status}): its key or its settings are wrong.`,
    );
  return failed("upstream_failed", `${name} answered with HTTP ${status}.`);
}

/** A result without markup, in its bounds; nothing for one that leads to no page. */
function cleanHit({ title, url, snippet }: RawHit): SearchHit[] {
  const parsed = url.length > MAX_URL ? null : URL.parse(url);
  if (parsed === null || (parsed.protocol !== "https:" && parsed.protocol !== "http:")) return [];
  return [{ title: cut(plainText(title), MAX_TITLE), url: parsed.href, snippet: cut(plainText(snippet), MAX_SNIPPET) }];
}

/** At most so many characters, and no half of a surrogate pair. */
function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Null: it is too long. */
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
