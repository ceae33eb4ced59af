/** The search engine. */
import { type Env, readText } from "./bindings.ts";
import { isSearchProvider, openSearch, SEARCH_PROVIDERS, type SearchSettings } from "../search/search.ts";
import type { SearchPort } from "../../core/ports/search.ts";

/** The search engine; without one, searches fail with `not_available` and say what to set. */
export function searchFromEnv(env: Env): SearchPort {
  return openSearch(readSearchSettings(env));
}

/** Null without a search engine. */
export function readSearchSettings(env: Env): SearchSettings | null {
  const provider = readText(env.SEARCH_PROVIDER)?.toLowerCase() ?? null;
  if (provider === null) return null;
  if (!isSearchProvider(provider))
    throw new RangeError(`SEARCH_PROVIDER has to be one of ${Object.keys(SEARCH_PROVIDERS).join(", ")}`);
  const { needs, baseUrl: itsOwn } = SEARCH_PROVIDERS[provider];
  const [apiKey, given] = [readText(env.SEARCH_API_KEY), readText(env.SEARCH_BASE_URL)];
  if (needs === "key" && apiKey === null) throw new RangeError(`SEARCH_API_KEY is not set, and ${provider} needs it`);
  const baseUrl = given ?? itsOwn;
  if (baseUrl === null) throw new RangeError(`SEARCH_BASE_URL is not set, and ${provider} has no address of its own`);
  return { provider, baseUrl: baseUrl.replace(/\/+$/, ""), apiKey };
}
