/** Who may import whom: the table of docs/architecture.md, as data. */
import { posix } from "node:path";
import { importsOf } from "./syntax.ts";
import { isCode, type SourceFile, type Violation } from "./source-tree.ts";

interface Layer {
  readonly name: string;
  /** The files that the layer holds. The first layer that fits a file is its layer. */
  readonly files: RegExp;
  /** Files of this repository that the layer may import. */
  readonly imports: readonly RegExp[];
  /** Files that it may import as types only. */
  readonly types?: readonly RegExp[];
  /** Packages, each with everything below it; `node:` and `cloudflare:` stand for the runtime's modules. */
  readonly packages: readonly string[];
}

const CORE = /^core\//;
const READERS_OF_ENV = /^adapters\/env\//;
const CATALOGUE = /^tools\/catalogue\.generated\.ts$/;
const OBJECTS = /^durable-objects\//;
/** What objects share. Everything else of an object is in its own room, which mayImportFile adds. */
const SHARED_BY_OBJECTS = /^durable-objects\/base\//;
const WORKERS = /^workers\//;

const VENDOR_SDKS = [
  "@ai-sdk",
  "@electric-sql/pglite",
  "@modelcontextprotocol/client",
  "@neondatabase/serverless",
  "ai",
  "drizzle-orm",
  "eventsource-parser",
  "ipaddr.js",
  "postal-mime",
  "re2js",
  "slack-web-api-client",
  "zod",
];

/** The phases that a task's object runs as the step runner does. */
const OWN_PHASES = /^workers\/own-phases\.ts$/;

