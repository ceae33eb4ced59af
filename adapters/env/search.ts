/** The search engine. */
import { type Env, set } from "./bindings.ts";
import { isSearchProvider, openSearch, SEARCH_PROVIDERS, type SearchSettings } from "../search/search.ts";
import type { SearchPort } from "../../core/ports/search.ts";

/** The search engine; without one, searches answer `not_available` and what to set. */
export function searchFromEnv(env: Env): SearchPort {
  return openSearch(searchSettings(env));
}

/** Null: no search engine is set up. */
export function searchSettings(env: Env): SearchSettings | null {
  const provider = set(env.SEARCH_PROVIDER)?.toLowerCase() ?? null;
  if (provider === null) return null;
  if (!isSearchProvider(provider))
    throw new RangeError(`SEARCH_PROVIDER has to be one of ${Object.keys(SEARCH_PROVIDERS).join(", ")}`);
  const { needs, baseUrl: itsOwn } = SEARCH_PROVIDERS[provider];
  const [apiKey, given] = [set(env.SEARCH_API_KEY), set(env.SEARCH_BASE_URL)];
  if (needs === "key" && apiKey === null) throw new RangeError(`SEARCH_API_KEY is not set, and ${provider} needs it`);
  const baseUrl = given ?? itsOwn;
  if (baseUrl === null) throw new RangeError(`SEARCH_BASE_URL is not set, and ${provider} has no address of its own`);
  return { provider, baseUrl: baseUrl.replace(/\/+$/, ""), apiKey };
}
