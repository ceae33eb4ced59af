/** The hosts in an agent's configuration that support `Idempotency-Key`, and how long each stores a key. */
import { getOwn } from "../base/own-field.ts";
import { isHostListed } from "./host-pattern.ts";
import { z } from "zod";

/** Key lifetime of a receiver that documents none. An estimate: most document 24 h, the shortest known is 30 min. */
export const DEFAULT_KEYED_FOR_MS = 30 * 60_000;
const MAX_KEYED_FOR_S = 30 * 86_400;
/** The shortest and the longest key lifetime that a tenant may configure, in seconds. */
const MIN_KEYED_FOR_S = 60;

const DAY_MS = 86_400_000;

/** Lifetimes that providers document. https://docs.stripe.com/api/idempotent_requests: at least 24 hours. */
const DOCUMENTED_KEYED_FOR_MS: Readonly<Record<string, number>> = { "api.stripe.com": DAY_MS };

const hostPattern = z.string().min(1).max(260);

/** Seconds for which a receiver stores an idempotency key. */
export const keyedForSchema = z.int().min(MIN_KEYED_FOR_S).max(MAX_KEYED_FOR_S);

/** A pattern of hosts, with the key lifetime that they state, if one is known. */
export const idempotentHostSchema = z.union([
  hostPattern,
  z.strictObject({
    host: hostPattern,
    keyed_for_s: keyedForSchema.describe("Seconds for which these hosts store a key; 1800 for a host without it"),
  }),
]);
export type IdempotentHost = z.infer<typeof idempotentHostSchema>;

/** Otto's own API: its host with its port, and how long it stores a key, in ms. */
export interface OwnApi {
  readonly host: string;
  readonly keyedForMs: number;
}

/** What determines how long a host stores a key. `ownApi` is absent or null without a public address. */
export interface KeyLifetimes {
  readonly idempotentHosts: readonly IdempotentHost[];
  readonly ownApi?: OwnApi | null;
}

/**
 * How long the host of `url` stores an idempotency key, in ms; null when it is not listed, or `url` is invalid. The
 * shortest configured lifetime wins, then what the provider or Otto's own API documents, then 30 minutes.
 */
export function getKeyLifetime(url: string, { idempotentHosts: hosts, ownApi }: KeyLifetimes): number | null {
  const parsed = URL.parse(url);
  if (parsed === null) return null;
  const listed = hosts.filter((entry) => isHostListed(parsed, [typeof entry === "string" ? entry : entry.host]));
  if (listed.length === 0) return null;
  const stated = listed.flatMap((entry) => (typeof entry === "string" ? [] : [entry.keyed_for_s * 1000]));
  return stated.length > 0 ? Math.min(...stated) : getDocumentedKeyLifetime(parsed, ownApi);
}

/** How long an unconfigured host stores a key, in ms: what its provider documents, otherwise 30 minutes. */
export function getDocumentedKeyLifetime(url: URL, ownApi: OwnApi | null = null): number {
  if (url.host === ownApi?.host) return ownApi.keyedForMs;
  return getOwn(DOCUMENTED_KEYED_FOR_MS, url.hostname) ?? DEFAULT_KEYED_FOR_MS;
}
