/** The methods of a tenant's object, in the form of `core/task/rpc.ts`: expected failures are `Result` values. */
import type { Result } from "../base/errors.ts";
import type { NearLimit } from "../task/commands.ts";
import type { NoticeType } from "../task/notice.ts";
import type { TaskReport } from "../task/rpc.ts";
import type { Amount, AmountLimit } from "../task/state.ts";
import type { ShortPermit } from "../task/short-permit.ts";
import type { BudgetAccount, BudgetLimit, TenantStop } from "./budget-tree.ts";
import type { IdempotencyState, IdempotentRequest, StoredReply } from "./idempotency.ts";
import type { Scope } from "./keys.ts";
import type { IsolateReads } from "./read-allowance.ts";
import type { Reindex } from "./recovery.ts";
import type { Retention, RetentionState } from "./retention.ts";
import type {
  EndedSession,
  LinkMaker,
  NewSession,
  NewSignInLink,
  Session,
  SessionMaker,
  SessionPage,
  SessionQuery,
  SessionsToEnd,
} from "./session.ts";
import type { PinnedSource, PublishedSource } from "../tool/source.ts";

/**
 * A task requests a permit from its tenant. `version` is the task's and grows: an older request changes nothing. `used`
 * is its own use so far, `need` the least that its next model call needs, `want` what the call would use.
 */
export interface PermitRequest {
  readonly task: string;
  readonly version: number;
  readonly key: string | null;
  readonly agent: string;
  readonly used: Amount;
  readonly need: Amount;
  readonly want: Amount;
  /** False when the next call uses a model without a price, so that no limit of money could be enforced. */
  readonly isPriced: boolean;
}

/**
 * The tenant's reply. `admitted`: runner calls may begin for `forMs`, up to a total own use of `grant`; the task holds
 * a slot until it reports that it no longer runs. `queued`: every slot is taken, or budget that others lease may
 * return; the tenant calls the task. `exceeded`: a budget cannot cover `need`.
 */
export type PermitReply =
  | {
      readonly kind: "admitted";
      readonly forMs: number;
      readonly grant: AmountLimit;
      readonly near: readonly NearLimit[];
      /** As in a task's `Permit`. */
      readonly isTransferable?: boolean;
    }
  | {
      readonly kind: "queued";
      readonly why: "queue" | "budget";
      readonly message: string | null;
      readonly askAgainAfterMs: number;
    }
  | { readonly kind: "stopped"; readonly message: string; readonly askAgainAfterMs: number }
  | { readonly kind: "exceeded"; readonly message: string };

/** The person whom a key belongs to, and for whom its requests act. `timeZone` is an IANA name. */
export interface KeyPerson {
  readonly id: string;
  readonly name: string;
  readonly timeZone: string;
}

/** What changes: the person of one key, or a person's record. */
export type PersonChange = { readonly key: string } | { readonly person: string };

/** A key, as the tenant's object stores it. */
export interface KeyRecord {
  readonly id: string;
  readonly tenant: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: number | null;
  /** The key's bounds. Null for a key without bounds, absent in a record of an earlier release. */
  readonly projects?: readonly string[] | null;
  readonly agents?: readonly string[] | null;
  /** Null: the key belongs to no person. Absent in a record of an earlier release, and while it has to be read again. */
  readonly person?: KeyPerson | null;
}

/** The state of a key's request window. `resetSeconds` is the time until the current window ends. */
export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/**
 * The tenant's decision on a request, in one RPC call: who makes it, whether it is allowed, and what a repeat gets.
 * `unknown_key`: the object has not seen this key; the Worker looks it up in the database and asks again with its
 * record and the stamp. `dead_key`: revoked or expired.
 */
export type Admission =
  | { readonly kind: "unknown_key"; readonly personsStamp?: string }
  | { readonly kind: "dead_key" }
  | { readonly kind: "limited"; readonly rate: RateState; readonly retryAfterMs: number }
  | {
      readonly kind: "admitted";
      readonly key: KeyRecord;
      readonly rate: RateState;
      /** Set while the tenant is stopped: it creates and starts nothing. */
      readonly stopped: TenantStop | null;
      /**
       * Version of the tenant's agents: agents read for a request with this stamp are valid for every request with it.
       */
      readonly agentsStamp: string;
      /** As `agentsStamp`, of the tenant's connections and their apps. Absent from an object of an earlier release. */
      readonly appsStamp?: string;
      /** The tenant's own tools, as a new task has them. */
      readonly sources: readonly PinnedSource[];
      /** Null when the request carries no `Idempotency-Key`. */
      readonly idempotency: IdempotencyState | null;
      /** The session of the request; null if it used the key itself. */
      readonly session: SessionFacts | null;
      /** Reads of the key that the isolate may serve before it asks again. Absent, as from an earlier release: none. */
      readonly readAllowance?: number;
      /** For the task that the request creates or wakes. Absent if it has to request its permit. */
      readonly permit?: ShortPermit;
    };

