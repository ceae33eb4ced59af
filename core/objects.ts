/**
 * What the units say to each other over RPC: the methods of the objects and of the step runner. Expected failures are
 * `Result` values. Everything here is structured-cloneable; a stream is a byte stream of JSON lines.
 */
import type { Result } from "./errors.ts";
import type { TaskEvent } from "./events.ts";
import type { IdempotencyState, IdempotentRequest, StoredReply } from "./idempotency.ts";
import type { Scope } from "./keys.ts";
import type { Message } from "./messages.ts";
import type { FileEntry, DirectoryEntry, ModelFailure, WriteOptions } from "./ports.ts";
import type { CallOutcome, CallToMake, LedgerRow, ModelReply, NewTask, TaskFacts } from "./task-state.ts";
import type { TaskView } from "./task-view.ts";

/** A page of the log. `done`: the log will never grow beyond what this page ends with. */
export interface EventPage {
  readonly events: readonly TaskEvent[];
  readonly last: number;
  readonly done: boolean;
}

/** A page of the ledger, in order. `next` is the call to go on after; null: this was the last page. */
export interface LedgerPage {
  readonly rows: readonly LedgerRow[];
  readonly next: string | null;
}

/**
 * The task object. Every method of a task that does not exist here answers `not_found`. `request` names a request that
 * may be sent again (null: it carries no `Idempotency-Key`): a command whose request was applied before changes nothing
 * and answers as if it had been applied now.
 */
export interface TaskRpc {
  /** Making it again changes nothing. */
  create(task: NewTask): Promise<Result<TaskView>>;
  view(): Promise<Result<TaskView>>;
  facts(): Promise<Result<TaskFacts>>;
  start(request: string | null): Promise<Result<TaskView>>;
  message(text: string, request: string | null): Promise<Result<TaskView>>;
  answer(
    question: string,
    answer: { text: string; isChoice: boolean; by: string },
    request: string | null,
  ): Promise<Result<TaskView>>;
  /** Cancels the task and the hidden tasks that it adopted. */
  cancel(by: string): Promise<Result<TaskView>>;
  /** Events with a sequence number over `after`: at most `limit` (≤ 500), and fewer when they are large (over 4 MB). */
  events(after: number, limit: number): Promise<Result<EventPage>>;
  /** Calls after `after` (null: from the start), at most `limit` (≤ 500) and 4 MB. Without results, rows are small. */
  ledger(page: { after: string | null; limit: number; withResults: boolean }): Promise<Result<LedgerPage>>;
  /** Marks a file for delivery, for a call that was made from outside the task's own steps. */
  attach(file: { path: string; size: number; contentType: string }): Promise<Result<TaskView>>;
  /** Takes a hidden task as its own, so that cancelling or erasing this one reaches it; `conflict` once this one ended. */
  adopt(task: string): Promise<Result<TaskView>>;
  /** A hidden task has ended: it counts no more against those that may be open, and is still erased with this one. */
  disown(task: string): Promise<Result<TaskView>>;
  /** Sets the alarm again from the stored state and reports afresh. */
  poke(): Promise<void>;
  /** Forgets everything, the hidden tasks that it adopted too; `conflict` while the task lives. */
  erase(): Promise<Result<void>>;
}

/**
 * What a watcher's WebSocket (opened on the task object with `GET https://task/watch`) carries, as JSON text:
 * new events in order, or a delta. Events may be missed around a reconnect: the watcher reads by `events(after)` whenever
 * the first `seq` is not its last one plus one.
 */
export type WatchFrame =
  | { readonly events: readonly TaskEvent[] }
  | { readonly delta: { readonly step: number; readonly attempt: number; readonly text: string } };

/** One line of the index that a task reports to its tenant. `version` only grows. */
export interface TaskReport {
  readonly task: string;
  readonly version: number;
  readonly view: TaskView;
  readonly hidden: boolean;
  /** When its alarm is due; null: it waits for something from outside. */
  readonly wakeAt: number | null;
}

/** A key as the tenant's object knows it. */
export interface KeyRecord {
  readonly id: string;
  readonly tenant: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: number | null;
}

/** The state of a key's request window. `resetSeconds` is the time until the present window ends. */
export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/**
 * What the tenant's object says to a request, in one hop: who it is, whether it may come in, and what a repeat gets.
 * `unknown_key`: the object was never shown this key; the Worker looks it up in the database and asks again with its
 * record. `dead_key`: revoked or expired.
 */
