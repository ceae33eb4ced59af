/** The suites of `npm test`. A test file stands at `test/<suite>/**` and runs in exactly one of them. */

export interface Suite {
  /** The folder below test/, and the project's name in the vitest configuration. */
  readonly name: string;
  /** Where its tests run; each has a vitest configuration of its own, since only one loads the Workers runtime. */
  readonly runtime: "node" | "workerd";
  /** True when its files start whole systems and so run one after another. */
  readonly serial: boolean;
  /** True when its tests run programs of Debian packages: those of sidecar/packages.txt and test/packages.txt. */
  readonly packages: boolean;
  /** Milliseconds that one test, and one hook, may take. */
  readonly testTimeoutMs: number;
  /** Milliseconds after which the suite as a whole is stopped and counts as failed. */
  readonly suiteTimeoutMs: number;
}

const MINUTE_MS = 60_000;

/** In the order in which they run: the quick ones first. */
export const SUITES: readonly Suite[] = [
  {
    name: "architecture",
    runtime: "node",
    serial: false,
    packages: false,
    testTimeoutMs: 20_000,
    suiteTimeoutMs: MINUTE_MS,
  },
  {
    name: "pure",
    runtime: "node",
    serial: false,
    packages: false,
    testTimeoutMs: 20_000,
    suiteTimeoutMs: 2 * MINUTE_MS,
  },
  {
    name: "tools",
    runtime: "node",
    serial: false,
    packages: true,
    testTimeoutMs: 20_000,
    suiteTimeoutMs: 2 * MINUTE_MS,
  },
  {
    name: "contracts",
    runtime: "node",
    serial: false,
    packages: true,
    testTimeoutMs: 60_000,
    suiteTimeoutMs: 5 * MINUTE_MS,
  },
  {
    name: "sidecar",
    runtime: "node",
    serial: false,
    packages: true,
    testTimeoutMs: 30_000,
    suiteTimeoutMs: 6 * MINUTE_MS,
  },
  {
    name: "workerd",
    runtime: "workerd",
    serial: false,
    packages: true,
    testTimeoutMs: 30_000,
    suiteTimeoutMs: 7 * MINUTE_MS,
  },
  {
    name: "start",
    runtime: "node",
    serial: true,
    packages: true,
    testTimeoutMs: 120_000,
    suiteTimeoutMs: 4 * MINUTE_MS,
  },
  {
    name: "whole",
    runtime: "node",
    serial: true,
    packages: true,
    testTimeoutMs: 180_000,
    suiteTimeoutMs: 10 * MINUTE_MS,
  },
];

/** The vitest configuration file for each runtime. */
export const VITEST_CONFIG = { node: "vitest.config.ts", workerd: "vitest.workerd.config.ts" } as const;