/** A session, as its requests know it. */
export type SessionFacts = Pick<Session, "id" | "hash" | "tenantName" | "expiresAt">;

/** What an admission of either kind asks. */
export interface AdmissionRequest {
  readonly idempotency: IdempotentRequest | null;
  /** True when an earlier call for the same request counted the rate. Absent from a Worker of an earlier release. */
  readonly isCounted?: boolean;
  /** The isolate that asks, and the reads of the key that it served meanwhile. Absent from a Worker of an earlier release. */
  readonly reads?: IsolateReads;
  /** True for a request that creates or wakes a task. */
  readonly wakesTask?: boolean;
}

export interface KeyAdmissionRequest extends AdmissionRequest {
  readonly keyHash: string;
  readonly keyRecord: KeyRecord | null;
  /** Of the `unknown_key` before: unless it is still valid, the record's person may be out of date. */
  readonly personsStamp?: string;
}

export interface SessionAdmissionRequest extends AdmissionRequest {
  readonly sessionHash: string;
}

export interface BegunSession {
  readonly key: KeyRecord;
  readonly expiresAt: number;
}

export interface ReportReply {
  readonly erased: boolean;
}

/** The parts of an admission about the tenant itself. */
export type TenantFacts = Pick<
  Extract<Admission, { kind: "admitted" }>,
  "stopped" | "agentsStamp" | "appsStamp" | "sources"
>;

