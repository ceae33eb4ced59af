/** The table of the tools that tenants brought. */
import type { Result } from "../base/errors.ts";
import type { Page, PageRequest } from "../base/page-cursor.ts";
import type { AuditEntry } from "./audit.ts";
import type { SkillChange } from "./skill-table.ts";
import type { DefinedTool, SourceRecord, SourceToPublish } from "../tool/source.ts";

/** A change of a source. `names` are keys that no other source of the tenant may have. */
export interface SourceChange {
  readonly name: string;
  readonly hash: string | null;
  readonly tools: number;
  readonly bytes: number;
  readonly names: readonly string[];
  readonly origin: string | null;
  readonly ifVersion: number;
  readonly definitions: NonNullable<SourceToPublish["definitions"]>;
  readonly skill: SkillChange | null;
  readonly at: number;
}

export interface ToolSourceTable {
  /** Every source of the tenant by name, including those without tools. */
  all(tenant: string): Promise<Result<readonly SourceRecord[]>>;
  /**
   * Creates the next version. `conflict`: the latest is not `ifVersion` (field `ifVersion`), or another source has one
   * of the names, or an app of the workspace has the import's (field `name`). `act` is null without a requester.
   */
  publish(tenant: string, change: SourceChange, act: AuditEntry | null): Promise<Result<SourceRecord>>;
  /** The latest version of every tool that the tenant defined and did not remove. */
  definitions(tenant: string): Promise<Result<readonly DefinedTool[]>>;
  /** The versions of a tool, the latest first; the position is the version number. `not_found` if it never existed. */
  versions(tenant: string, name: string, request: PageRequest): Promise<Result<Page<DefinedTool>>>;
}
