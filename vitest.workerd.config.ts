import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { defineConfig, type Plugin } from "vitest/config";
import { SUITES } from "./scripts/suites.ts";
import "./test/setup/provided-context.ts";

// The runtime trusts what this names when it is loaded, beside what browsers trust: the mock servers' own certificates.
process.env["NODE_EXTRA_CA_CERTS"] = resolve("test/mock-servers/certificates.pem");
const { cloudflareTest } = await import("@cloudflare/vitest-plugin");

/**
 * Imports statically what the product imports when it is needed. The pool's loader shares one load among requests, and workerd cancels a
 * request that waits for another one's. The bundle has workerd's own loader: `test/system` runs it.
 */
const importsStatically: Plugin = {
  name: "static imports",
  enforce: "pre",
  transform(code) {
    const specifiers: string[] = [];
    const changed = code.replace(/\bawait import\("(\.[^"]+\.ts)"\)/g, (_, specifier: string) => {
      return `imported${specifiers.push(specifier)}`;
    });
    if (specifiers.length === 0) return null;
    const lines = specifiers.map((specifier, index) => `import * as imported${index + 1} from "${specifier}";`);
    return { code: lines.join(" ") + changed, map: null };
  },
};

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
      ({ name, repeats = name, variables = {}, serial, isolate, retries, testTimeoutMs }) => ({
        plugins: [
          importsStatically,
          cloudflareTest(({ inject }) => ({
            main: "./test/workerd/worker.ts",
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: { bindings: { ...inject("servers").variables, ...variables } },
          })),
        ],
        test: {
          name,
          include: [`test/${repeats}/**/*.test.ts`],
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
