/**
 * The sources of tenants' own tools: rows in Postgres, content in the bucket under its hash, and in the tenant's object
 * what a new task pins. Written in this order: content, row, object. If the object was not notified, the next
 * publication or read makes up for it.
 */
import type { Database } from "../../core/ports/database.ts";
import { compileActions } from "../../core/apps/choice/action-segment.ts";
import { formatSegment, parseSegment } from "../../core/lib/tool-search/segment-file.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { TenantRpc } from "../../core/tenant/rpc.ts";
import {
  checkRoom,
  findSourceApp,
  getSharedIndexKey,
  getSharedSourceKey,
  MAX_SOURCE_BYTES,
  toNameKey,
  type OutsideTool,
  getSourceKey,
  type SourceRecord,
  formatSource,
  type SourceContent,
  type ToolSourcesPort,
} from "../../core/tool/source.ts";
import { SHIPPED_HASH } from "../../core/skills/shipped.generated.ts";
import { getShippedSourceKey, shippedTools } from "../../core/tool/shipped-skills.ts";
import type { BlobPort } from "../../core/ports/blobs.ts";
import type { Clock } from "../../core/ports/clock.ts";

/** Attempts of a publication without a version, when others publish at the same time. */
const MAX_TRIES = 30;

export interface ToolSourcesDeps {
  readonly table: Database["toolSources"];
  readonly blobs: BlobPort;
  readonly tenantOf: (tenant: string) => Pick<TenantRpc, "takeSource">;
  readonly clock: Clock;
}

export function openToolSources({ table, blobs, tenantOf, clock }: ToolSourcesDeps): ToolSourcesPort {
  const all: ToolSourcesPort["all"] = (tenant) => table.all(tenant);

  async function putIndex(hash: string, tools: readonly OutsideTool[]): Promise<Result<void>> {
    const compiled = compileActions(tools);
    return compiled === null ? ok(undefined) : await blobs.put(getSharedIndexKey(hash), formatSegment(compiled));
  }

  async function readContent(tenant: string, hash: string): Promise<Result<SourceContent>> {
    if (hash === SHIPPED_HASH) return ok({ tools: shippedTools, bytes: formatSource(shippedTools).length });
    const own = await blobs.get(getSourceKey(tenant, hash));
    if (own.ok || own.error.code !== "not_found") return parseContent(own);
    // Contents that belong to no tenant.
    const [shared, shipped] = await Promise.all([
      blobs.get(getSharedSourceKey(hash)),
      blobs.get(getShippedSourceKey(hash)),
    ]);
    return parseContent(shared.ok || shared.error.code !== "not_found" ? shared : shipped);
  }

  return {
    all,

    async publish(tenant, source, act) {
      const { name, tools, definitions = [], skill = null, origin = null } = source;
      const text = formatSource(tools);
      const content = new TextEncoder().encode(text);
      if (content.length > MAX_SOURCE_BYTES)
        return failed("too_large", `The tools of ${name} exceed ${MAX_SOURCE_BYTES} bytes of JSON in total.`);
      const hash = tools.length === 0 ? null : await sha256Hex(text);
      const bytes = hash === null ? 0 : content.length;
      const names = tools.map((tool) => toNameKey(tool.name));
      const seen = new Set<string>();
      const twice = names.find((key) => seen.size === seen.add(key).size);
      if (twice !== undefined)
        return failed("conflict", `A tool of this name is registered twice: ${twice}.`, { field: "name" });
      let isKept = hash === null;
      for (let tries = 1; ; tries += 1) {
        const present = await table.all(tenant);
        if (!present.ok) return present;
        const known = present.value.find((record) => record.name === name) ?? createRecord(name);
        const ifVersion = source.ifVersion ?? known.version;
        const isSame = known.hash === hash && known.origin === origin && definitions.length === 0;
        const room = isSame ? ok(undefined) : checkRoom(present.value, name, bytes);
        if (!room.ok) return room;
        if (hash !== null && !isKept) {
          const isApp = findSourceApp(name) !== null;
          const put = await blobs.put(isApp ? getSharedSourceKey(hash) : getSourceKey(tenant, hash), content);
          if (!put.ok) return put;
          const indexed = isApp ? await putIndex(hash, tools) : ok(undefined);
          if (!indexed.ok) return indexed;
          isKept = true;
        }
        const change = {
          name,
          hash,
          tools: tools.length,
          bytes,
          names,
          origin,
          ifVersion,
          definitions,
          skill,
          at: clock.now(),
        };
        const made = isSame ? ok(known) : await table.publish(tenant, change, act);
        if (made.ok) {
          if (made.value.version > 0) await tenantOf(tenant).takeSource(made.value);
          return made;
        }
        const mayRepeat = made.error.field === "ifVersion" && source.ifVersion === undefined && tries < MAX_TRIES;
        if (!mayRepeat) return made;
      }
    },

    async present(tenant) {
      const read = await table.all(tenant);
      if (!read.ok) return read;
      await Promise.all(read.value.map(async (record) => await tenantOf(tenant).takeSource(record)));
      return ok(read.value.flatMap(({ name, hash }) => (hash === null ? [] : [{ name, hash }])));
    },

    async read(tenant, hash) {
      const read = await readContent(tenant, hash);
      return read.ok ? ok(read.value.tools) : read;
    },

    async open(tenant, { name, hash }) {
      if (findSourceApp(name) === null) return await readContent(tenant, hash);
      return parseContent(await blobs.get(getSharedSourceKey(hash)));
    },

    async readIndex(hash) {
      const read = await blobs.get(getSharedIndexKey(hash));
      if (read.ok) return ok(parseSegment(read.value));
      return read.error.code === "not_found" ? ok(null) : read;
    },
  };
}

function parseContent(blob: Result<Uint8Array>): Result<SourceContent> {
  if (!blob.ok) return blob;
  const tools = JSON.parse(new TextDecoder().decode(blob.value)) as readonly OutsideTool[];
  return ok({ tools, bytes: blob.value.byteLength });
}

function createRecord(name: string): SourceRecord {
  return { name, hash: null, version: 0, tools: 0, bytes: 0, origin: null, updatedAt: 0 };
}
