/** Codebases: their rows and index, the reader of their sources, and the search of a task's tools. */
import type { Result } from "../base/errors.ts";
import type { UserLists, UserListsChange } from "../base/user-lists.ts";
import type { Codebase, CodebaseSource } from "../codebases/codebase.ts";
import type { CodeFacts, IndexedFile } from "../codebases/indexed-file.ts";
import type { CodeHit, CodeQuery, RankedHit } from "../codebases/rank.ts";
import type { AuditEntry } from "./audit.ts";

export interface NewCodebase extends UserLists {
  readonly id: string;
  readonly name: string;
  readonly source: CodebaseSource;
}

/** One attempt to index. Its files are invisible until it is published, and a later attempt replaces it. */
export interface CodeBuild {
  readonly codebase: Codebase;
  readonly build: number;
}

/** What a complete attempt found. `at` in milliseconds since the epoch. */
export type PublishedBuild = Pick<CodeFacts, "commit" | "deleted" | "skipped"> & { readonly at: number };

/** The rows of the tenants' codebases. Expected failures are values. */
export interface CodebaseTable {
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
  /** Makes the attempt's files visible in one step, in the place of those they replace. False as of `add`. */
  publish(tenant: string, id: string, build: number, done: PublishedBuild): Promise<Result<boolean>>;
  /** Records why the attempt failed. The visible files stay. */
  fail(tenant: string, id: string, build: number, why: string, at: number): Promise<Result<void>>;
  /** Deletes at most `limit` files that are neither visible nor of a present attempt. True: none is left. */
  removeOld(tenant: string, id: string, limit: number): Promise<Result<boolean>>;
  /** Symbols and chunks that match, of these codebases of the tenant only, at most `limit` of each. */
  find(tenant: string, query: CodeQuery, limit: number): Promise<Result<readonly CodeHit[]>>;
}

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
