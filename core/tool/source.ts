/**
 * Tools that a tenant brought, as data. A source is the list of tools of one origin: the tenant's own HTTP tools
 * (`custom`), or those of one MCP server (`mcp:<server>`). It is kept by the hash of its content and never changes under
 * that hash, so that a task keeps the tools that it began with while the tenant's present ones move on.
 */
import type { AuditEntry } from "../ports/audit.ts";
import { canonicalJson } from "../base/canonical-json.ts";
import { failed, ok, type Result } from "../base/errors.ts";
import type { Skill } from "../skills/skill.ts";
import type { SkillChange } from "../ports/skill-table.ts";
import type { EffectClass, Permission, SecurityLevel, ToolCategory } from "./tool.ts";
import type { JsonSchema } from "../lib/json-schema/json-schema.ts";

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
  /** Of a keyed effect, as its owner stated it, in ms. Absent: the receiver states none. */
  readonly keyedForMs?: number;
  readonly timeoutMs: number;
  /** Of an object. */
  readonly input: JsonSchema;
  /** Null: whatever comes is taken. */
  readonly output: JsonSchema | null;
  readonly origin: OutsideOrigin;
}

/** How a call of it is made. */
export type OutsideOrigin =
  | { readonly kind: "http"; readonly request: HttpTemplate }
  | { readonly kind: "mcp"; readonly server: string; readonly tool: string }
  | { readonly kind: "skill"; readonly skill: Skill };

/** Where an argument goes, and under which name. `payload`: it is the whole body. */
export interface ArgumentPlace {
  readonly in: "path" | "query" | "header" | "body" | "payload";
  readonly name: string;
}

/**
 * A request with places for arguments. `{name}` in the URL's path is filled with what goes to the path under that name,
 * percent-encoded; nothing else of the URL is filled. Secrets are references, `{{secret.NAME}}`, filled in by the egress
 * module.
 */
export interface HttpTemplate {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  /** By name, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** By argument. One that is named nowhere goes to the query of GET, HEAD and DELETE, else to the body, under its own name. */
  readonly places: Readonly<Record<string, ArgumentPlace>>;
  readonly contentType: "application/json" | "application/x-www-form-urlencoded";
  /** A JSON pointer (RFC 6901) into the reply's JSON; null: all of it. */
  readonly resultAt: string | null;
}

/** What a task pins of a source. */
export interface PinnedSource {
  readonly name: string;
  /** SHA-256 in hex of the source's canonical JSON. */
  readonly hash: string;
}

/** What the tenant's object is told of a source that was published. */
export type PublishedSource = Pick<SourceRecord, "name" | "version" | "hash">;

/** A source as it stands: how often it was published, how many tools it has, and what made it. */
export interface SourceRecord {
  readonly name: string;
  /** Null: it has no tools any more. */
  readonly hash: string | null;
  readonly version: number;
  readonly tools: number;
  /** Of the content's JSON. */
  readonly bytes: number;
  /** JSON, for the one that makes the source anew; null: nothing is kept. */
  readonly origin: string | null;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
}

/** What a source becomes. Without tools it is there no longer. */
export interface SourceToPublish {
  readonly name: string;
  readonly tools: readonly OutsideTool[];
  readonly origin?: string | null;
  /** The version that this was made from (0: there was none): `conflict` when it is another by now. Left out: whatever it is. */
  readonly ifVersion?: number;
  /** Definitions of the tenant's own that change with it, each as the JSON of a further version; null takes the tool away. */
  readonly definitions?: readonly { readonly name: string; readonly definition: string | null }[];
  /** The skill whose rows change with it. */
  readonly skill?: SkillChange;
}

/** One version of a tool that the tenant defined. */
export interface DefinedTool {
  readonly name: string;
  readonly version: number;
  /** JSON; null: this version took the tool away. */
  readonly definition: string | null;
  readonly createdAt: number;
}

/** Bytes of a source's JSON, and of that of all sources of a tenant: a little less than an isolate keeps. */
export const MAX_SOURCE_BYTES = 8_000_000;
const MAX_TENANT_BYTES = 15_000_000;
/** Sources of a tenant that have tools: a task pins each of them. */
export const MAX_SOURCES = 100;

/** The content that a source's hash is of. */
export function sourceText(tools: readonly OutsideTool[]): string {
  return canonicalJson(tools);
}

/** `quota_exceeded` when a source of so many bytes has no room beside the tenant's others. One without tools always has. */
export function checkRoom(present: readonly SourceRecord[], name: string, bytes: number): Result<void> {
  if (bytes === 0) return ok(undefined);
  const others = present.filter((source) => source.hash !== null && source.name !== name);
  if (others.length >= MAX_SOURCES)
    return failed("quota_exceeded", `A tenant has at most ${MAX_SOURCES} sources of tools. Take one away first.`);
  const together = others.reduce((sum, source) => sum + source.bytes, bytes);
  return together <= MAX_TENANT_BYTES
    ? ok(undefined)
    : failed(
        "quota_exceeded",
        `With ${name}, the tenant's own tools have ${together} bytes of JSON together, at most ${MAX_TENANT_BYTES}. Take some away first, or import fewer (include).`,
      );
}

/** Where a source's content stands. It goes with its tenant. */
export function sourceKey(tenant: string, hash: string): string {
  return `${tenant}/tools/${hash}.json`;
}

/** What two tools of a tenant may not have in common: the API takes a name with dots or underscores. */
export function nameKey(name: string): string {
  return name.replaceAll(".", "_");
}

/** The sources of the tenants' own tools. What stands under a hash never changes. */
export interface ToolSourcesPort {
  /**
   * Publishes a source: tasks that are made after this have its tools. Publishing what stands already changes nothing.
   * `conflict`: one of its tools has the name of another source's tool (field `name`), or it is not at `ifVersion`;
   * `too_large` over `MAX_SOURCE_BYTES`, `quota_exceeded` when it has no room beside the tenant's others.
   */
  publish(tenant: string, source: SourceToPublish, act: AuditEntry | null): Promise<Result<SourceRecord>>;
  /** Every source by name, also those that have no tools any more. */
  all(tenant: string): Promise<Result<readonly SourceRecord[]>>;
  /** What a task that is made after this pins, by name: also of a publishing that broke off before it was heard of. */
  present(tenant: string): Promise<Result<readonly PinnedSource[]>>;
  /** The tools under a hash; `not_found` when the tenant never published it. */
  read(tenant: string, hash: string): Promise<Result<readonly OutsideTool[]>>;
}
