/** The Worker's bundle: what every isolate loads. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { projectRoot } from "../../scripts/project-command.ts";

test("starts without the code of model providers, which loads with the first call that needs it", async () => {
  await promisify(execFile)(process.execPath, ["scripts/bundle-worker.mjs"], { cwd: projectRoot });
  const { packages } = JSON.parse(readFileSync(join(projectRoot, "dist/worker-size.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, readonly string[]>>;
  };
  const sdksOf = (entry: string) =>
    packages[entry]?.filter((name) => /^(?:@ai-sdk\/|ai$|@modelcontextprotocol\/)/.test(name));
  expect(packages["workers/index.ts"]).toEqual(expect.arrayContaining(["hono", "zod"]));
  expect(sdksOf("workers/index.ts")).toEqual([]);
  // Otto reads chat completions itself.
  expect(sdksOf("adapters/model/openai/open.ts")).toEqual([]);
  expect(sdksOf("adapters/model/openai/responses.ts")).toContain("@ai-sdk/openai");
  expect(sdksOf("adapters/model/anthropic/open.ts")).toContain("@ai-sdk/anthropic");
});
