import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { SUITES } from "./scripts/suites.ts";

/** Files that take half a minute or more; vitest knows no times where it has not run before, and begins with the largest files. */
const LONGEST = [
  "test/contracts/mcp/conformance.test.ts",
  "test/contracts/mcp/hostile.test.ts",
  "test/sidecar/documents/fuzz.test.ts",
  "test/sidecar/documents/hostile-ingest.test.ts",
  "test/sidecar/documents/kinds.test.ts",
  "test/sidecar/mcp/mcp.test.ts",
  "test/system/accounts-tour.test.ts",
  "test/system/drill-short.test.ts",
  "test/system/engine-short.test.ts",
  "test/system/sidecar-deaths.test.ts",
  "test/system/slack-work.test.ts",
];

/** What takes longest begins first, so that it does not run on alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.some((path) => moduleId.endsWith(path));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** The suites that run in Node; vitest.workerd.config.ts holds the ones that run in the Workers runtime. */
export default defineConfig({
  test: {
    allowOnly: false,
    // A suite without a test is a failure: see scripts/test-report.ts.
    passWithNoTests: false,
    // On two cores vitest would take one; many tests here wait for processes and servers.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    projects: SUITES.filter(({ runtime }) => runtime === "node").map(
      ({ name, serial, isolate, retries, testTimeoutMs, globalSetup }) => ({
        test: {
          name,
          include: [`test/${name}/**/*.test.ts`],
          environment: "node",
          globalSetup: ["test/leave-nothing.ts", ...(globalSetup === undefined ? [] : [globalSetup])],
          setupFiles: ["test/setup/undo-mocks.ts"],
          isolate,
          fileParallelism: !serial,
          retry: retries,
          testTimeout: testTimeoutMs,
          hookTimeout: testTimeoutMs,
          restoreMocks: true,
          unstubEnvs: true,
          unstubGlobals: true,
        },
      }),
    ),
  },
});
