/** The methods of a tenant's object, in the form of `core/task/rpc.ts`: expected failures are `Result` values. */
import type { Result } from "../base/errors.ts";
import type { NearLimit } from "../task/commands.ts";
import type { NoticeType } from "../task/notice.ts";
import type { TaskReport } from "../task/rpc.ts";
import type { Amount, AmountLimit } from "../task/state.ts";
import type { BudgetAccount, BudgetLimit, TenantStop } from "./budget-tree.ts";
import type { IdempotencyState, IdempotentRequest, StoredReply } from "./idempotency.ts";
import type { Scope } from "./keys.ts";
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
 * A task asks its tenant for leave to begin hops. `version` is the task's, and grows: whatever is older and comes late
 * changes nothing. `used` is its own use so far, `need` the least that its next model call can do with, `want` what the
 * call would take.
 */
export interface EnterRequest {
  readonly task: string;
  readonly version: number;
  readonly key: string | null;
  readonly agent: string;
  readonly used: Amount;
  readonly need: Amount;
  readonly want: Amount;
  /** False when the next hop asks a model whose price nobody knows, so that no limit of money could be held. */
  readonly isPriced: boolean;
}

/**
 * What the tenant says. `admitted`: hops may begin for `forMs`, up to a total own use of `grant`; the task holds one of
 * the tenant's places until it reports that it no longer runs. `queued`: every place is taken, or budget that others hold
 * may come back; the tenant calls it. `exceeded`: a budget cannot cover `need` any more.
 */
export type EnterReply =
  | {
      readonly kind: "admitted";
      readonly forMs: number;
      readonly grant: AmountLimit;
      readonly near: readonly NearLimit[];
    }
  | {
      readonly kind: "queued";
      readonly why: "queue" | "budget";
      readonly message: string | null;
      readonly askAgainAfterMs: number;
    }
  | { readonly kind: "stopped"; readonly message: string; readonly askAgainAfterMs: number }
  | { readonly kind: "exceeded"; readonly message: string };

/** A key as the tenant's object knows it. */
export interface KeyRecord {
  readonly id: string;
  readonly tenant: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: number | null;
  /** The key's bounds. Null for a key without bounds, absent in a record of an earlier release. */
  readonly projects?: readonly string[] | null;
  readonly agents?: readonly string[] | null;
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
      /** Set while the tenant is stopped: it makes and starts nothing. */
      readonly stopped: TenantStop | null;
      /** What was read of the tenant's agents for a request with this stamp holds for every request with it. */
      readonly agentsStamp: string;
      /** The tenant's own tools, as a task that is made now has them. */
      readonly sources: readonly PinnedSource[];
      /** Null when the request carries no `Idempotency-Key`. */
      readonly idempotency: IdempotencyState | null;
      /** The session that the request came by; null: it came by the key itself. */
      readonly session: SessionFacts | null;
    };

/** A session as the requests that come by it know it. */
export type SessionFacts = Pick<Session, "id" | "hash" | "tenantName" | "expiresAt">;

/** What an admission of either kind asks. */
export interface AdmissionRequest {
  readonly idempotency: IdempotentRequest | null;
  /** True when the rate was counted by an earlier question of the same request. Absent from a Worker of an earlier release. */
  readonly isCounted?: boolean;
}

