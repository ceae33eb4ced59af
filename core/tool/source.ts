/**
 * A tenant's own tools, as data. A source is the list of tools of one origin: the tenant's HTTP tools (`custom`), or
 * those of one MCP server (`mcp:<server>`), or the enabled actions of an app (`app:<app>`). It is stored under the hash of its content and never changes under that
 * hash, so a task has the tools of its start while the tenant's current ones change.
 */
import type { AuditEntry } from "../ports/audit.ts";
import { toCanonicalJson } from "../base/canonical-json.ts";
import { failed, ok, type Result } from "../base/errors.ts";
import type { ToolApp } from "../connections/account.ts";
import type { Skill } from "../skills/skill.ts";
import type { SkillChange } from "../ports/skill-table.ts";
import type { EffectClass, Permission, SecurityLevel, ToolCategory } from "./tool.ts";
import type { JsonSchema } from "../lib/json-schema/json-schema.ts";
import { type NamedSegment, SEGMENT_FORM } from "../lib/tool-search/segment-file.ts";

/** One tool of a source. Its name is unique among the built-in tools and all sources of the tenant. */
export interface OutsideTool {
  readonly name: string;
  /** What the model reads, at most 1,024 characters. */
  readonly summary: string;
  readonly toolbox: string;
  readonly category: ToolCategory;
  readonly permissions: readonly Permission[];
  readonly security: SecurityLevel;
  readonly effect: EffectClass;
  /** Key lifetime of a keyed effect as its owner states it, in ms; absent if unstated. */
  readonly keyedForMs?: number;
  readonly timeoutMs: number;
  /** Schema of an object. */
  readonly input: JsonSchema;
  /** Null accepts anything. */
  readonly output: JsonSchema | null;
  readonly origin: OutsideOrigin;
  /** The app through whose account its calls act; absent: through none. */
  readonly app?: ToolApp;
}

/** How its calls are made. */
export type OutsideOrigin =
  | { readonly kind: "http"; readonly request: HttpTemplate }
  | { readonly kind: "mcp"; readonly server: string; readonly tool: string }
  | { readonly kind: "skill"; readonly skill: Skill }
  | AppOrigin;

/** The name of an action's tool begins with it. */
export const ACTION_PREFIX = "composio_";

/** An action of an app in the catalogue. */
export interface AppOrigin {
  readonly kind: "app";
  readonly provider: "composio";
  /** The app's name in lower case. */
  readonly app: string;
  /** The provider's name, such as `GMAIL_SEND_EMAIL`. It is another name of the tool. */
  readonly action: string;
  readonly version: string;
  /** For the capability gate (`core/apps/intent/gate.ts`). */
  readonly capabilities: readonly string[];
  readonly isDestructive: boolean;
  /** The class without an override (`core/apps/effects/action-class.ts`). Absent: no override loosened it. */
  readonly judged?: { readonly effect: EffectClass; readonly security: SecurityLevel };
}

/** The part of the request that an argument fills, and its name there. `payload`: it is the whole body. */
export interface ArgumentPlace {
  readonly in: "path" | "query" | "header" | "body" | "payload";
  readonly name: string;
}

/**
 * A request template. `{name}` in the URL's path is filled with the path argument of that name, percent-encoded;
 * nothing else of the URL is filled. Secrets are references, `{{secret.NAME}}`, and so is the credential of the call's
 * account, `{{connection}}`: the egress module fills them in.
 */
export interface HttpTemplate {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  /** By name, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * By argument. An unlisted argument goes to the query of GET, HEAD and DELETE, otherwise to the body, under its own
   * name.
   */
  readonly places: Readonly<Record<string, ArgumentPlace>>;
  readonly contentType: "application/json" | "application/x-www-form-urlencoded";
  /** A JSON pointer (RFC 6901) into the reply's JSON; null for all of it. */
  readonly resultAt: string | null;
}

/** A source as a task pins it. */
export interface PinnedSource {
  readonly name: string;
  /** SHA-256 in hex of the source's canonical JSON. */
  readonly hash: string;
}

/** A publication of a source, as the tenant's object stores it. */
export type PublishedSource = Pick<SourceRecord, "name" | "version" | "hash">;

/** The current record of a source: version, number of tools, and origin. */
export interface SourceRecord {
  readonly name: string;
  /** Null when it has no tools. */
  readonly hash: string | null;
  readonly version: number;
  readonly tools: number;
  /** Bytes of the content's JSON. */
  readonly bytes: number;
  /** JSON from which the source can be recreated; null if not stored. */
  readonly origin: string | null;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
}

/** The new content of a source. Without tools it is removed. */
export interface SourceToPublish {
  readonly name: string;
  readonly tools: readonly OutsideTool[];
  readonly origin?: string | null;
  /** The version on which this is based (0: none): `conflict` if it has changed. Omitted: any. */
  readonly ifVersion?: number;
  /** The tenant's definitions that change with it, each as the JSON of its next version; null removes the tool. */
  readonly definitions?: readonly { readonly name: string; readonly definition: string | null }[];
  /** The skill whose rows change with it. */
  readonly skill?: SkillChange;
}

