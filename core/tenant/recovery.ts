/**
 * The recovery of a tenant's rows from its objects. The tenant's object and its row share a counter, which each batch
 * of the task index increments. A missing row, or one with another counter, shows a lost or older database or object:
 * then the index is rebuilt from the objects.
 */

/** Rows that only Postgres has. Counts from before a loss show what is missing; nothing can restore them. */
export const NOT_REBUILDABLE = [
  "agents",
  "people",
  "secrets",
  "memories",
  "skills",
  "tools",
  "mcp_servers",
  "webhooks",
  "incoming_webhooks",
  "slack_workspaces",
  "connections",
] as const;
/**
 * The counted rows of a tenant. Keys can be restored if the tenant's object has seen them, projects if they have tasks
 * or files.
 */
export const COUNTED = [...NOT_REBUILDABLE, "keys", "projects"] as const;
export type Counted = (typeof COUNTED)[number];
export type Inventory = Readonly<Record<Counted, number>>;

/** How many of each kind were lost. A kind without losses is absent. */
export type Lost = Readonly<Partial<Record<Counted, number>>>;

/** A tenant's row, as its object compares it. */
export interface TenantRow {
  readonly name: string;
  readonly counter: number;
  readonly isErased: boolean;
  readonly inventory: Inventory;
}

/** The result of comparing a row's counter with the object's. */
type RowVerdict = "together" | "erased" | "missing" | "behind" | "ahead";

/**
 * Compares a row's counter with the object's. `from` and `to` are the object's counter before and after the row was
 * read, because batches continue meanwhile. An interrupted batch may have incremented only the row, by one.
 */
export function judgeRow(
  { from, to }: { readonly from: number; readonly to: number },
  row: Pick<TenantRow, "counter" | "isErased"> | null,
): RowVerdict {
  if (row === null) return "missing";
  if (row.isErased) return "erased";
  if (row.counter < from) return "behind";
  return row.counter <= to + 1 ? "together" : "ahead";
}

/** Why the index is rebuilt. */
export type ReindexReason = Extract<RowVerdict, "missing" | "behind" | "ahead"> | "requested";

/** The phases in order. `prune` examines rows whose task the tenant's object does not know. */
const REINDEX_PHASES = ["tenant", "tasks", "prune", "schedules", "done"] as const;
export type ReindexPhase = (typeof REINDEX_PHASES)[number];

/** A rebuild, as the tenant's object stores it. Times are milliseconds since the epoch. */
export interface Reindex {
  readonly reason: ReindexReason;
  readonly phase: ReindexPhase;
  /** The last processed task, row or schedule of the phase; null before the first. */
  readonly cursor: string | null;
  /** Tasks of the tenant's object at the start, and those processed. */
  readonly total: number;
  readonly done: number;
  readonly rebuilt: {
    readonly tasks: number;
    readonly projects: number;
    readonly schedules: number;
    readonly keys: number;
  };
  /** Known tasks whose own object stores nothing or did not answer. */
  readonly missing: number;
  /** Schedules whose object did not answer, if any. */
  readonly missingSchedules?: number;
  /** Projects that were counted before the loss. Absent: not counted. */
  readonly projectsBefore?: number;
  /** Removed rows of deleted tasks that an older database still had. */
  readonly removed: number;
  readonly lost: Lost;
  readonly startedAt: number;
  readonly endedAt: number | null;
}

/** How long losses are reported. */
export const LOSS_REPORTED_MS = 30 * 24 * 3_600_000;

/** Starts a rebuild. Losses of an earlier one remain reported, because a repeat finds nothing more to lose. */
export function createReindex(reason: ReindexReason, total: number, before: Reindex | null, now: number): Reindex {
  const isRecent = before !== null && now - before.startedAt < LOSS_REPORTED_MS;
  return {
    reason,
    phase: "tenant",
    cursor: null,
    total,
    done: 0,
    rebuilt: { tasks: 0, projects: 0, schedules: 0, keys: 0 },
    missing: 0,
    removed: 0,
    lost: isRecent ? before.lost : {},
    startedAt: now,
    endedAt: null,
  };
}

/**
 * True when a row whose task is unknown may be removed, because the object is newer. An older object, now or at an
 * earlier rebuild that a request repeats, may have lost the task that the row records.
 */
export function mayPrune({ reason }: Pick<Reindex, "reason">, counter: number): boolean {
  return (reason === "missing" || reason === "behind") && counter > 0;
}

/**
 * Returns the rows that were counted before and are missing now, with earlier losses. Projects are counted at the end
 * (`addLostProjects`). `refusedKeys`: keys whose hash another row has; each repeat refuses them, and they count once. Counts
 * that an earlier release made lack later kinds.
 */
export function addLost(lost: Lost, before: Partial<Inventory> | null, now: Inventory, refusedKeys: number): Lost {
  const sums = [...NOT_REBUILDABLE, "keys" as const].map((kind) => {
    const gone = before === null ? 0 : Math.max(0, (before[kind] ?? 0) - now[kind]);
    return [kind, Math.max((lost[kind] ?? 0) + gone, kind === "keys" ? refusedKeys : 0)] as const;
  });
  return { ...lost, ...Object.fromEntries(sums.filter(([, count]) => count > 0)) };
}

/** Adds the projects that were counted before a loss and are missing at the end. */
export function addLostProjects(
  { lost, projectsBefore = 0 }: Pick<Reindex, "lost" | "projectsBefore">,
  now: number,
): Lost {
  const gone = Math.max(0, projectsBefore - now);
  return gone === 0 ? lost : { ...lost, projects: (lost.projects ?? 0) + gone };
}

/** The rebuilds of all tenants together: the running ones, and what could not be rebuilt. */
export interface ReindexSummary {
  readonly running: number;
  readonly lost: Lost;
}

/** The number of created key rows, and the ids of refused ones. */
export interface RestoredKeys {
  readonly created: number;
  readonly refused: readonly string[];
}

/** `at`: when it was revoked, in milliseconds since the epoch. */
export interface RevokedKey {
  readonly id: string;
  readonly at: number;
}

/** Whether this release knows a stored kind. */
export function isLossKind(kind: string): kind is keyof Lost {
  return COUNTED.some((one) => one === kind);
}
