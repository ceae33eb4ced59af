/**
 * The compiled catalogue, as pages and searches read it: without a request to a provider, and without the database while
 * nothing changed. All reads of one request see one snapshot. `upstream_failed` while it cannot be read at all.
 */
import type {
  ActionJudgement,
  AppProvider,
  AppStatus,
  DescribedAction,
  DescribedApp,
  DescribedTrigger,
} from "../apps/catalogue.ts";
import type { Result } from "../base/errors.ts";

/** An app of a snapshot. */
export interface CatalogueApp extends DescribedApp {
  readonly provider: AppProvider;
  readonly status: AppStatus;
  /** The hash of its stored logo; null without one. */
  readonly logo: string | null;
}

/** What lists and searches need of an action. */
export interface ListedAction
  extends Pick<DescribedAction, "action" | "app" | "title" | "description" | "tags" | "isOpen">,
    ActionJudgement {
  /** Names of its parameters, the required ones first. */
  readonly parameters: readonly string[];
}

/** An action with its schemas. */
export interface CatalogueAction extends DescribedAction, ActionJudgement {
  /** Of what a person approves: names, schemas, hints and the description (`core/apps/workspace/approved-form.ts`). */
  readonly schemaHash: string;
}

/** Figures of a snapshot. */
export interface CatalogueStats {
  readonly apps: number;
  readonly actions: number;
  readonly triggers: number;
  /** Apps by category, the largest first. */
  readonly categories: readonly { readonly category: string; readonly apps: number }[];
}

/** One version of the catalogue. It never changes. */
export interface CatalogueSnapshot {
  /** SHA-256 in hex. */
  readonly hash: string;
  /** When its sync ended, in milliseconds since the epoch. */
  readonly syncedAt: number;
  readonly stats: CatalogueStats;
  /** By the number of actions, the largest first. */
  readonly apps: readonly CatalogueApp[];
  /** All actions, without schemas; read on the first use. */
  actions(): Promise<Result<readonly ListedAction[]>>;
  /** The actions of an app with their schemas; `not_found` for an app that is not in the snapshot. */
  actionsOf(app: string): Promise<Result<readonly CatalogueAction[]>>;
  triggersOf(app: string): Promise<Result<readonly DescribedTrigger[]>>;
}

export interface AppCatalogue {
  /** Null before the first sync. An isolate asks for a newer one at most once a minute, and serves what it has meanwhile. */
  snapshot(): Promise<Result<CatalogueSnapshot | null>>;
}

/** The kinds of a sync: everything; what changed; apps without schemas. */
export const SYNC_KINDS = ["full", "incremental", "backfill"] as const;
export type SyncKind = (typeof SYNC_KINDS)[number];

/** One run of a sync, as its history shows it. */
export interface SyncJob {
  readonly id: string;
  readonly kind: SyncKind;
  readonly status: "queued" | "running" | "completed" | "failed";
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly completedAt: number | null;
  readonly appsSynced: number;
  readonly actionsSynced: number;
  /** What could not be read or stored; the first 100 are described. */
  readonly errors: number;
  readonly errorDetails: readonly { readonly name: string; readonly why: string }[];
}

/** Starts and lists syncs. */
export interface CatalogueSyncs {
  /**
   * Starts one, or returns the one under way. `not_available` without a provider's key. `tenant`: who asks for it, by the key
   * that serves it; absent: Otto itself, by any key.
   */
  start(kind: SyncKind, tenant?: string): Promise<Result<SyncJob>>;
  /** The newest first. */
  history(limit: number): Promise<Result<readonly SyncJob[]>>;
}
