/**
 * The state of a sync between two pages. It is stored with the end of each page, so that a page which is read again after a
 * crash begins where the first attempt did.
 */
import { ERRORS, type Failure, ok, type Result } from "../../base/errors.ts";
import { storable } from "../../base/storable.ts";
import type { BlobPort } from "../../ports/blobs.ts";
import type { CatalogueSource } from "../../ports/apps.ts";
import type { SyncJob, SyncKind } from "../../ports/app-catalogue.ts";
import type { AppCatalogueTable, SyncProgress } from "../../ports/app-catalogue-table.ts";
import type { ActionJudgement, DescribedAction } from "../catalogue.ts";

/** The pages of one listing, and the UTF-16 units of a cursor. */
const MAX_PAGES = 1_000;
const MAX_CURSOR = 4_000;
/** Descriptions of what could not be read, and UTF-16 units of each. */
const MAX_ERRORS = 100;
const MAX_NAME = 200;
const MAX_WHY = 500;

/** The phases in their order. */
export type SyncPhase = "apps" | "actions" | "triggers" | "settle" | "compile" | "publish" | "logos";

export interface SyncState {
  readonly job: string;
  readonly kind: SyncKind;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** The number of the next page, from 0. */
  readonly page: number;
  readonly phase: SyncPhase;
  /** Of the listing that is being read. */
  readonly cursor: string | null;
  /** The cursors of that listing so far. */
  readonly seen: readonly string[];
  /** The apps whose actions are still to be read, one by one; null: one listing has the actions of all. */
  readonly apps: readonly string[] | null;
  /** The last app whose triggers were read, or whose logo was. */
  readonly after: string | null;
  /** Logos that this sync tried to fetch; absent: none yet. */
  readonly logos?: number;
  readonly progress: SyncProgress;
}

export interface SyncDeps {
  readonly source: CatalogueSource;
  readonly table: AppCatalogueTable;
  readonly blobs: BlobPort;
  readonly judge: (action: DescribedAction) => ActionJudgement;
  /** Fetches a picture of at most 64 KiB. `not_available` if none can be fetched here. */
  readonly fetchLogo: (url: string) => Promise<Result<Uint8Array>>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** What follows a page. A failed result instead is tried again. */
export type Step =
  | { readonly kind: "next"; readonly state: SyncState }
  | { readonly kind: "published"; readonly state: SyncState }
  | { readonly kind: "stopped"; readonly why: string };

export type Phase = (deps: SyncDeps, state: SyncState) => Promise<Result<Step>>;

/** What could not be read or stored. */
export type Rejected = SyncProgress["errorDetails"][number];

export function beginState({ id, kind, startedAt }: Pick<SyncJob, "id" | "kind" | "startedAt">): SyncState {
  const progress = { appsSynced: 0, actionsSynced: 0, errors: 0, errorDetails: [] };
  const listing = { cursor: null, seen: [], apps: null, after: null };
  return { job: id, kind, startedAt, page: 0, phase: "apps", ...listing, progress };
}

export function next(state: SyncState): Result<Step> {
  return ok({ kind: "next", state });
}

export function stop(why: string): Result<Step> {
  return ok({ kind: "stopped", why });
}

/** Begins a phase, or a listing in the same one. */
export function beginPhase(phase: SyncPhase, state: SyncState, change: Partial<SyncState> = {}): SyncState {
  return { ...state, phase, cursor: null, seen: [], ...change };
}

/** Goes to the next page of a listing. Stops a sync whose listing repeats a cursor or has no end. */
export function followCursor(state: SyncState, cursor: string): Result<Step> {
  if (cursor.length > MAX_CURSOR) return stop(`The provider's cursor has more than ${MAX_CURSOR} characters.`);
  if (state.cursor === cursor || state.seen.includes(cursor))
    return stop("The provider repeats a cursor, so its listing has no end. Start another sync later.");
  if (state.seen.length + 1 >= MAX_PAGES) return stop(`The provider's listing has more than ${MAX_PAGES} pages.`);
  return next({ ...state, cursor, seen: [...state.seen, cursor] });
}

/** Adds to the totals. */
export function addToProgress(
  state: SyncState,
  added: { readonly apps?: number; readonly actions?: number; readonly rejected?: readonly Rejected[] },
): SyncState {
  const { appsSynced, actionsSynced, errors, errorDetails } = state.progress;
  const { apps = 0, actions = 0, rejected = [] } = added;
  const described = rejected.slice(0, Math.max(0, MAX_ERRORS - errorDetails.length)).map(({ name, why }) => ({
    name: storable(name.slice(0, MAX_NAME)),
    why: storable(why.slice(0, MAX_WHY)),
  }));
  return {
    ...state,
    progress: {
      appsSynced: appsSynced + apps,
      actionsSynced: actionsSynced + actions,
      errors: errors + rejected.length,
      errorDetails: [...errorDetails, ...described],
    },
  };
}

/** True of a failure that another attempt does not change. */
export function isFinal({ code, retry = ERRORS[code].retry }: Failure): boolean {
  return retry === "never";
}