/** The tenant's object, named by the tenant's id (the one named `operator` admits the operator's requests). */
export interface TenantRpc {
  /**
   * Judges a request. `keyRecord` is present when the Worker looked the key up. A repeat of a running request waits
   * here for its reply, up to a minute.
   */
  admit(request: KeyAdmissionRequest): Promise<Admission>;
  /** Judges a request by a session's token. `dead_key`: the session has ended, or its key is revoked or expired. */
  admitSession(request: SessionAdmissionRequest): Promise<Admission>;
  /**
   * Begins a session, by a key that the object has seen or by a link, which is used up. `unauthenticated`: the key is
   * revoked or expired; `gone`: the link is unknown or used.
   */
  beginSession(session: NewSession, by: SessionMaker): Promise<Result<BegunSession>>;
  /** The valid sessions, the latest first. */
  listSessions(query: SessionQuery): Promise<SessionPage>;
  /** Ends sessions, with their links and their live feeds. Returns the ended ones. */
  endSessions(which: SessionsToEnd): Promise<readonly EndedSession[]>;
  /**
   * Stores a link until it is opened or expires. `unauthenticated`: the key or session that creates it is no longer
   * valid. Idempotent.
   */
  keepLink(link: NewSignInLink, by: LinkMaker): Promise<Result<void>>;
  /**
   * Ends a `fresh` request and wakes its repeats; with null nothing is stored, and the next repeat runs again. Returns
   * null, or the reply of another attempt that finished first: this request has to return that one.
   */
  settle(ticket: string, reply: StoredReply | null): Promise<StoredReply | null>;
  /**
   * Revokes the key with this id, even if the object has not seen it. An id that no key in the database has is not
   * stored.
   */
  revoke(keyId: string): Promise<void>;
  /**
   * A key's person, or a person, changes: called before the write and again after it. The keys that it concerns read their
   * person from the database again.
   */
  personChanged(change: PersonChange): Promise<void>;
  /**
   * Stores a task's index row; Postgres receives it later. A report of a deleted task is dropped. `erased`: the tenant
   * was deleted, and the task has to be deleted too.
   */
  report(row: TaskReport): Promise<ReportReply>;
  /** Requests a permit. `report` is applied as by the method of that name; null if nothing changed. */
  enter(request: PermitRequest, report: TaskReport | null): Promise<PermitReply>;
  /**
   * Permits `count` new subtasks of a tree to begin, whose payer is `key`. Null if each has to request its permit: the
   * tenant is stopped, has a limited budget, or has too few free slots.
   */
  permitSubtasks(key: string | null, count: number): Promise<ShortPermit | null>;
  /** Stops all tasks of the tenant. Its own stop and the operator's are independent. Idempotent. */
  stop(stop: TenantStop): Promise<TenantStop>;
  /**
   * Releases one side's stop and returns the remaining one; `forbidden` for the operator's stop when `byOperator` is
   * false.
   */
  release(byOperator: boolean): Promise<Result<TenantStop | null>>;
  stopped(): Promise<TenantStop | null>;
  /** What a task without a key needs from its tenant; null if the tenant was deleted. */
  standing(): Promise<TenantFacts | null>;
  /** Every account with a limit or with use: its use and leases. */
  budgets(): Promise<readonly BudgetAccount[]>;
  /** Sets the limit of an account (`tenant`, or the id of a key, a schedule or an agent); null removes it. */
  setBudget(account: string, limit: BudgetLimit | null): Promise<BudgetAccount>;
  /** Changes the stamp of the tenant's agents, before and after one changes. */
  stampAgents(): Promise<void>;
  /** Changes the stamp of the tenant's connections and apps, before and after one changes. */
  appsChanged(): Promise<void>;
  /**
   * A connection of this app and owner (null: shared) is active: the tasks that wait for it are woken in the background.
   * Idempotent. `changedAt` (milliseconds since the epoch) repairs a call that may be lost: only waits that this change
   * should have woken are.
   */
  connectionReady(app: string, owner: string | null, changedAt?: number): Promise<void>;
  /** An app was removed: the tasks that wait for an account of it are woken in the background, and their calls refused. */
  appRemoved(app: string): Promise<void>;
  /** How many tasks wait for a connection of this app and owner. */
  countConnectionWaits(app: string, owner: string | null): Promise<number>;
  /** Records a published source of tools for tasks created later. Only a higher version changes anything. */
  takeSource(source: PublishedSource): Promise<void>;
  /**
   * Adds types of events that an endpoint subscribes to: they are stored from now on. Returns the stamp under which the
   * endpoints can be read.
   */
  addInterests(types: readonly NoticeType[]): Promise<string>;
  /** Replaces the types of events with those of the endpoints read under this stamp. An older stamp changes nothing. */
  setInterests(types: readonly NoticeType[], stamp: string): Promise<void>;
  /**
   * True when the key with this id was revoked, the named session has ended, or the tenant was deleted. For streams
   * that outlive their request's check.
   */
  isRevoked(keyId: string, sessionHash?: string | null): Promise<boolean>;
  /**
   * Removes a deleted task from the index and ignores later reports of it. For a deleted tenant, the task needs no
   * further deletion.
   */
  forget(task: string, keepsMemory?: boolean): Promise<void>;
  /**
   * Rebuilds the tenant's rows in Postgres from its objects, in the background; a running rebuild continues.
   * `not_found`: the tenant was deleted, or neither a row nor this object knows it.
   */
  startReindex(): Promise<Result<Reindex>>;
  /** The latest rebuild; null if none was needed. */
  reindex(): Promise<Reindex | null>;
  /** How long tasks are stored, and the progress of the sweep (null if nothing expires). */
  retention(): Promise<RetentionState>;
  /** Replaces the retention. The sweep begins at once. */
  setRetention(retention: Retention): Promise<void>;
  /** Bytes of files that the tenant's sandboxes reserve. */
  storedBytes(): Promise<number>;
  /** Checks the tenant's row, and restores a lost one. `not_found` as above. */
  confirmRow(): Promise<Result<void>>;
  /** Records a schedule of the tenant, so that a rebuild finds it. */
  noteSchedule(schedule: string): Promise<void>;
  /** Sends the pending rows to Postgres now. False if Postgres failed; the object tries again. */
  flush(): Promise<boolean>;
  /** Stores the summaries of all completed tasks now. False if some are missing; the object tries again. */
  summarise(): Promise<boolean>;
  /**
   * Reserves this many bytes of the tenant's quota for a sandbox, instead of its earlier reservation. `quota_exceeded`
   * when a larger reservation exceeds the quota.
   */
  holdStorage(sandbox: string, bytes: number): Promise<Result<void>>;
  /**
   * Deletes the tenant and permanently records that: its keys are invalid, and its tasks learn of it when they report.
   * Returns the ids of tasks that Postgres may not know, at most 100, each until it is forgotten.
   */
  erase(): Promise<readonly string[]>;
}
