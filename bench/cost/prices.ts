/**
 * List prices in US dollars, without tax and discounts: Cloudflare's Workers Paid plan and Neon's Launch plan. A change of a
 * price is a change of this file; `docs/cost.md` follows it.
 */

/** What one unit of a bill costs. */
export interface Price {
  /** As `docs/cost.md` names it. */
  readonly label: string;
  /** Dollars for `units` of it. */
  readonly dollars: number;
  readonly units: number;
  /** As the price is quoted. */
  readonly quoted: string;
  /** Units a month that the plan includes. */
  readonly included: number;
  readonly page: keyof typeof PRICE_PAGES;
}

const MILLION = 1_000_000;
const GB = 1_000_000_000;

/** Where the prices are from, and the day on which the page was read. */
export const PRICE_PAGES = {
  workers: {
    name: "Workers pricing",
    url: "https://developers.cloudflare.com/workers/platform/pricing/",
    readOn: "2026-11-27",
  },
  objects: {
    name: "Durable Objects pricing",
    url: "https://developers.cloudflare.com/durable-objects/platform/pricing/",
    readOn: "2026-11-27",
  },
  r2: { name: "R2 pricing", url: "https://developers.cloudflare.com/r2/pricing/", readOn: "2026-11-27" },
  neon: {
    name: "Neon plans",
    url: "https://neon.com/docs/introduction/plans",
    readOn: "2026-11-27 (version of 2026-11-12; traffic: of 2026-03-20)",
  },
} as const;

/** In the order of the lines of a bill. */
export const PRICES = {
  workersRequests: {
    label: "requests to the Worker",
    dollars: 0.3,
    units: MILLION,
    quoted: "$0.30 a million",
    included: 10 * MILLION,
    page: "workers",
  },
  objectRequests: {
    label: "requests to objects (calls and alarms that run)",
    dollars: 0.15,
    units: MILLION,
    quoted: "$0.15 a million",
    included: MILLION,
    page: "objects",
  },
  objectGbSeconds: {
    label: "active time of objects, GB-s",
    dollars: 12.5,
    units: MILLION,
    quoted: "$12.50 a million",
    included: 400_000,
    page: "objects",
  },
  rowsRead: {
    label: "rows read by objects",
    dollars: 0.001,
    units: MILLION,
    quoted: "$0.001 a million",
    included: 25_000 * MILLION,
    page: "objects",
  },
  rowsWritten: {
    label: "rows written by objects (an alarm set is one)",
    dollars: 1,
    units: MILLION,
    quoted: "$1.00 a million",
    included: 50 * MILLION,
    page: "objects",
  },
  r2Operations: {
    label: "R2 operations (all at the price of class A)",
    dollars: 4.5,
    units: MILLION,
    quoted: "$4.50 a million",
    included: MILLION,
    page: "r2",
  },
  postgresBytes: {
    label: "bytes to and from Postgres (all at the price of its outgoing traffic)",
    dollars: 0.1,
    units: GB,
    quoted: "$0.10 a GB",
    included: 100 * GB,
    page: "neon",
  },
  storedBytes: {
    label: "bytes stored in objects for a month",
    dollars: 0.2,
    units: GB,
    quoted: "$0.20 a GB-month",
    included: 5 * GB,
    page: "objects",
  },
} as const satisfies Readonly<Record<string, Price>>;

/** An item of a bill. */
export type Item = keyof typeof PRICES;

/** An object is billed as 128 MB while it is active, however much it uses. */
export const OBJECT_GB = 0.128;

const HOURS_A_MONTH = 730;
/** The smallest compute of Neon. The sweep's query once a minute keeps it awake. */
const NEON_CU = 0.25;
const NEON_DOLLARS_A_CU_HOUR = 0.106;

/** What a deployment costs each month with no tenant. */
export const FIXED = [
  { label: "Workers Paid plan", dollars: 5, page: "workers" },
  {
    label: `Neon, ${NEON_CU} CU at $${NEON_DOLLARS_A_CU_HOUR} an hour, awake all month`,
    dollars: NEON_CU * NEON_DOLLARS_A_CU_HOUR * HOURS_A_MONTH,
    page: "neon",
  },
] as const;

export const SECONDS_A_MONTH = 3_600 * HOURS_A_MONTH;

/** Requests of the sweep's cron trigger, which are the deployment's. */
export const SWEEPS_A_MONTH = 60 * HOURS_A_MONTH;