/** One version of a tenant's definition of a tool. */
export interface DefinedTool {
  readonly name: string;
  readonly version: number;
  /** JSON; null if this version removed the tool. */
  readonly definition: string | null;
  readonly createdAt: number;
}

/** The most bytes of a source's JSON, and of all sources of a tenant: a little less than an isolate holds. */
export const MAX_SOURCE_BYTES = 8_000_000;
const MAX_TENANT_BYTES = 15_000_000;
/** The most sources with tools of a tenant: a task pins each of them. Apps of the catalogue have a bound of their own. */
export const MAX_SOURCES = 100;
/** The same of the apps that a tenant added. Their content is shared, but an isolate holds it like the tenant's own. */
export const MAX_APP_SOURCES = 200;
const MAX_APP_SOURCE_BYTES = 8_000_000;

const APP_PREFIX = "app:";

/** Formats the content that a source's hash covers. */
export function formatSource(tools: readonly OutsideTool[]): string {
  return toCanonicalJson(tools);
}

/** The source with the enabled actions of an app of the catalogue. */
export function toAppSource(app: string): string {
  return `${APP_PREFIX}${app}`;
}

/** The app of a source; null for another source. */
export function findSourceApp(source: string): string | null {
  return source.startsWith(APP_PREFIX) ? source.slice(APP_PREFIX.length) : null;
}

/** Checks the quota for a source of this size. A source without tools always fits. Apps count apart from the others. */
export function checkRoom(present: readonly SourceRecord[], name: string, bytes: number): Result<void> {
  if (bytes === 0) return ok(undefined);
  const isApp = findSourceApp(name) !== null;
  const others = present.filter(
    (source) => source.hash !== null && source.name !== name && (findSourceApp(source.name) !== null) === isApp,
  );
  const together = others.reduce((sum, source) => sum + source.bytes, bytes);
  if (isApp) return checkAppRoom(others.length, together);
  if (others.length >= MAX_SOURCES)
    return failed("quota_exceeded", `A tenant has at most ${MAX_SOURCES} sources of tools. Take one away first.`);
  return together <= MAX_TENANT_BYTES
    ? ok(undefined)
    : failed(
        "quota_exceeded",
        `With ${name}, the tenant's own tools have ${together} bytes of JSON together, at most ${MAX_TENANT_BYTES}. Take some away first, or import fewer (include).`,
      );
}

function checkAppRoom(others: number, together: number): Result<void> {
  if (others >= MAX_APP_SOURCES)
    return failed("quota_exceeded", `A tenant has at most ${MAX_APP_SOURCES} apps. Remove one first.`);
  return together <= MAX_APP_SOURCE_BYTES
    ? ok(undefined)
    : failed(
        "quota_exceeded",
        `The enabled actions of all apps have ${together} bytes of JSON together, at most ${MAX_APP_SOURCE_BYTES}. Enable fewer actions, or remove an app.`,
      );
}

/** Returns the key of a source's content, which is deleted with its tenant. */
export function getSourceKey(tenant: string, hash: string): string {
  return `${tenant}/tools/${hash}.json`;
}

/**
 * Returns the key of an app's content. It describes public actions and names no tenant, so tenants share it, and it stays
 * when one is deleted.
 */
export function getSharedSourceKey(hash: string): string {
  return `shared/tools/${hash}.json`;
}

/** Returns the key of the search index of an app's content, which stays with the content. */
export function getSharedIndexKey(hash: string): string {
  return `shared/tools/${hash}.index-${SEGMENT_FORM}`;
}

/** Returns the key that has to be unique among a tenant's tools: the API accepts a name with dots or underscores. */
export function toNameKey(name: string): string {
  return name.replaceAll(".", "_");
}

/** The content of a source. */
export interface SourceContent {
  readonly tools: readonly OutsideTool[];
  /** Bytes of its JSON. */
  readonly bytes: number;
}

/** The sources of the tenants' own tools. The content of a hash never changes. */
export interface ToolSourcesPort {
  /**
   * Publishes a source: later tasks have its tools. Idempotent. `conflict`: one of its tools has the name of another
   * source's tool (field `name`), or `ifVersion` is outdated; `too_large` over `MAX_SOURCE_BYTES`; `quota_exceeded`
   * when it exceeds the tenant's quota.
   */
  publish(tenant: string, source: SourceToPublish, act: AuditEntry | null): Promise<Result<SourceRecord>>;
  /** Every source by name, including those without tools. */
  all(tenant: string): Promise<Result<readonly SourceRecord[]>>;
  /** The sources that a new task pins, by name, including those of an interrupted publication. */
  present(tenant: string): Promise<Result<readonly PinnedSource[]>>;
  /** Reads the tools of a hash; `not_found` if the tenant never published it. Those of an app are read by every tenant. */
  read(tenant: string, hash: string): Promise<Result<readonly OutsideTool[]>>;
  /** The same of a pinned source, whose name says where its content is, with its size. */
  open(tenant: string, source: PinnedSource): Promise<Result<SourceContent>>;
  /**
   * The search index of an app's content: the names are those of its actions, in the order of its tools. Null if it was
   * published by a release without one or with another form.
   */
  readIndex(hash: string): Promise<Result<NamedSegment | null>>;
}
