/** Codebases: their rows and index, the reader of their sources, and the search of a task's tools. */
import type { Result } from "../base/errors.ts";
import type { UserLists, UserListsChange } from "../base/user-lists.ts";
import type { Codebase, CodebaseSource } from "../codebases/codebase.ts";
import type { CodeFacts, IndexedFile } from "../codebases/indexed-file.ts";
import type { CodeHit, CodeQuery, CodeText, RankedHit } from "../codebases/rank.ts";
import type { AuditEntry } from "./audit.ts";
import type { StoredVector } from "./vectors.ts";

export interface NewCodebase extends UserLists {
  readonly id: string;
  readonly name: string;
  readonly source: CodebaseSource;
  readonly every: string | null;
  /** When it is indexed again next, in milliseconds since the epoch; null: on request only. */
  readonly dueAt: number | null;
}

/** One attempt to index. Its files are invisible until it is published, and a later attempt replaces it. */
export interface CodeBuild {
  readonly codebase: Codebase;
  readonly build: number;
}

/** What searches see once an attempt is published: its files, and the visible ones that it neither replaces nor deletes. */
export interface BuildPlace {
  readonly codebase: string;
  readonly build: number;
  /** Paths that the source no longer has. */
  readonly deleted: readonly string[];
}

/** What a complete attempt found. `mark`: of its vectors. `at` in milliseconds since the epoch. */
export type PublishedBuild = Pick<CodeFacts, "commit" | "deleted" | "skipped"> & {
  readonly mark: string;
  readonly at: number;
};

/** Files that are neither visible nor of a present attempt, and the ids of their chunks. */
export interface OldCode {
  readonly files: readonly { readonly codebase: string; readonly path: string; readonly build: number }[];
  readonly chunks: readonly string[];
}

/** The rows of the tenants' codebases. Expected failures are values. */
export interface CodebaseTable extends CodeChunks, CodebaseReindexes {
  /** All of a tenant's codebases by name. */
  all(tenant: string): Promise<Result<readonly Codebase[]>>;
  /** `not_found` for an unknown id. */
  get(tenant: string, id: string): Promise<Result<Codebase>>;
  /** `conflict` for a taken name, `quota_exceeded` over `MAX_CODEBASES`. It begins as `queued`. */
  create(tenant: string, codebase: NewCodebase, act: AuditEntry): Promise<Result<Codebase>>;
  /** Changes who may use it. `not_found` for an unknown id, `invalid_input` when no list would be left. */
  update(tenant: string, id: string, change: UserListsChange, act: AuditEntry): Promise<Result<Codebase>>;
  /** Deletes the row, so that no search finds its files; `removeOld` deletes those. `not_found` for an unknown id. */
  remove(tenant: string, id: string, act: AuditEntry): Promise<Result<void>>;
  /** Records that it is to be indexed again. */
  request(tenant: string, id: string, act: AuditEntry): Promise<Result<Codebase>>;
  /** Begins an attempt. Every earlier one that was not published can write nothing more. */
  begin(tenant: string, id: string, at: number): Promise<Result<CodeBuild>>;
  /** The hashes of the visible files by path. */
  known(tenant: string, id: string): Promise<Result<ReadonlyMap<string, string>>>;
  /** Adds files to an attempt. False: it is no longer the present one. */
  add(tenant: string, id: string, build: number, files: readonly IndexedFile[]): Promise<Result<boolean>>;
  /**
   * Makes the attempt's files visible in one step, in the place of those they replace. Searches use vectors from then on if
   * each visible chunk has one with `mark`. False as of `add`.
   */
  publish(tenant: string, id: string, build: number, done: PublishedBuild): Promise<Result<boolean>>;
  /** Records why the attempt failed. The visible files stay. */
  fail(tenant: string, id: string, build: number, why: string, at: number): Promise<Result<void>>;
  /** At most `limit` old files; `id` null: of all codebases. */
  old(tenant: string, id: string | null, limit: number): Promise<Result<OldCode>>;
  /** Deletes those of these files that are old, with their symbols and chunks. */
  removeOld(tenant: string, files: OldCode["files"]): Promise<Result<void>>;
  /** Deleted codebases, of tenants that are not erased, with files that are left. */
  listDeleted(limit: number): Promise<Result<readonly DeletedCodebase[]>>;
  /** Deletes the rows of all codebases of an erased tenant, so that all of its files are old. */
  removeAll(tenant: string): Promise<Result<void>>;
  /** Symbols and chunks that match, of these codebases of the tenant only, at most `limit` of each. */
  find(tenant: string, query: CodeQuery, limit: number): Promise<Result<readonly CodeHit[]>>;
}

