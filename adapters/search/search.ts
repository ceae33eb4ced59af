/**
 * The search engines that an operator can choose. Like that of the model, their addresses are the operator's: they may
 * be private, and no tenant names them. Results are plain text, and nothing is fetched from them.
 */
import { failed } from "../../core/base/errors.ts";
import type { SearchPort } from "../../core/ports/search.ts";
import { braveSearch } from "./brave.ts";
import { searchEngine, type SearchEngine } from "./engine.ts";
import { searxngSearch } from "./searxng.ts";
import { tavilySearch } from "./tavily.ts";

interface Provider {
  /** What it requires. */
  readonly needs: "key" | "address";
  /** Its public address; null for self-hosted engines. */
  readonly baseUrl: string | null;
  readonly engine: SearchEngine;
}

export const SEARCH_PROVIDERS = {
  tavily: { needs: "key", baseUrl: "https://api.tavily.com", engine: tavilySearch },
  brave: { needs: "key", baseUrl: "https://api.search.brave.com", engine: braveSearch },
  searxng: { needs: "address", baseUrl: null, engine: searxngSearch },
} as const satisfies Record<string, Provider>;

export type SearchProvider = keyof typeof SEARCH_PROVIDERS;

/** `baseUrl` has no trailing slash. */
export interface SearchSettings {
  readonly provider: SearchProvider;
  readonly baseUrl: string;
  readonly apiKey: string | null;
}

export function isSearchProvider(name: string): name is SearchProvider {
  return Object.hasOwn(SEARCH_PROVIDERS, name);
}

const HOW_TO_SET_UP =
  "No search engine is configured. Otto's operator sets SEARCH_PROVIDER to tavily or brave, with SEARCH_API_KEY, or to searxng, with SEARCH_BASE_URL.";

/** Null without a search engine. */
export function openSearch(settings: SearchSettings | null): SearchPort {
  if (settings === null) return { search: () => Promise.resolve(failed("not_available", HOW_TO_SET_UP)) };
  const { engine } = SEARCH_PROVIDERS[settings.provider];
  return { search: (request) => searchEngine(engine, settings, request) };
}
