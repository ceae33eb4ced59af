/** The present counts: the table of `docs/bench.md`, which the architecture suite compares with this one. */

/** What is counted, in the order of the columns. */
export const MEASURES = [
  "task rows written",
  "task rows read",
  "tenant rows written",
  "tenant rows read",
  "sandbox rows written",
  "sandbox rows read",
  "alarms set",
  "alarms deleted",
  "alarm runs",
  "object calls",
  "runner calls",
  "model requests",
  "tool requests",
  "R2 operations",
  "Postgres requests",
  "Postgres statements",
  "Postgres bytes",
] as const;

export type Measure = (typeof MEASURES)[number];
export type Counts = Readonly<Record<Measure, number>>;

export const SCENARIOS = [
  "task of one model call",
  "`none` step",
  "`keyed` step",
  "fan-out of 10",
  "question",
  "resume",
] as const;

export type Scenario = (typeof SCENARIOS)[number];

/** Exact, except for what `SLACK` names. */
export const EXPECTED: Readonly<Record<Scenario, Counts>> = {
  // The task's tables, facts, states, events and spending; its admission, slot, reports and summary at the tenant. Postgres:
  // the index rows, the tenant's row compared, the summary.
  "task of one model call": {
    "task rows written": 16,
    "task rows read": 22,
    "tenant rows written": 28,
    "tenant rows read": 103,
    "sandbox rows written": 0,
    "sandbox rows read": 0,
    "alarms set": 6,
    "alarms deleted": 5,
    "alarm runs": 5,
    "object calls": 6,
    "runner calls": 1,
    "model requests": 1,
    "tool requests": 0,
    "R2 operations": 0,
    "Postgres requests": 5,
    "Postgres statements": 14,
    "Postgres bytes": 21647,
  },
  // The message, the call, its label, spending, events and the state, in one decision. Only the model phase leaves the object.
  "`none` step": {
    "task rows written": 11,
    "task rows read": 16,
    "tenant rows written": 0,
    "tenant rows read": 0,
    "sandbox rows written": 0,
    "sandbox rows read": 0,
    "alarms set": 0,
    "alarms deleted": 0,
    "alarm runs": 0,
    "object calls": 0,
    "runner calls": 1,
    "model requests": 1,
    "tool requests": 0,
    "R2 operations": 0,
    "Postgres requests": 0,
    "Postgres statements": 0,
    "Postgres bytes": 968,
  },
  // A `none` step, with the tool phase as a second runner call and a file of its own in the sandbox.
  "`keyed` step": {
    "task rows written": 12,
    "task rows read": 22,
    "tenant rows written": 0,
    "tenant rows read": 0,
    "sandbox rows written": 5,
    "sandbox rows read": 16,
    "alarms set": 0,
    "alarms deleted": 0,
    "alarm runs": 0,
    "object calls": 2,
    "runner calls": 2,
    "model requests": 1,
    "tool requests": 0,
    "R2 operations": 0,
    "Postgres requests": 0,
    "Postgres statements": 0,
    "Postgres bytes": 1463,
  },
  // Eleven tasks of one model call; each subtask is created by its parent, and reports its end to it.
  "fan-out of 10": {
    "task rows written": 276,
    "task rows read": 448,
    "tenant rows written": 287,
    "tenant rows read": 574,
    "sandbox rows written": 0,
    "sandbox rows read": 0,
    "alarms set": 41,
    "alarms deleted": 27,
    "alarm runs": 28,
    "object calls": 58,
    "runner calls": 12,
    "model requests": 12,
    "tool requests": 0,
    "R2 operations": 0,
    "Postgres requests": 16,
    "Postgres statements": 36,
    "Postgres bytes": 110679,
  },
  // A task until it waits: one model call, the question and its reports, without a summary.
  question: {
    "task rows written": 17,
    "task rows read": 24,
    "tenant rows written": 25,
    "tenant rows read": 62,
    "sandbox rows written": 0,
    "sandbox rows read": 0,
    "alarms set": 4,
    "alarms deleted": 3,
    "alarm runs": 3,
    "object calls": 5,
    "runner calls": 1,
    "model requests": 1,
    "tool requests": 0,
    "R2 operations": 0,
    "Postgres requests": 2,
    "Postgres statements": 4,
    "Postgres bytes": 10317,
  },
  // From the answer to the end: a new permit, one model call, the end and the summary.
  resume: {
    "task rows written": 16,
    "task rows read": 31,
    "tenant rows written": 23,
    "tenant rows read": 101,
    "sandbox rows written": 0,
    "sandbox rows read": 0,
    "alarms set": 6,
    "alarms deleted": 5,
    "alarm runs": 5,
    "object calls": 5,
    "runner calls": 1,
    "model requests": 1,
    "tool requests": 0,
    "R2 operations": 0,
    "Postgres requests": 5,
    "Postgres statements": 14,
    "Postgres bytes": 22862,
  },
};

/** How far a count may be off. Bytes: times are of different lengths. A resume: the object may read its tenant once more. */
export function getSlack(scenario: Scenario, measure: Measure): number {
  if (measure === "Postgres bytes") return Math.max(300, EXPECTED[scenario][measure] * 0.02);
  return scenario === "resume" ? (RESUME_SLACK[measure] ?? 0) : 0;
}

const RESUME_SLACK: Partial<Record<Measure, number>> = {
  "object calls": 1,
  "task rows read": 4,
  "tenant rows read": 3,
};

/** The lines of the table in `docs/bench.md`: a line for each measure, a column for each scenario. */
export function formatTable(): string {
  const lines = MEASURES.map((measure) => [measure, ...SCENARIOS.map((scenario) => EXPECTED[scenario][measure])]);
  const head = ["count", ...SCENARIOS];
  const rule = head.map((_, index) => (index === 0 ? "---" : "---:"));
  return [head, rule, ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
