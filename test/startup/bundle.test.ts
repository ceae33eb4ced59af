/** The Worker's bundle: what every isolate loads. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { projectRoot } from "../../scripts/project-command.ts";

/** Kilobytes (1,024 bytes) in gzip that every new isolate loads: the limit of a Worker with every feature. */
const MAX_START_KIB = 900;

async function bundleWorker() {
  await promisify(execFile)(process.execPath, ["scripts/bundle-worker.mjs"], { cwd: projectRoot });
  return JSON.parse(readFileSync(join(projectRoot, "dist/worker-size.json"), "utf8")) as {
    readonly start_gzip_bytes: number;
    readonly packages: Readonly<Record<string, readonly string[]>>;
  };
}

test("has no client of Composio, whose repeats would act twice, and is not too large", async () => {
  const { packages, start_gzip_bytes: bytes } = await bundleWorker();
  const all = Object.values(packages).flat();
  expect(all).toContain("zod");
  expect(all.filter((name) => name.startsWith("@composio/"))).toEqual([]);
  expect(bytes / 1024).toBeLessThanOrEqual(MAX_START_KIB);
});

test("starts without the code of model providers, which loads with the first call that needs it", async () => {
  const { packages } = await bundleWorker();
  const sdksOf = (entry: string) =>
    packages[entry]?.filter((name) => /^(?:@ai-sdk\/|ai$|@modelcontextprotocol\/)/.test(name));
  expect(packages["workers/index.ts"]).toEqual(expect.arrayContaining(["hono", "zod"]));
  expect(sdksOf("workers/index.ts")).toEqual([]);
  // Otto reads chat completions itself.
  expect(sdksOf("adapters/model/openai/open.ts")).toEqual([]);
  expect(sdksOf("adapters/model/openai/responses.ts")).toContain("@ai-sdk/openai");
  expect(sdksOf("adapters/model/anthropic/open.ts")).toContain("@ai-sdk/anthropic");
});
