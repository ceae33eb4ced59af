import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { SUITES } from "./scripts/suites.ts";

/** The suites that run in Node; vitest.workerd.config.ts holds the ones that run in the Workers runtime. */
export default defineConfig({
  test: {
    allowOnly: false,
    // A suite without a test is a failure: see scripts/test-report.ts.
    passWithNoTests: false,
    // On two cores vitest would take one; many tests here wait for processes and servers.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: SUITES.filter(({ runtime }) => runtime === "node").map(({ name, serial, testTimeoutMs }) => ({
      test: {
        name,
        include: [`test/${name}/**/*.test.ts`],
        environment: "node",
        globalSetup: ["test/leave-nothing.ts"],
        fileParallelism: !serial,
        testTimeout: testTimeoutMs,
        hookTimeout: testTimeoutMs,
        restoreMocks: true,
        unstubEnvs: true,
        unstubGlobals: true,
      },
    })),
  },
});
