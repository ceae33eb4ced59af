/** Sources from an OpenAPI document: reads, publishes and reloads them. */
import { patternsFromEnv } from "../../adapters/env/patterns.ts";
import { toolSourcesFromEnv } from "../../adapters/env/tool-sources.ts";
import { webFromEnv } from "../../adapters/env/web.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { indexByKey, rejectDuplicate } from "../../core/steps/tool-bus.ts";
import { readApiDocument } from "../../core/openapi/document.ts";
import { type Imported, type ImportOptions, importOpenApi, toSlug } from "../../core/openapi/import.ts";
import { SETUP } from "../../core/secrets/secret-use.ts";
import type { Tool } from "../../core/tool/tool.ts";
import { toNameKey } from "../../core/tool/source.ts";
import { rateBody } from "../../core/tenant/cost-rates.ts";
import { meterWork } from "../http/charge-cost.ts";
import type { AppContext } from "../http/context.ts";
import { findImportApp, saveImportApp } from "./import-app.ts";
import { readDocument } from "../http/yaml-text.ts";
import { getTenant } from "../http/principal.ts";

const PREFIX = "openapi:";
const MAX_NAME = 32;
/** Bytes of a fetched document, and the time limit of the fetch. */
const MAX_DOCUMENT_BYTES = 5_000_000;
const TIMEOUT_MS = 20_000;

/** The stored options of an import, to rebuild it. */
type StoredImport = Omit<ImportOptions, "name">;

/** Returns the source name of an import. */
export function getSourceName(name: string): string {
  return `${PREFIX}${name}`;
}

/** Returns the name of an import from that of its source. */
export function getImportName(source: string): string {
  return source.slice(PREFIX.length);
}

export function isImportSource(source: string): boolean {
  return source.startsWith(PREFIX);
}

/** A read document: its tools, the import's name, and the document's title. */
export interface NamedImport extends Imported {
  readonly name: string;
  readonly title: string;
}

/** Builds the tools of a document. An import without a name gets the document's title. */
export async function readImport(
  c: AppContext,
  value: unknown,
  options: Omit<ImportOptions, "name"> & { readonly name: string | null },
): Promise<Result<NamedImport>> {
  const document = readApiDocument(value);
  if (!document.ok) return document;
  const name = options.name ?? toSlug(document.value.title).slice(0, MAX_NAME).replace(/_+$/, "");
  const work = meterWork(c.env, getTenant(c));
  const ports = { patterns: patternsFromEnv(c.env), giveWay: work.giveWay };
  const made = await importOpenApi(document.value, { ...options, name }, ports);
  work.charge();
  return made.ok ? ok({ ...made.value, name, title: document.value.title }) : made;
}

/** Fetches a document. */
export async function fetchDocument(c: AppContext, url: string): Promise<Result<unknown>> {
  const replied = await webFromEnv(c.env, { tenant: getTenant(c) }, SETUP).request({
    method: "GET",
    url,
    headers: [["accept", "application/json, application/yaml;q=0.9, */*;q=0.1"]],
    body: null,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_DOCUMENT_BYTES,
    followRedirects: true,
    allowedDomains: ["*"],
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!replied.ok) return { ok: false, error: { ...replied.error, field: "url" } };
  const { status, truncated, body } = replied.value;
  if (status !== 200) return failed("upstream_failed", `url: answered ${status}, not a document`, { field: "url" });
  if (truncated) return failed("too_large", `url: the document is over ${MAX_DOCUMENT_BYTES} bytes`, { field: "url" });
  const { giveWay } = meterWork(c.env, getTenant(c), { countedMs: rateBody("compiled", body.length) });
  return await readDocument(new TextDecoder().decode(body), "url", giveWay);
}

/** The context of an import: other tools, the requester, and whether the import must be new. */
interface ImportChange {
  /** All tools. */
  readonly tools: readonly Tool[];
  readonly act: AuditEntry;
  readonly isNew: boolean;
  /** The secret of the app's client, if it was sent. */
  readonly clientSecret?: string;
}

/**
 * Publishes an import, and stores its app if people connect accounts to it. `conflict` if another source has a tool of the
 * same name, or an MCP server is the app of this name.
 */
export async function publishImport(
  c: AppContext,
  made: NamedImport,
  kept: StoredImport,
  change: ImportChange,
): Promise<Result<void>> {
  const { name, tools } = made;
  const present = indexByKey(change.tools);
  for (const tool of tools) {
    const other = present.get(toNameKey(tool.name));
    if (other !== undefined && other.written?.source !== getSourceName(name)) return rejectDuplicate(tool.name, other);
  }
  const sources = toolSourcesFromEnv(c.env);
  const known = await sources.all(getTenant(c));
  if (!known.ok) return known;
  const record = known.value.find((one) => one.name === getSourceName(name));
  if (change.isNew && record !== undefined && record.hash !== null) {
    const message = `There is already an import named ${name}. Send replace, or choose another name.`;
    return failed("conflict", message, { field: "name" });
  }
  const app = await findImportApp(c, name);
  if (!app.ok) return app;
  const source = { name: getSourceName(name), tools, origin: JSON.stringify(kept), ifVersion: record?.version ?? 0 };
  const published = await sources.publish(getTenant(c), source, change.act);
  if (!published.ok) return published;
  // After the tools: until then the earlier ones act through the earlier app, whose hosts are theirs.
  return await saveImportApp(c, made, { connect: kept.connect, before: app.value, clientSecret: change.clientSecret });
}

/** Fetches the document of an import again, and publishes its current content. */
export async function reimport(
  c: AppContext,
  source: string,
  change: Omit<ImportChange, "isNew">,
): Promise<Result<void>> {
  const known = await toolSourcesFromEnv(c.env).all(getTenant(c));
  if (!known.ok) return known;
  const origin = known.value.find(({ name }) => name === source)?.origin ?? null;
  const kept = origin === null ? null : (JSON.parse(origin) as StoredImport);
  if (kept === null || kept.url === null) {
    const message = "This import has no address to reload. Import the document again with replace.";
    return failed("conflict", message, { field: "name" });
  }
  const document = await fetchDocument(c, kept.url);
  if (!document.ok) return document;
  const made = await readImport(c, document.value, { ...kept, name: getImportName(source) });
  return made.ok ? await publishImport(c, made.value, kept, { ...change, isNew: false }) : made;
}
