/** Fake tool sources of tenants. They pass the same contract as those of Postgres and the bucket. */
import { compileActions } from "../../core/apps/choice/action-segment.ts";
import type { NamedSegment } from "../../core/lib/tool-search/segment-file.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import { failed, ok } from "../../core/base/errors.ts";
import {
  checkRoom,
  findSourceApp,
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

export function fakeToolSources(): ToolSourcesPort {
  const records = new Map<string, { record: SourceRecord; names: readonly string[] }>();
  const contents = new Map<string, string>();
  const indexes = new Map<string, NamedSegment>();
  const ofTenant = (tenant: string) =>
    [...records]
      .filter(([key]) => key.startsWith(`${tenant} `))
      .map(([, known]) => known)
      .sort((a, b) => (a.record.name < b.record.name ? -1 : 1));
  return {
    async publish(tenant, { name, tools, origin = null, ifVersion, definitions = [] }) {
      const text = formatSource(tools);
      const bytes = tools.length === 0 ? 0 : new TextEncoder().encode(text).length;
      if (bytes > MAX_SOURCE_BYTES) return failed("too_large", "too large");
      const hash = tools.length === 0 ? null : await sha256Hex(text);
      const known = records.get(`${tenant} ${name}`)?.record;
      const version = known?.version ?? 0;
      const isSame = (known?.hash ?? null) === hash && (known?.origin ?? null) === origin && definitions.length === 0;
      if (isSame) return ok(known ?? { name, hash, version, tools: 0, bytes, origin, updatedAt: 0 });
      const room = checkRoom(
        ofTenant(tenant).map(({ record }) => record),
        name,
        bytes,
      );
      if (!room.ok) return room;
      if (ifVersion !== undefined && ifVersion !== version)
        return failed("conflict", "it is at another version", { field: "ifVersion" });
      const names = tools.map((tool) => toNameKey(tool.name));
      const taken = new Set(ofTenant(tenant).flatMap((other) => (other.record.name === name ? [] : other.names)));
      if (new Set(names).size < names.length || names.some((key) => taken.has(key)))
        return failed("conflict", "registered twice", { field: "name" });
      const record = { name, hash, version: version + 1, tools: tools.length, bytes, origin, updatedAt: Date.now() };
      records.set(`${tenant} ${name}`, { record, names });
      const isShared = findSourceApp(name) !== null;
      if (hash !== null) contents.set(isShared ? getSharedSourceKey(hash) : getSourceKey(tenant, hash), text);
      const compiled = isShared && hash !== null ? compileActions(tools) : null;
      if (compiled !== null) indexes.set(hash ?? "", compiled);
      return ok(record);
    },
    async all(tenant) {
      return ok(ofTenant(tenant).map(({ record }) => record));
    },
    async present(tenant) {
      return ok(ofTenant(tenant).flatMap(({ record: { name, hash } }) => (hash === null ? [] : [{ name, hash }])));
    },
    async read(tenant, hash) {
      const text = contents.get(getSourceKey(tenant, hash)) ?? contents.get(getSharedSourceKey(hash));
      return text === undefined ? UNKNOWN : ok(parse(text).tools);
    },
    async open(tenant, { name, hash }) {
      const text = contents.get(findSourceApp(name) === null ? getSourceKey(tenant, hash) : getSharedSourceKey(hash));
      return text === undefined ? UNKNOWN : ok(parse(text));
    },
    async readIndex(hash) {
      return ok(indexes.get(hash) ?? null);
    },
  };
}

const UNKNOWN = failed("not_found", "There is no such source.");

function parse(text: string): SourceContent {
  return { tools: JSON.parse(text) as readonly OutsideTool[], bytes: new TextEncoder().encode(text).length };
}