export type Admission =
  | { readonly kind: "unknown_key" }
  | { readonly kind: "dead_key" }
  | { readonly kind: "limited"; readonly rate: RateState; readonly retryAfterMs: number }
  | {
      readonly kind: "admitted";
      readonly key: KeyRecord;
      readonly rate: RateState;
      /** Null when the request carries no `Idempotency-Key`. */
      readonly idempotency: IdempotencyState | null;
    };

/** The tenant's object, named by the tenant's id (the one named `operator` admits the operator's requests). */
export interface TenantRpc {
  /**
   * Judges a request. `keyRecord` is given when the Worker had to look the key up. A repeat of a request that runs waits
   * in here for its reply, up to a minute.
   */
  admit(request: {
    readonly keyHash: string;
    readonly keyRecord: KeyRecord | null;
    readonly idempotency: IdempotentRequest | null;
  }): Promise<Admission>;
  /**
   * Ends a `fresh` request and wakes its repeats; with null nothing is kept, and the next repeat runs again. Gives null,
   * or the reply of another try that was first: then that one stands, and this request has to answer with it.
   */
  settle(ticket: string, reply: StoredReply | null): Promise<StoredReply | null>;
  /**
   * The key with this id is dead from now on, also when the object has not seen it yet. Nothing is kept of an id that no
   * key has, as far as the database can say.
   */
  revoke(keyId: string): Promise<void>;
  /**
   * Durably takes a task's index row; the row follows in Postgres. A report on a task that was forgotten is dropped.
   * `erased`: the tenant is gone, and the task has to go too.
   */
  report(row: TaskReport): Promise<{ readonly erased: boolean }>;
  /** True when the key with this id was revoked, or the tenant erased. For streams that outlive their request's check. */
  isRevoked(keyId: string): Promise<boolean>;
  /**
   * Durably takes an erased task out of the index, whatever is still reported of it. Of an erased tenant: the task needs
   * no more erasing.
   */
  forget(task: string): Promise<void>;
  /** Sends what Postgres has not got yet, now. False: Postgres did not take it; the object goes on trying. */
  flush(): Promise<boolean>;
  /**
   * Forgets the tenant, and keeps for good that it did: its keys are dead, its tasks hear it when they report. Gives the
   * ids of tasks that Postgres may know nothing of, at most 100: each is given until it was forgotten.
   */
  erase(): Promise<readonly string[]>;
}

/** One sandbox's index of files. Blobs are in R2 under `{prefix}blobs/{hash}`. */
export interface SandboxRpc {
  stat(path: string): Promise<Result<FileEntry>>;
  list(path: string): Promise<Result<readonly DirectoryEntry[]>>;
  /** Checks form, quota and version; says whether the blob has to be put. Nothing is changed. */
  admit(write: SandboxWrite): Promise<Result<{ readonly applied: FileEntry | null; readonly blobNeeded: boolean }>>;
  /** Points the path at the blob. A write whose key was applied before gives the first one's entry. */
  commit(write: SandboxWrite): Promise<Result<FileEntry>>;
  erase(): Promise<void>;
}

/** A write to a sandbox, its bytes already hashed. */
export interface SandboxWrite extends WriteOptions {
  readonly path: string;
  readonly size: number;
  readonly hash: string;
}

/** What hop one needs. */
export interface ThinkJob {
  readonly facts: TaskFacts;
  readonly step: number;
  readonly attempt: number;
  readonly final: boolean;
  readonly messages: readonly Message[];
  readonly maxOutputTokens: number;
  readonly timeoutMs: number;
  readonly repeat: { readonly hash: string; readonly count: number } | null;
}

/** A line of hop one's stream: deltas, then one of the other two. */
export type ThinkLine =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "replied"; readonly reply: ModelReply }
  | { readonly type: "failed"; readonly failure: ModelFailure };

/** What hop two needs. Arguments are those of the ledger. */
export interface ActJob {
  readonly facts: TaskFacts;
  readonly step: number;
  readonly calls: readonly (CallToMake & Pick<LedgerRow, "tool" | "arguments" | "effect" | "key">)[];
  readonly timeoutMs: number;
}

/** A line of hop two's stream. */
export type ActLine = { readonly type: "settled"; readonly callId: string; readonly outcome: CallOutcome };

/** The step runner. Cancelling a stream cancels the work. */
export interface StepsRpc {
  think(job: ThinkJob): Promise<ReadableStream<Uint8Array>>;
  act(job: ActJob): Promise<ReadableStream<Uint8Array>>;
}
