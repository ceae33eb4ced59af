/** The Worker's bundle: what every isolate loads, and what loads when it is needed. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { promisify } from "node:util";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { expect, test } from "vitest";
import { listModules } from "../../scripts/supervisor/worker-modules.ts";
import { projectRoot } from "../../scripts/project-command.ts";

/** Kilobytes (1,024 bytes) in gzip that every new isolate loads: the limit of a Worker with every feature. */
const MAX_START_KIB = 900;

let bundled: ReturnType<typeof bundle> | null = null;

/** Bundles once for all tests of this file. */
const bundleWorker = async () => await (bundled ??= bundle());

async function bundle() {
  await promisify(execFile)(process.execPath, ["scripts/bundle-worker.mjs"], { cwd: projectRoot });
  return JSON.parse(readFileSync(join(projectRoot, "dist/worker-size.json"), "utf8")) as {
    readonly start_gzip_bytes: number;
    readonly start_sources: readonly string[];
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

test("starts without the routes of groups, which load with the first request of their paths", async () => {
  const { packages, start_sources: sources } = await bundleWorker();
  expect(sources).toContain("workers/tasks/routes.ts");
  const files = listImports("workers/route-groups/groups.ts", /import\("(\.[^"]+)"\)/g);
  expect(Object.keys(packages)).toEqual(expect.arrayContaining(files));
  const late = files.flatMap((file) =>
    listImports(file, / from "(\.[^"]+)";/g).filter((path) => !path.startsWith("workers/http/")),
  );
  expect(late.length).toBeGreaterThan(40);
  expect(sources.filter((path) => files.includes(path) || late.includes(path))).toEqual([]);
});

/** The files that a source names where the pattern finds them. */
function listImports(file: string, pattern: RegExp): string[] {
  const text = readFileSync(join(projectRoot, file), "utf8");
  return Array.from(text.matchAll(pattern), ([, path = ""]) => posix.join(posix.dirname(file), path));
}

test("loads a group in the runtime for several first requests at once", async () => {
  await bundleWorker();
  const folder = join(projectRoot, "dist/worker");
  const worker = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      telemetry: { enabled: false },
      workers: [
        {
          name: "otto",
          modulesRoot: folder,
          modules: listModules(folder, "index.worker.mjs"),
          compatibilityDate: "2026-11-17",
          compatibilityFlags: ["nodejs_compat"],
          bindings: { OTTO_MODE: "production" },
        },
      ],
    }),
  );
  try {
    const paths = ["/docs", "/openapi.json", "/docs", "/connect/x", "/oauth/mcp/nothing"];
    const answers = await Promise.all(
      paths.map(async (path) => await worker.dispatchFetch(`https://otto.example${path}`)),
    );
    const bodies = await Promise.all(answers.map(async (answer) => await answer.text()));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 503, 404]);
    expect(Object.keys(JSON.parse(bodies[1] ?? "").paths).length).toBeGreaterThan(100);
    expect(bodies[2]).toBe(bodies[0]);
  } finally {
    await worker.dispose();
  }
});
