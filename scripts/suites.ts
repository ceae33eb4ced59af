/** The suites of `npm test`. A test file stands at `test/<suite>/**` and runs in exactly one of them. */

export interface Suite {
  /** The folder below test/, and the project's name in the vitest configuration. */
  readonly name: string;
  /** Where its tests run; each has a vitest configuration of its own, since only one loads the Workers runtime. */
  readonly runtime: "node" | "workerd";
  /** True when its files run one after another. */
  readonly serial: boolean;
  /**
   * The suites of a lane run one after another, and the lanes at the same time. Suites that wait more than they work have
   * lanes of their own: `services` for those of stand-ins and started systems, `browser` for the one that a browser drives.
   */
  readonly lane: "work" | "services" | "browser";
  /**
   * False when its files run in the same few processes, which load what they import once: a file leaves no mock, and makes
   * tenants of its own.
   */
  readonly isolate: boolean;
  /** True when its tests run programs of Debian packages: those of sidecar/packages.txt and test/packages.txt. */
  readonly packages: boolean;
  /**
   * How often a test that failed is tried again (docs/decisions/0051-second-tries.md): 0 where what is tested is a promise, or where a
   * first try leaves a state that a second would pass on.
   */
  readonly retries: number;
  /** Milliseconds that one test, and one hook, may take. */
  readonly testTimeoutMs: number;
  /** Time limit of the whole suite in milliseconds: several times its duration on two quiet cores. */
  readonly suiteTimeoutMs: number;
  /** A module that starts what all its files share. */
  readonly globalSetup?: string;
}

const MINUTE_MS = 60_000;

/** In the order in which they run: the quick ones first. */
export const SUITES: readonly Suite[] = [
  {
    name: "architecture",
    runtime: "node",
    serial: false,
    lane: "work",
    isolate: true,
    packages: false,
    retries: 0,
    testTimeoutMs: 60_000,
    suiteTimeoutMs: 5 * MINUTE_MS,
  },
  {
    name: "unit",
    runtime: "node",
    serial: false,
    lane: "work",
    isolate: false,
    packages: false,
    retries: 0,
    testTimeoutMs: 20_000,
    suiteTimeoutMs: 6 * MINUTE_MS,
  },
  {
    name: "tools",
    runtime: "node",
    serial: false,
    lane: "work",
    isolate: false,
    packages: true,
    retries: 0,
    testTimeoutMs: 20_000,
    suiteTimeoutMs: 6 * MINUTE_MS,
  },
  {
    name: "contracts",
    runtime: "node",
    serial: false,
    lane: "services",
    isolate: false,
    packages: true,
    retries: 0,
    testTimeoutMs: 60_000,
    suiteTimeoutMs: 12 * MINUTE_MS,
  },
  {
    name: "sidecar",
    runtime: "node",
    serial: false,
    lane: "work",
    isolate: true,
    packages: true,
    retries: 1,
    testTimeoutMs: 30_000,
    suiteTimeoutMs: 12 * MINUTE_MS,
  },
  {
    name: "workerd",
    runtime: "workerd",
    serial: false,
    lane: "work",
    isolate: false,
    packages: true,
    retries: 1,
    testTimeoutMs: 30_000,
    suiteTimeoutMs: 20 * MINUTE_MS,
  },
  {
    name: "startup",
    runtime: "node",
    serial: true,
    lane: "services",
    isolate: true,
    packages: true,
    retries: 1,
    testTimeoutMs: 120_000,
    suiteTimeoutMs: 15 * MINUTE_MS,
  },
  {
    name: "system",
    runtime: "node",
    // Each file starts a system of its own, and waits more than it works.
    serial: false,
    lane: "work",
    isolate: true,
    packages: true,
    retries: 0,
    testTimeoutMs: 180_000,
    suiteTimeoutMs: 20 * MINUTE_MS,
    globalSetup: "test/setup/ended-state.ts",
  },
  {
    name: "console",
    runtime: "node",
    // Its files share one system, whose runtime one of them kills.
    serial: true,
    lane: "browser",
    isolate: true,
    packages: true,
    retries: 1,
    testTimeoutMs: 60_000,
    suiteTimeoutMs: 20 * MINUTE_MS,
    globalSetup: "test/setup/console-system.ts",
  },
];

/** The vitest configuration file for each runtime. */
export const VITEST_CONFIG = { node: "vitest.config.ts", workerd: "vitest.workerd.config.ts" } as const;
