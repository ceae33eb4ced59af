/**
 * The rows of the catalogue of apps, which belong to no tenant. One sync at a time writes them. Every write of a sync is
 * idempotent, and changes nothing once the sync has ended, so an attempt that was given up cannot disturb the next sync. Logos
 * are written after that end, each for the address from which it was fetched.
 */
import type {
  CatalogueAction,
  CatalogueApp,
  CatalogueStats,
  ListedAction,
  SyncJob,
  SyncKind,
} from "./app-catalogue.ts";
import type { DescribedApp, DescribedTrigger } from "../apps/catalogue.ts";
import type { AppLogo } from "../apps/logo.ts";
import type { Result } from "../base/errors.ts";

/** A sync under way. */
export interface OpenSync extends Pick<SyncJob, "id" | "kind" | "startedAt"> {
  /** When its latest page was read, in milliseconds since the epoch. */
  readonly updatedAt: number;
}

/** How far a sync is. The figures are totals, so storing them again changes nothing. */
export type SyncProgress = Pick<SyncJob, "appsSynced" | "actionsSynced" | "errors" | "errorDetails">;

/** An app of a listing. `listedAs` differs when its actions have to be read again. */
export interface ListedApp extends DescribedApp {
  readonly listedAs: string;
}

/** An action to store. */
export interface StoredAction extends CatalogueAction {
  /** The required ones first. */
  readonly parameters: readonly string[];
}

/**
 * The apps whose actions a sync reads: all that it listed, those that differ since their actions were read, or at most
 * `limit` with actions without a schema.
 */
export type SyncScope =
  | { readonly kind: "all" }
  | { readonly kind: "changed" }
  | { readonly kind: "without_schemas"; readonly limit: number };

/** Active actions: all, and those that the end of the sync would remove. */
export interface Removal {
  readonly before: number;
  readonly removed: number;
}

/** An app of the published catalogue. `compiled`: the hash of the file of its actions. Its logo is in a file of its own. */
export interface CompiledApp extends Omit<CatalogueApp, "logo"> {
  readonly compiled: string;
}

/** The version of the catalogue that pages read. */
export interface CataloguePointer {
  /** SHA-256 in hex. */
  readonly snapshot: string;
  /** Milliseconds since the epoch. */
  readonly syncedAt: number;
  /** The hash of the file that names the logos; null before the first one. */
  readonly logos: string | null;
}

/** A logo to fetch. */
export interface LogoAddress {
  readonly app: string;
  readonly url: string;
}

export interface AppCatalogueTable {
  /** Begins a sync, or returns the one under way. */
  begin(job: { readonly id: string; readonly kind: SyncKind; readonly at: number }): Promise<Result<SyncJob>>;
  /** The sync under way; null without one. */
  findOpen(): Promise<Result<OpenSync | null>>;
  /** The newest first. */
  history(limit: number): Promise<Result<readonly SyncJob[]>>;
  /** Stores the progress. False: the sync has ended. */
  report(job: string, progress: SyncProgress, at: number): Promise<Result<boolean>>;
  /** Ends a sync that failed. The reason becomes the first of its errors. */
  fail(job: string, why: string, at: number): Promise<Result<void>>;

  /** Stores apps of a listing as active. */
  putApps(job: string, apps: readonly ListedApp[], at: number): Promise<Result<void>>;
  /** Marks the apps whose actions the sync reads, and returns their names. */
  markScope(job: string, scope: SyncScope): Promise<Result<readonly string[]>>;
  /** Stores actions as active, and returns the names of those whose app is among the marked ones. */
  putActions(job: string, actions: readonly StoredAction[], at: number): Promise<Result<readonly string[]>>;
  /** The next marked apps with triggers after `after`, by name: at most `limit`. */
  appsWithTriggers(job: string, after: string | null, limit: number): Promise<Result<readonly string[]>>;
  /** Replaces the triggers of marked apps. */
  putTriggers(job: string, triggers: ReadonlyMap<string, readonly DescribedTrigger[]>): Promise<Result<void>>;
  /** Counts what `settle` would remove. */
  countRemoval(job: string, hasListing: boolean): Promise<Result<Removal>>;
  /**
   * Removes the marked apps' actions that the sync did not read, and after a listing the apps that it lacks with theirs.
   * The marked apps have to be compiled again. Deletes what was removed before `forgetBefore`.
   */
  settle(
    job: string,
    settled: { readonly hasListing: boolean; readonly at: number; readonly forgetBefore: number },
  ): Promise<Result<void>>;

  /** The next active apps to compile, by name: together about `actions` actions, at least one app. */
  appsToCompile(actions: number): Promise<Result<readonly string[]>>;
  /** The active actions of these apps, and their triggers. */
  readApps(apps: readonly string[]): Promise<Result<readonly AppContent[]>>;
  storeCompiled(job: string, files: ReadonlyMap<string, string>): Promise<Result<void>>;
  /** All compiled apps by the number of actions, the largest first, and removed ones at the end. Counts are of what is stored. */
  compiledApps(): Promise<Result<readonly CompiledApp[]>>;
  /** Active actions of active apps in the order of app and name, from the one after `after` on. */
  listActions(
    after: Pick<ListedAction, "app" | "action"> | null,
    limit: number,
  ): Promise<Result<readonly ListedAction[]>>;
  /** Publishes a version, and ends the sync. False: the sync has ended. */
  publish(
    job: string,
    published: Omit<CataloguePointer, "logos"> & { readonly stats: CatalogueStats },
  ): Promise<Result<boolean>>;
  /** Null before the first publication. */
  pointer(): Promise<Result<CataloguePointer | null>>;

  /** The next active apps after `after`, by name, whose logo was not fetched from its present address: at most `limit`. */
  logosToFetch(after: string | null, limit: number): Promise<Result<readonly LogoAddress[]>>;
  /** Stores the hashes of logos. One whose app has another address by now is left out. */
  storeLogos(logos: readonly (AppLogo & LogoAddress)[]): Promise<Result<void>>;
  /** The logos of all apps that have an address of one, by name. */
  logos(): Promise<Result<readonly AppLogo[]>>;
  /** Publishes the file that names the logos, for the present version and later ones. */
  publishLogos(hash: string): Promise<Result<void>>;
}

/** What the file of an app is compiled from. */
export interface AppContent {
  readonly app: string;
  readonly actions: readonly CatalogueAction[];
  readonly triggers: readonly DescribedTrigger[];
}
