/** Sources that were made of an OpenAPI document: read, published, and read again. */
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
import { readDocument } from "../http/yaml-text.ts";
import { tenantOf } from "../http/principal.ts";

const PREFIX = "openapi:";
const MAX_NAME = 32;
/** Bytes of a document that is read from an address, and the time that this may take. */
const MAX_DOCUMENT_BYTES = 5_000_000;
const TIMEOUT_MS = 20_000;

/** What is kept of an import, to make it anew. */
type KeptImport = Omit<ImportOptions, "name">;

/** The name of the source of an import. */
export function importSource(name: string): string {
  return `${PREFIX}${name}`;
}

export function isImportSource(source: string): boolean {
  return source.startsWith(PREFIX);
}

/** Makes the tools of a document. Without a name, the import has that of the document's title. */
export async function readImport(
  c: AppContext,
  value: unknown,
  options: Omit<ImportOptions, "name"> & { readonly name: string | null },
): Promise<Result<Imported & { readonly name: string }>> {
  const document = readApiDocument(value);
  if (!document.ok) return document;
  const name = options.name ?? toSlug(document.value.title).slice(0, MAX_NAME).replace(/_+$/, "");
  const work = meterWork(c.env, tenantOf(c));
  const ports = { patterns: patternsFromEnv(c.env), giveWay: work.giveWay };
  const made = await importOpenApi(document.value, { ...options, name }, ports);
  work.charge();
  return made.ok ? ok({ ...made.value, name }) : made;
}

/** Reads a document from its address. */
export async function fetchDocument(c: AppContext, url: string): Promise<Result<unknown>> {
  const replied = await webFromEnv(c.env, { tenant: tenantOf(c) }, SETUP).request({
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
  const { giveWay } = meterWork(c.env, tenantOf(c), { countedMs: rateBody("compiled", body.length) });
  return await readDocument(new TextDecoder().decode(body), "url", giveWay);
}

/** What an import stands beside, who asked for it, and whether there must be none of its name yet. */
interface ImportChange {
  /** Every tool that there is. */
  readonly tools: readonly Tool[];
  readonly act: AuditEntry;
  readonly isNew: boolean;
}

/** Publishes an import as it was read. `conflict` when a tool from elsewhere has one of its names. */
export async function publishImport(
  c: AppContext,
  { name, tools }: { readonly name: string; readonly tools: Imported["tools"] },
  kept: KeptImport,
  change: ImportChange,
): Promise<Result<void>> {
  const present = indexByKey(change.tools);
  for (const tool of tools) {
    const other = present.get(toNameKey(tool.name));
    if (other !== undefined && other.written?.source !== importSource(name)) return rejectDuplicate(tool.name, other);
  }
  const sources = toolSourcesFromEnv(c.env);
  const known = await sources.all(tenantOf(c));
  if (!known.ok) return known;
  const record = known.value.find((one) => one.name === importSource(name));
  if (change.isNew && record !== undefined && record.hash !== null) {
    const message = `The import ${name} is registered twice: there is one of this name. Send replace, or choose another name.`;
    return failed("conflict", message, { field: "name" });
  }
  const source = { name: importSource(name), tools, origin: JSON.stringify(kept), ifVersion: record?.version ?? 0 };
  const published = await sources.publish(tenantOf(c), source, change.act);
  return published.ok ? ok(undefined) : published;
}

/** Reads the document of an import anew from its address, and publishes what it says now. */
export async function reimport(
  c: AppContext,
  source: string,
  change: Omit<ImportChange, "isNew">,
): Promise<Result<void>> {
  const known = await toolSourcesFromEnv(c.env).all(tenantOf(c));
  if (!known.ok) return known;
  const origin = known.value.find(({ name }) => name === source)?.origin ?? null;
  const kept = origin === null ? null : (JSON.parse(origin) as KeptImport);
  if (kept === null || kept.url === null) {
    const message = "Its document was sent, and not read from an address: import it again with replace.";
    return failed("conflict", message, { field: "name" });
  }
  const document = await fetchDocument(c, kept.url);
  if (!document.ok) return document;
  const made = await readImport(c, document.value, { ...kept, name: source.slice(PREFIX.length) });
  return made.ok ? await publishImport(c, made.value, kept, { ...change, isNew: false }) : made;
}
