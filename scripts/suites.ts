/** The suites of `npm test`. A test file stands at `test/<suite>/**`; some run again in a suite with other settings. */

export interface Suite {
  /** The folder below test/, and the project's name in the vitest configuration. */
  readonly name: string;
  /** Where its tests run; each has a vitest configuration of its own, since only one loads the Workers runtime. */
  readonly runtime: "node" | "workerd";
  /** True when its files run one after another. */
  readonly serial: boolean;
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
  /** Time limit of the whole suite in milliseconds: several times its duration on two quiet cores. Other suites run at the same time. */
  readonly suiteTimeoutMs: number;
  /** The folder below test/ whose files it runs again; absent: its own name. */
  readonly repeats?: string;
  /** Variables of the Worker in which it differs from wrangler.toml. Absent: none. */
  readonly variables?: Readonly<Record<string, string>>;
  /** A module that starts what all its files share. */
  readonly globalSetup?: string;
}

const MINUTE_MS = 60_000;

const USUAL = {
  runtime: "node",
  serial: false,
  isolate: true,
  packages: true,
  retries: 0,
  testTimeoutMs: MINUTE_MS,
  suiteTimeoutMs: 30 * MINUTE_MS,
} as const;

/**
 * In the order in which they start, each when one before it has ended: first those that take longest. `system`, whose tests have no
 * second try, begins when most of `workerd` is done; both compute the most, and make each other's tests late.
 */
export const SUITES: readonly Suite[] = [
  {
    ...USUAL,
    name: "workerd",
    runtime: "workerd",
    isolate: false,
    retries: 1,
    testTimeoutMs: 30_000,
    suiteTimeoutMs: 50 * MINUTE_MS,
  },
  // Its files share one system, whose runtime one of them kills.
  {
    ...USUAL,
    name: "console",
    serial: true,
    retries: 1,
    globalSetup: "test/setup/console-system.ts",
  },
  {
    ...USUAL,
    name: "startup",
    serial: true,
    retries: 1,
    testTimeoutMs: 2 * MINUTE_MS,
    globalSetup: "test/setup/ended-state.ts",
  },
  { ...USUAL, name: "contracts", isolate: false },
  // Most files start a system of their own, and wait more than they work.
  { ...USUAL, name: "system", testTimeoutMs: 3 * MINUTE_MS, globalSetup: "test/setup/shared-system.ts" },
  { ...USUAL, name: "sidecar", retries: 1, testTimeoutMs: 30_000 },
  // The engine with its model phase in the step runner (docs/decisions/0129-model-phase-in-the-object.md).
  {
    ...USUAL,
    name: "runner-phases",
    repeats: "workerd/task",
    variables: { OTTO_MODEL_PHASE: "runner" },
    runtime: "workerd",
    isolate: false,
    retries: 1,
    testTimeoutMs: 30_000,
  },
  { ...USUAL, name: "unit", isolate: false, packages: false, suiteTimeoutMs: 10 * MINUTE_MS },
  { ...USUAL, name: "tools", isolate: false, suiteTimeoutMs: 10 * MINUTE_MS },
  // Its files share one reading and one parse of the tree.
  { ...USUAL, name: "architecture", serial: true, isolate: false, packages: false, suiteTimeoutMs: 5 * MINUTE_MS },
];

/** The vitest configuration file for each runtime. */
export const VITEST_CONFIG = { node: "vitest.config.ts", workerd: "vitest.workerd.config.ts" } as const;