/** A codebase that is to be indexed again. */
export interface DueCodebase {
  readonly tenant: string;
  readonly id: string;
  readonly every: string;
  readonly dueAt: number;
  readonly builds: number;
}

/** A deleted codebase. */
export interface DeletedCodebase {
  readonly tenant: string;
  readonly id: string;
}

/** When codebases are indexed again without a request of an administrator. Times are milliseconds since the epoch. */
export interface CodebaseReindexes {
  /** Sets how often it is indexed again. False: there is no such codebase. */
  setEvery(
    tenant: string,
    id: string,
    rule: Pick<NewCodebase, "every" | "dueAt">,
    act: AuditEntry,
  ): Promise<Result<boolean>>;
  /** Of all tenants that are not erased, the longest due first. */
  due(now: number, limit: number): Promise<Result<readonly DueCodebase[]>>;
  /** Sets when it is due next, unless `from` changed meanwhile. */
  setDue(
    tenant: string,
    id: string,
    times: { readonly from: number; readonly next: number | null },
  ): Promise<Result<void>>;
  /** Records that it is to be indexed again, unless an attempt after `after` has begun. */
  setQueued(tenant: string, id: string, after: number, at: number): Promise<Result<void>>;
}

/** How many vectors an attempt still needs, and how many chunks of the tenant have one once it has them and is published. */
export interface VectorCount {
  readonly missing: number;
  readonly total: number;
}

/** Chunks of codebases, and which of them have vectors. A mark is the one of `toVectorMark`. */
export interface CodeChunks {
  /** Chunks that searches see once the attempt is published, and that have no vector with this mark. */
  listUnembedded(
    tenant: string,
    place: BuildPlace,
    mark: string,
    limit: number,
  ): Promise<Result<readonly ChunkToEmbed[]>>;
  countVectors(tenant: string, place: BuildPlace, mark: string): Promise<Result<VectorCount>>;
  /** Records that chunks have a vector with this mark (null: none), and returns the ids of those that exist. */
  markEmbedded(tenant: string, mark: string | null, ids: readonly string[]): Promise<Result<readonly string[]>>;
  /** Chunks of a codebase that have a vector of any mark. */
  listEmbedded(tenant: string, codebase: string, limit: number): Promise<Result<readonly string[]>>;
  /** Those of these chunks that are visible and match the query's codebases and extensions, in no order. */
  readChunks(
    tenant: string,
    query: Pick<CodeQuery, "codebases" | "extensions">,
    ids: readonly string[],
  ): Promise<Result<readonly CodeText[]>>;
}

/** `project`: its codebase, by which the search for vectors keeps codebases apart. */
export type ChunkToEmbed = Pick<StoredVector, "id" | "kind" | "project"> & { readonly text: string };

/** What is read, beyond the files of `known`. `parts` must be read in order; it throws if the connection breaks. */
export interface ReadCodebase {
  readonly facts: CodeFacts;
  readonly parts: AsyncIterable<readonly IndexedFile[]>;
}

/** Reads the code of one tenant's codebases. */
export interface CodeReader {
  read(request: {
    readonly source: CodebaseSource;
    readonly known: ReadonlyMap<string, string>;
    readonly signal: AbortSignal;
  }): Promise<Result<ReadCodebase>>;
}

/** The codebases that a task may search. */
export interface CodebasesPort {
  /**
   * `codebase` is a name; null: all that the task may use. `not_found` without any or for an unknown name, with what to do;
   * `permission_denied` for one whose lists do not name the task.
   */
  search(request: {
    readonly query: string;
    readonly fileType: string | null;
    readonly codebase: string | null;
    readonly limit: number;
    readonly signal: AbortSignal;
  }): Promise<Result<CodeSearch>>;
}

export interface CodeSearch {
  readonly hits: readonly (RankedHit & { readonly commit: string | null })[];
  /** The searched codebases by name. */
  readonly searched: readonly Pick<Codebase, "name" | "files" | "status">[];
}
