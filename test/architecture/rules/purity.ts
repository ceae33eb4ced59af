/** What code may not reach for by itself: the clock, chance and the network in core; bindings outside their readers. */
import { freeName, nodesOf, type Visited } from "./syntax.ts";
import { isCode, lineAt, type SourceFile, type Violation } from "./source-tree.ts";

const READERS_OF_ENV = "adapters/env/";
/**
 * The files that call `fetch` themselves, each for an address that an operator set. Every other URL goes through the egress
 * module, which reaches its sidecar by one of them.
 */
const FETCHERS: readonly string[] = [
  "adapters/composio/request.ts",
  "adapters/database/connection.ts",
  "adapters/embeddings/openai.ts",
  // The bridge of a local system.
  "adapters/database/health.ts",
  "adapters/mail/resend.ts",
  "adapters/model/guarded-fetch.ts",
  "adapters/search/engine.ts",
  "adapters/slack/reach.ts",
  "adapters/sidecar/sidecar.ts",
];

const WORKER_CODE = /^(tools|adapters|durable-objects|workers)\//;

/** Globals that core is given as ports, or has no business with. */
const NOT_IN_CORE = new Set(["fetch", "process", "env", "performance"]);

/** Uses of the clock, of chance, of the network and of the environment in core. */
export function impurities(files: readonly SourceFile[]): Violation[] {
  return files
    .filter(({ path }) => path.startsWith("core/") && isCode(path))
    .flatMap((file) =>
      nodesOf(file).flatMap((visited) => {
        const what = impurity(visited);
        const line = lineAt(file.text, visited.node.start);
        return what
          ? [{ path: file.path, line, message: `core may not use ${what}; it is given a port or \`now\`` }]
          : [];
      }),
    );
}

function impurity(visited: Visited): string | null {
  const { node } = visited;
  if (node.type === "NewExpression" && node.callee.type === "Identifier" && node.callee.name === "Date") {
    return node.arguments.length === 0 ? "new Date() without an argument" : null;
  }
  if (node.type === "CallExpression" && node.callee.type === "Identifier" && node.callee.name === "Date") {
    return "Date()";
  }
  if (node.type === "MemberExpression" && node.object.type === "Identifier") {
    const member = `${node.object.name}.${memberName(node)}`;
    const banned = ["Date.now", "Math.random", "crypto.randomUUID", "crypto.getRandomValues", "globalThis.fetch"];
    if (banned.includes(member)) return member;
  }
  const name = freeName(visited);
  return name !== null && NOT_IN_CORE.has(name) ? name : null;
}

function memberName(node: Extract<Visited["node"], { type: "MemberExpression" }>): string {
  if (node.property.type === "Literal") return String(node.property.value);
  return !node.computed && node.property.type === "Identifier" ? node.property.name : "";
}

/** Uses of the global `fetch` in the Worker's code outside its few places. Objects and services have methods of that name. */
export function strayFetches(files: readonly SourceFile[]): Violation[] {
  return files
    .filter(({ path }) => WORKER_CODE.test(path) && !FETCHERS.includes(path) && isCode(path))
    .flatMap((file) =>
      nodesOf(file)
        .filter((visited) => freeName(visited) === "fetch" || isGlobalFetch(visited))
        .map(({ node }) => ({
          path: file.path,
          line: lineAt(file.text, node.start),
          message: `only ${FETCHERS.join(", ")} use fetch; a URL of a tenant or a model goes through the web port`,
        })),
    );
}

function isGlobalFetch({ node }: Visited): boolean {
  if (node.type !== "MemberExpression" || memberName(node) !== "fetch") return false;
  return node.object.type === "Identifier" && ["globalThis", "self"].includes(node.object.name);
}

/**
 * Readings of a binding or variable outside its readers. Handing `env` over whole is no reading:
 * a route and an object's constructor do that.
 */
export function envReadings(files: readonly SourceFile[]): Violation[] {
  return files
    .filter(({ path }) => WORKER_CODE.test(path) && !path.startsWith(READERS_OF_ENV) && isCode(path))
    .flatMap((file) =>
      nodesOf(file)
        .filter(readsEnv)
        .map(({ node }) => ({
          path: file.path,
          line: lineAt(file.text, node.start),
          message: `only files in ${READERS_OF_ENV} read bindings and variables; hand it env whole`,
        })),
    );
}

function readsEnv(visited: Visited): boolean {
  const { node } = visited;
  if (node.type === "MemberExpression") return isEnv(node.object);
  if (node.type === "VariableDeclarator")
    return node.id.type === "ObjectPattern" && node.init !== null && isEnv(node.init);
  if (node.type === "ImportSpecifier") {
    const { parent } = visited;
    const fromRuntime = parent?.type === "ImportDeclaration" && parent.source.value === "cloudflare:workers";
    return fromRuntime && node.imported.type === "Identifier" && node.imported.name === "env";
  }
  return freeName(visited) === "process";
}

/** `env` itself, or a member called so: `c.env`, `this.env`. */
function isEnv(node: Visited["node"]): boolean {
  if (node.type === "Identifier") return node.name === "env";
  return node.type === "MemberExpression" && memberName(node) === "env";
}
