/**
 * The recovery of a tenant's rows from its objects. The tenant's object and its row share a counter, which each batch of the
 * task index advances. A row that is gone, or whose counter is another, is of a lost or older database, or the object is: then
 * the index is rebuilt from the objects.
 */

/** What only Postgres has. Its counts are known from before a loss, and nothing brings it back. */
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
] as const;
/**
 * What is counted of a tenant's rows. Keys come back as far as the tenant's object was shown them, projects as far as they have tasks
 * or files.
 */
export const COUNTED = [...NOT_REBUILDABLE, "keys", "projects"] as const;
export type Counted = (typeof COUNTED)[number];
export type Inventory = Readonly<Record<Counted, number>>;

/** How many of each kind were lost; a kind of which none was is absent. */
export type Lost = Readonly<Partial<Record<Counted, number>>>;

/** A tenant's row as its object compares it. */
export interface TenantRow {
  readonly name: string;
  readonly counter: number;
  readonly isErased: boolean;
  readonly inventory: Inventory;
}

/** How a row stands to the object's counter. */
type RowVerdict = "together" | "erased" | "missing" | "behind" | "ahead";

/**
 * `from` and `to` are the object's counter before and after the row was read: batches go on meanwhile. One that was cut off
 * may have advanced the row alone, by one.
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

/** In this order. `prune` looks at rows whose task the tenant's object does not know. */
const REINDEX_PHASES = ["tenant", "tasks", "prune", "schedules", "done"] as const;
export type ReindexPhase = (typeof REINDEX_PHASES)[number];

/** A rebuilding, as the tenant's object stores it. Moments in milliseconds since the epoch. */
export interface Reindex {
  readonly reason: ReindexReason;
  readonly phase: ReindexPhase;
  /** The last task, row or schedule of the phase that was worked; null: none was. */
  readonly cursor: string | null;
  /** Tasks of the tenant's object when it began, and those that were worked. */
  readonly total: number;
  readonly done: number;
  readonly rebuilt: {
    readonly tasks: number;
    readonly projects: number;
    readonly schedules: number;
    readonly keys: number;
  };
  /** Tasks that the tenant's object knows and whose own object holds nothing, or did not answer. */
  readonly missing: number;
  /** Schedules whose object did not answer. Absent: none. */
  readonly missingSchedules?: number;
  /** Projects that were counted before the loss. Absent: not counted. */
  readonly projectsBefore?: number;
  /** Rows of tasks that were erased, which an older database still had. */
  readonly removed: number;
  readonly lost: Lost;
  readonly startedAt: number;
  readonly endedAt: number | null;
}

/** How long losses are reported. */
export const LOSS_REPORTED_MS = 30 * 24 * 3_600_000;

/** A rebuilding that begins. Losses of an earlier one stay reported: to do it again finds what is left and calls nothing lost. */
export function newReindex(reason: ReindexReason, total: number, before: Reindex | null, now: number): Reindex {
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
 * True when a row whose task no object knows may go: the object is the newer one. Where it is the older one, now or at an
 * earlier rebuilding that a request repeats, it may have lost what the row still tells.
 */
export function mayPrune({ reason }: Pick<Reindex, "reason">, counter: number): boolean {
  return (reason === "missing" || reason === "behind") && counter > 0;
}

/**
 * What was there before and is not there now, with what was lost earlier. Projects are counted at the end (`addLostProjects`). `refusedKeys`: keys whose hash another row has. They
 * are refused at each repeat, and counted once.
 */
export function addLost(lost: Lost, before: Inventory | null, now: Inventory, refusedKeys: number): Lost {
  const sums = [...NOT_REBUILDABLE, "keys" as const].map((kind) => {
    const gone = before === null ? 0 : Math.max(0, before[kind] - now[kind]);
    return [kind, Math.max((lost[kind] ?? 0) + gone, kind === "keys" ? refusedKeys : 0)] as const;
  });
  return { ...lost, ...Object.fromEntries(sums.filter(([, count]) => count > 0)) };
}

/** Adds the projects that were counted before a loss and are not there at the end. */
export function addLostProjects(
  { lost, projectsBefore = 0 }: Pick<Reindex, "lost" | "projectsBefore">,
  now: number,
): Lost {
  const gone = Math.max(0, projectsBefore - now);
  return gone === 0 ? lost : { ...lost, projects: (lost.projects ?? 0) + gone };
}

/** What the reindexings of all tenants come to: those that run, and what could not be rebuilt. */
export interface ReindexSummary {
  readonly running: number;
  readonly lost: Lost;
}

/** How many rows of keys were created, and the ids of those that could not be. */
export interface RestoredKeys {
  readonly created: number;
  readonly refused: readonly string[];
}

/** `at`: when it was revoked, in milliseconds since the epoch. */
export interface RevokedKey {
  readonly id: string;
  readonly at: number;
}

/** Whether a stored kind is one that this release knows. */
export function isLossKind(kind: string): kind is keyof Lost {
  return COUNTED.some((one) => one === kind);
}
