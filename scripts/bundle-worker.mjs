/**
 * Bundles the Worker into `dist/worker`: `[build]` of wrangler.toml runs it before wrangler reads that folder. What is
 * imported when it is needed (`import()`) becomes a file of its own, so that a new isolate starts with less. JavaScript,
 * because wrangler runs it with the first Node on the path.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "dist/worker");
/** Outside the folder, because wrangler uploads its files. Read by scripts/deploy/judge-size.ts. */
const sizeFile = join(root, "dist/worker-size.json");

/** What takes the place of a package: see workers/bundle. */
const REPLACED = { "@neondatabase/serverless": "workers/bundle/neon.ts" };

/**
 * Zod's messages in fifty languages: 55 KiB of gzip that nothing here uses. A library passes zod's whole namespace on, so
 * the bundler cannot see that. The file is found by the package's public path to it.
 */
const zodLocales = fileURLToPath(import.meta.resolve("zod/v4/locales"));
const ENGLISH_ALONE = 'export { default as en } from "zod/v4/locales/en.js";';

const { outputFiles, metafile } = await build({
  absWorkingDir: root,
  entryPoints: ["workers/index.ts"],
  outdir: folder,
  outExtension: { ".js": ".worker.mjs" },
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2024",
  platform: "neutral",
  conditions: ["workerd", "worker", "browser"],
  mainFields: ["browser", "module", "main"],
  external: ["node:*", "cloudflare:*"],
  // Two thirds of the size. In the cloud, stack traces are mapped back to the source. No code asks a function for its name.
  minify: true,
  sourcemap: true,
  define: { "process.env.NODE_ENV": '"production"' },
  plugins: [
    {
      name: "replaced packages",
      setup(bundling) {
        bundling.onResolve({ filter: /^[@a-z]/ }, ({ path }) =>
          Object.hasOwn(REPLACED, path) ? { path: join(root, REPLACED[path]) } : null,
        );
        bundling.onLoad({ filter: /index\.js$/ }, ({ path }) =>
          path === zodLocales ? { contents: ENGLISH_ALONE, resolveDir: root } : null,
        );
      },
    },
  ],
  metafile: true,
  write: false,
  logLevel: "warning",
});

mkdirSync(folder, { recursive: true });
for (const { path, contents } of outputFiles) keep(path, contents);
const written = new Set(outputFiles.map(({ path }) => basename(path)));
for (const name of readdirSync(folder)) {
  if (!written.has(name) && !name.endsWith(".new")) rmSync(join(folder, name), { force: true });
}
keep(
  sizeFile,
  Buffer.from(
    JSON.stringify({
      start_gzip_bytes: gzipBytes(filesOf("workers/index.ts")),
      start_sources: sourcesOf(filesOf("workers/index.ts")).filter((path) => path.startsWith("workers/")),
      packages: packagesByEntry(),
    }),
  ),
);

/** Several starts may bundle the same sources at once: a file is replaced whole, and only by other contents. */
function keep(path, contents) {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  const next = `${path}.${process.pid}.new`;
  writeFileSync(next, contents);
  renameSync(next, path);
}

/** The files that load with a source file: every isolate's start, or what is imported when it is needed. */
function filesOf(entry) {
  const { outputs } = metafile;
  const loaded = new Set(Object.keys(outputs).filter((name) => outputs[name].entryPoint === entry));
  for (const name of loaded) {
    for (const { path, kind } of outputs[name].imports) {
      if (kind === "import-statement" && path in outputs) loaded.add(path);
    }
  }
  return [...loaded];
}

function gzipBytes(names) {
  return names.reduce((sum, name) => sum + gzipSync(readFileSync(join(root, name))).length, 0);
}

/** The packages that load with each entry. */
function packagesByEntry() {
  const entries = Object.values(metafile.outputs).flatMap(({ entryPoint }) => entryPoint ?? []);
  return Object.fromEntries(entries.map((entry) => [entry, packagesOf(filesOf(entry))]));
}

/** The sources with code in these files. */
function sourcesOf(names) {
  return names.flatMap((name) =>
    Object.entries(metafile.outputs[name].inputs).flatMap(([path, { bytesInOutput }]) =>
      bytesInOutput > 0 ? [path] : [],
    ),
  );
}

/** The packages with code in these files. */
function packagesOf(names) {
  const packages = sourcesOf(names).map((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
  return [...new Set(packages.filter((name) => name !== undefined))];
}