export interface KeyAdmissionRequest extends AdmissionRequest {
  readonly keyHash: string;
  readonly keyRecord: KeyRecord | null;
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

/** What admissions say of the tenant itself. */
export type TenantStanding = Pick<Extract<Admission, { kind: "admitted" }>, "stopped" | "agentsStamp" | "sources">;

/** The tenant's object, named by the tenant's id (the one named `operator` admits the operator's requests). */
export interface TenantRpc {
  /**
   * Judges a request. `keyRecord` is given when the Worker had to look the key up. A repeat of a request that runs waits
   * in here for its reply, up to a minute.
   */
  admit(request: KeyAdmissionRequest): Promise<Admission>;
  /** Judges a request by a session's token. `dead_key`: there is no such session any more, or its key is dead. */
  admitSession(request: SessionAdmissionRequest): Promise<Admission>;
  /**
   * Begins a session, by a key that the object was shown or by a link, which is used up by it. `unauthenticated`: the key
   * is dead; `gone`: there is no such link any more.
   */
  beginSession(session: NewSession, by: SessionMaker): Promise<Result<BegunSession>>;
  /** The sessions that hold, the latest first. */
  listSessions(query: SessionQuery): Promise<SessionPage>;
  /** Ends sessions for good, with the links that they made and the feeds that they follow. Gives those that held until now. */
  endSessions(which: SessionsToEnd): Promise<readonly EndedSession[]>;
  /** Keeps a link until it is opened or over. `unauthenticated`: what makes it is dead. Keeping it again changes nothing. */
  keepLink(link: NewSignInLink, by: LinkMaker): Promise<Result<void>>;
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
  report(row: TaskReport): Promise<ReportReply>;
  /** Asks for leave to begin hops. `report` is taken as by the method of that name; null: there is no news. */
  enter(request: EnterRequest, report: TaskReport | null): Promise<EnterReply>;
  /** Stops everything of the tenant; its own stop and the operator's stand independently. Stopping twice changes nothing. */
  stop(stop: TenantStop): Promise<TenantStop>;
  /** Takes one side's stop away and gives what still stands; `forbidden` when the operator's does and `byOperator` is false. */
  release(byOperator: boolean): Promise<Result<TenantStop | null>>;
  stopped(): Promise<TenantStop | null>;
  /** What a task needs to know of its tenant that no key asks for; null: the tenant is gone. */
  standing(): Promise<TenantStanding | null>;
  /** Every account that has a limit or was used, with what is used and what is leased. */
  budgets(): Promise<readonly BudgetAccount[]>;
  /** Sets the limit of an account (`tenant`, or the id of a key, a schedule or an agent); null takes it away. */
  setBudget(account: string, limit: BudgetLimit | null): Promise<BudgetAccount>;
  /** An agent is about to change, or has changed: admissions get another stamp. */
  stampAgents(): Promise<void>;
  /** A source of the tenant's tools was published: tasks made after this have it. Only a higher version changes anything. */
  takeSource(source: PublishedSource): Promise<void>;
  /**
   * An endpoint is about to want these types of events, or wants them since just now: from here on they are kept. Gives the
   * stamp under which the endpoints can be read.
   */
  addInterests(types: readonly NoticeType[]): Promise<string>;
  /** The types that the endpoints want that were read under this stamp, in place of all; under an older one nothing changes. */
  setInterests(types: readonly NoticeType[], stamp: string): Promise<void>;
  /**
   * True when the key with this id was revoked, the session that is named with it is over, or the tenant was erased. For
   * streams that outlive their request's check.
   */
  isRevoked(keyId: string, sessionHash?: string | null): Promise<boolean>;
  /**
   * Durably takes an erased task out of the index, whatever is still reported of it. Of an erased tenant: the task needs
   * no more erasing.
   */
  forget(task: string, keepsMemory?: boolean): Promise<void>;
  /**
   * Rebuilds from the objects what Postgres holds of the tenant, in the background; one that runs continues. `not_found`: the
   * tenant is erased, or neither a row nor this object knows it.
   */
  startReindex(): Promise<Result<Reindex>>;
  /** The latest rebuilding; null: none was ever needed. */
  reindex(): Promise<Reindex | null>;
  /** How long tasks are stored, and how far the sweep is (null: nothing is swept). */
  retention(): Promise<RetentionState>;
  /** Sets it, in place of all that was set. The sweep begins at once. */
  setRetention(retention: Retention): Promise<void>;
  /** Bytes of files that the tenant's sandboxes hold. */
  storedBytes(): Promise<number>;
  /** Sees that the tenant has its row, and restores one that was lost. `not_found` as above. */
  confirmRow(): Promise<Result<void>>;
  /** The tenant has this schedule, so that a rebuilding finds it. */
  noteSchedule(schedule: string): Promise<void>;
  /** Sends what Postgres has not got yet, now. False: Postgres did not take it; the object tries again. */
  flush(): Promise<boolean>;
  /** Keeps the summaries of all tasks that have completed, now. False: not all; the object tries again. */
  summarise(): Promise<boolean>;
  /**
   * A sandbox holds this many bytes of the tenant's quota from now on, in place of what it held before. `quota_exceeded`
   * when that is more than before, and more than fits.
   */
  holdStorage(sandbox: string, bytes: number): Promise<Result<void>>;
  /**
   * Forgets the tenant, and keeps for good that it did: its keys are dead, its tasks hear it when they report. Gives the
   * ids of tasks that Postgres may know nothing of, at most 100: each is given until it was forgotten.
   */
  erase(): Promise<readonly string[]>;
}
