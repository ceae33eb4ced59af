/**
 * The search engines that an operator can choose from. Their addresses are the operator's, like that of the model: they
 * may be private, and they are not a tenant's to name. What they find is text to Otto, and nothing is fetched from it.
 */
import { failed } from "../../core/base/errors.ts";
import type { SearchPort } from "../../core/ports/search.ts";
import { braveSearch } from "./brave.ts";
import { askEngine, type SearchEngine } from "./engine.ts";
import { searxngSearch } from "./searxng.ts";
import { tavilySearch } from "./tavily.ts";

interface Provider {
  /** What it cannot do without. */
  readonly needs: "key" | "address";
  /** Its own address; null: everybody runs theirs. */
  readonly baseUrl: string | null;
  readonly engine: SearchEngine;
}

export const SEARCH_PROVIDERS = {
  tavily: { needs: "key", baseUrl: "https://api.tavily.com", engine: tavilySearch },
  brave: { needs: "key", baseUrl: "https://api.search.brave.com", engine: braveSearch },
  searxng: { needs: "address", baseUrl: null, engine: searxngSearch },
} as const satisfies Record<string, Provider>;

export type SearchProvider = keyof typeof SEARCH_PROVIDERS;

/** `baseUrl` has no slash at its end. */
export interface SearchSettings {
  readonly provider: SearchProvider;
  readonly baseUrl: string;
  readonly apiKey: string | null;
}

export function isSearchProvider(name: string): name is SearchProvider {
  return Object.hasOwn(SEARCH_PROVIDERS, name);
}

const HOW_TO_SET_UP =
  "No search engine is set up. Otto's operator sets SEARCH_PROVIDER to tavily or brave, with SEARCH_API_KEY, or to searxng, with SEARCH_BASE_URL.";

/** Null: none is set up. */
export function openSearch(settings: SearchSettings | null): SearchPort {
  if (settings === null) return { search: () => Promise.resolve(failed("not_available", HOW_TO_SET_UP)) };
  const { engine } = SEARCH_PROVIDERS[settings.provider];
  return { search: (request) => askEngine(engine, settings, request) };
}
