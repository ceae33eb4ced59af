import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { defineConfig } from "vitest/config";
import { SUITES } from "./scripts/suites.ts";
import "./test/setup/provided-context.ts";

// The runtime trusts what this names when it is loaded, beside what browsers trust: the stand-ins' own certificates.
process.env["NODE_EXTRA_CA_CERTS"] = resolve("test/stand-ins/certificates.pem");
const { cloudflareTest } = await import("@cloudflare/vitest-plugin");

/** The suites that run inside workerd, on the Worker of wrangler.toml with its variables set for tests. */
export default defineConfig({
  test: {
    allowOnly: false,
    passWithNoTests: false,
    // On two cores vitest would take one; much of a test's time here is waiting.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // An object that a test aborts reports its own reset; every other stray error fails the run.
    onUnhandledError(error) {
      return "durableObjectReset" in error && error.durableObjectReset === true ? false : undefined;
    },
    projects: SUITES.filter(({ runtime }) => runtime === "workerd").map(
      ({ name, serial, isolate, retries, testTimeoutMs }) => ({
        plugins: [
          cloudflareTest(({ inject }) => ({
            main: "./test/workerd/worker.ts",
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: { bindings: { ...inject("servers").variables } },
          })),
        ],
        test: {
          name,
          include: [`test/${name}/**/*.test.ts`],
          globalSetup: ["./test/setup/workerd-servers.ts"],
          setupFiles: ["./test/setup/undo-mocks.ts", "./test/workerd/own-process.ts"],
          isolate,
          fileParallelism: !serial,
          retry: retries,
          testTimeout: testTimeoutMs,
          hookTimeout: testTimeoutMs,
          restoreMocks: true,
          unstubGlobals: true,
        },
      }),
    ),
  },
});