const LAYERS: readonly Layer[] = [
  // croner is arithmetic over a pattern: it is given the moment.
  { name: "core", files: CORE, imports: [CORE], packages: ["croner", "zod"] },
  { name: "the catalogue", files: CATALOGUE, imports: [CORE, /^tools\/[^/]+\/[^/]+\.ts$/], packages: [] },
  { name: "tools/define-tool", files: /^tools\/[^/]+\.ts$/, imports: [CORE], packages: ["zod"] },
  // A helper of the tool's own family is added by importViolations, which knows the family.
  {
    name: "a tool",
    files: /^tools\//,
    imports: [CORE, /^tools\/define-tool\.ts$/],
    packages: ["yaml", "zod"],
  },
  { name: "adapters", files: /^adapters\//, imports: [CORE, /^adapters\//], packages: [...VENDOR_SDKS, "cloudflare:"] },
  {
    name: "the object of a task",
    files: /^durable-objects\/task\//,
    imports: [CORE, SHARED_BY_OBJECTS, READERS_OF_ENV, OWN_PHASES],
    packages: ["cloudflare:"],
  },
  {
    name: "durable-objects",
    files: OBJECTS,
    imports: [CORE, SHARED_BY_OBJECTS, READERS_OF_ENV],
    packages: ["cloudflare:"],
  },
  {
    name: "workers/index",
    files: /^workers\/index\.ts$/,
    imports: [CORE, WORKERS, READERS_OF_ENV, OBJECTS],
    packages: ["cloudflare:"],
  },
  {
    name: "the step runner and the rooms of tools",
    files: /^workers\/((steps|(?:model|tool)-phase|own-phases)\.ts$|(custom-tools|mcp|openapi|skills|tools)\/)/,
    imports: [CORE, WORKERS, READERS_OF_ENV, CATALOGUE],
    types: [OBJECTS],
    packages: ["@hono/zod-openapi", "cloudflare:", "hono", "yaml", "zod"],
  },
  {
    name: "what stands for a library in the bundle",
    files: /^workers\/bundle\//,
    imports: [/^workers\/bundle\//, /^node_modules\/zod\/v4\//],
    packages: [],
  },
  {
    name: "workers",
    files: WORKERS,
    // A body of YAML is read by the rules of yaml.parse, whose reader is bounded.
    imports: [CORE, WORKERS, READERS_OF_ENV, /^tools\/yaml\/read-yaml\.ts$/],
    types: [OBJECTS],
    packages: ["@hono/zod-openapi", "cloudflare:", "hono", "yaml", "zod"],
  },
  {
    name: "sidecar",
    files: /^sidecar\//,
    imports: [CORE, /^sidecar\//, /^adapters\/(egress\/address|sidecar\/(?:egress-batch|packet))\.ts$/],
    packages: [
      "@bjorn3/browser_wasi_shim",
      "@expo-google-fonts/noto-emoji",
      "@llamaindex/liteparse",
      "@myriaddreamin/typst-ts-node-compiler",
      "@resvg/resvg-wasm",
      "exifreader",
      "fflate",
      "ipaddr.js",
      "node:",
      "libpg-query",
      "pg",
      "postal-mime",
      "saxen",
      "mdast-util-from-markdown",
      "mdast-util-gfm",
      "mdast-util-math",
      "micromark-extension-gfm",
      "micromark-extension-math",
      "@mozilla/readability",
      "htmlparser2",
      "ssh2",
      "undici",
      "web-tree-sitter",
      "write-excel-file",
      "zod",
    ],
  },
  {
    name: "web",
    files: /^web\//,
    imports: [/^web\//],
    packages: [
      "@tailwindcss/vite",
      "@tanstack/react-query",
      "@tanstack/react-router",
      "@tanstack/react-virtual",
      "@vitejs/plugin-react",
      "diff",
      "eventsource-parser",
      "lucide-react",
      "openapi-fetch",
      "pdfjs-dist",
      "preact",
      "react",
      "react-dom",
      "react-markdown",
      "remark-gfm",
      "vite",
    ],
  },
  {
    name: "what prints the API's document",
    files: /^scripts\/print-api-document\.mjs$/,
    imports: [/^workers\/app\.ts$/],
    packages: ["node:"],
  },
  {
    name: "scripts",
    files: /^scripts\//,
    // What ships in skills/ is read by the rules of what is uploaded. The lists of adapters that it reads import no package.
    imports: [
      /^scripts\//,
      /^core\/(base\/(backoff|errors|ids|own-field|sha256)|ports\/sealed-values|secrets\/(key-ring|worker-secrets)|steps\/drain|tenant\/keys|tool\/(skill-tool|source))\.ts$/,
      /^(core|workers)\/skills\//,
      /^adapters\/(env\/worker-secrets|model\/providers)\.ts$/,
    ],
    // Of Composio's client, the demo apps use the types.
    packages: [
      "@composio/client",
      "@electric-sql/pglite",
      "@electric-sql/pglite-pgvector",
      "@redocly/openapi-core",
      "esbuild",
      "miniflare",
      "node:",
      "oxc-parser",
      "pg",
      "wrangler",
    ],
  },
  {
    name: "bench",
    files: /^bench\//,
    // It starts the system and its mock servers as the drills do; its floors use what they are the floor of. The bench of
    // memory and those of documents and of databases measure their adapters alone, those of code and of databases run the jobs of the sidecar, that of the cage starts cages, the rows of documents and of
    // pages the converters, that of the console a browser. `agents` is a contender that is installed elsewhere, for its counts and times.
    imports: [
      CORE,
      /^bench\//,
      /^adapters\/(database|databases|embeddings|knowledge|memory|vectors)\//,
      /^adapters\/re2\/patterns\.ts$/,
      /^scripts\//,
      /^sidecar\/(cage|code|sql)\//,
      /^adapters\/sidecar\/code\.ts$/,
      /^sidecar\/(documents|web)\//,
      /^test\/(setup|mock-servers|drill)\//,
      /^test\/sidecar\/__fixtures__\/pages\//,
    ],
    packages: ["@ai-sdk/openai", "agents", "ai", "cloudflare:", "esbuild", "miniflare", "node:", "playwright-core"],
  },
];

/** What a package keeps for its own family and may change in any version. */
const INTERNAL = /\/internal(\/|$)/;

/** Code outside every layer: tests may import anything, and the files at the top configure a tool. */
const OUTSIDE_THE_LAYERS = /^test\/|^[^/]+$/;

/** The imports that a layer's allow-list does not hold. `isToolFile` says whether a path declares a tool. */
export function importViolations(files: readonly SourceFile[], isToolFile: (path: string) => boolean): Violation[] {
  const violations: Violation[] = [];
  for (const file of files) {
    if (!/\.(ts|tsx|mts|js|mjs)$/.test(file.path) || OUTSIDE_THE_LAYERS.test(file.path)) continue;
    const layer = LAYERS.find(({ files: pattern }) => pattern.test(file.path));
    if (!layer) {
      violations.push({ path: file.path, message: "belongs to no layer; add its folder to the layers" });
      continue;
    }
    for (const { specifier, typeOnly, line } of importsOf(file)) {
      const allowed = specifier.startsWith(".")
        ? mayImportFile(layer, file.path, posix.join(posix.dirname(file.path), specifier), typeOnly, isToolFile)
        : layer.packages.some((name) => coversPackage(name, specifier)) && !INTERNAL.test(specifier);
      if (!allowed) {
        const what = specifier === "" ? "a computed path" : specifier;
        const how = typeOnly ? "import the type of" : "import";
        violations.push({ path: file.path, line, message: `${layer.name} may not ${how} ${what}` });
      }
    }
  }
  return violations;
}

function mayImportFile(
  layer: Layer,
  from: string,
  target: string,
  typeOnly: boolean,
  isToolFile: (path: string) => boolean,
): boolean {
  if (layer.imports.some((pattern) => pattern.test(target))) return true;
  if (typeOnly && layer.types?.some((pattern) => pattern.test(target))) return true;
  const isSibling = posix.dirname(from) === posix.dirname(target);
  if (OBJECTS.test(from)) return isSibling;
  return layer.name === "a tool" && isSibling && !isToolFile(target);
}

/** `zod` covers `zod` and `zod/v4`; `node:` covers every module of Node. */
function coversPackage(name: string, specifier: string): boolean {
  return name.endsWith(":") ? specifier.startsWith(name) : specifier === name || specifier.startsWith(`${name}/`);
}

/** The files of a tree that some layer holds; the rule is empty when this is. */
export function layeredFiles(files: readonly SourceFile[]): SourceFile[] {
  return files.filter(({ path }) => isCode(path) && LAYERS.some(({ files: pattern }) => pattern.test(path)));
}
