/** What a page of the documentation may name: files, npm scripts, routes of the API. Decisions are dated and may name what was. */
import { posix } from "node:path";
import { lineAt, type SourceFile, type Violation } from "./source-tree.ts";

/** Pages that say how things are today. */
export function findPages(files: readonly SourceFile[]): SourceFile[] {
  return files.filter(
    ({ path }) =>
      path.endsWith(".md") &&
      !/^docs\/decisions\/|^skills\/[^/]+\/|\/__fixtures__\/|^\.github\//.test(path) &&
      // Generated from the tools, whose texts name files of users.
      !["CHANGELOG.md", "docs/tools.md"].includes(path),
  );
}

const FILE = /`((?:[\w.-]+\/)*[\w.-]+\.(?:ts|tsx|mjs|sql|toml|md)|(?:[\w.-]+\/)+)`/g;
const LINK = /\]\((?!https?:)([^)#\s]+)(?:#[^)]*)?\)/g;
/** A page named in plain text. */
const PAGE = /(?<![\w`/.])docs\/[\w-]+\.md\b/g;
const DECISION = /\bdecisions? (\d{4})\b|\bdocs\/decisions\/(\d{4})/g;

/** Files, folders and decisions that a page names and that are not there. A path is from the root, or from the page's own folder. */
export function missingFiles(pages: readonly SourceFile[], files: readonly SourceFile[]): Violation[] {
  const paths = files.map(({ path }) => path);
  const known = new Set(paths.flatMap((path) => [path, ...foldersOf(path)]));
  const names = new Set(paths.map((path) => posix.basename(path)));
  const isThere = (page: string, name: string): boolean => {
    const folder = posix.dirname(page);
    const from = folder === "." ? ["", "web/src"] : ["", folder, `${folder}/src`, "web/src"];
    const hasFolder = name.replace(/\/$/, "").includes("/");
    return (
      from.some((start) => known.has(posix.join(start, name).replace(/\/$/, ""))) || (!hasFolder && names.has(name))
    );
  };
  return pages.flatMap((page) => {
    const named = [...page.text.matchAll(FILE)].filter(([, name = ""]) => isOfProject(name));
    const linked = [...page.text.matchAll(LINK)].filter(([, name = ""]) => !known.has(resolveLink(page.path, name)));
    const mentioned = [...page.text.matchAll(PAGE)].filter(([name]) => !known.has(name));
    const decided = [...page.text.matchAll(DECISION)].filter(
      ([, short, long]) => !paths.some((path) => path.startsWith(`docs/decisions/${short ?? long}-`)),
    );
    const gone = [...named.filter(([, name = ""]) => !isThere(page.path, name)), ...linked, ...mentioned, ...decided];
    return gone.map((match) => violation(page, match, `${match[0]} is not there`));
  });
}

/** Only a name with a folder of the repository, or a source file: a page also names files of users and of a running system. */
function isOfProject(name: string): boolean {
  return /^(adapters|bench|core|docs|durable-objects|migrations|scripts|sidecar|skills|test|tools|web|workers)\//.test(
    name,
  )
    ? !name.startsWith("tools/a/")
    : /\.(ts|tsx|mjs|sql|toml)$/.test(name) && !name.startsWith("../") && !/^[a-z]\//.test(name);
}

function foldersOf(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

function resolveLink(page: string, name: string): string {
  return posix.join(posix.dirname(page), name).replace(/\/$/, "");
}

/** npm scripts that a page names and that package.json has not. */
export function unknownScripts(pages: readonly SourceFile[], scripts: readonly string[]): Violation[] {
  return pages.flatMap((page) =>
    [...page.text.matchAll(/\bnpm run ([a-z:-]*[a-z])/g)]
      .filter(([, name = ""]) => !scripts.includes(name))
      .map((match) => violation(page, match, `there is no script ${match[1]}`)),
  );
}

/** A route as a page writes it, with its method where that stands before it. */
const ROUTE =
  /(?:\b(GET|POST|PUT|DELETE|PATCH) )?(?:\$(?:OTTO|API)|https:\/\/otto\.example\.com)?(\/v1\/[\w/{}$.…*-]*[\w}])/g;

/** Routes that a page names and that the API has not. `types` are the generated types of the API. */
export function unknownRoutes(pages: readonly SourceFile[], types: string): Violation[] {
  const parts = types.split(/^ +"(\/[^"]*)": \{$/m).slice(1);
  const routes = parts.flatMap((path, index) =>
    index % 2 === 0 ? [{ pattern: routePattern(path), methods: methodsIn(parts[index + 1] ?? "") }] : [],
  );
  return pages.flatMap((page) =>
    [...page.text.matchAll(ROUTE)]
      .filter(
        ([, method, path = ""]) =>
          !routes.some(
            ({ pattern, methods }) => pattern.test(path) && (method === undefined || methods.has(method.toLowerCase())),
          ),
      )
      .map((match) => violation(page, match, `the API has no route ${match[0]}`)),
  );
}

function routePattern(path: string): RegExp {
  const literal = path.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${literal.replaceAll(/\{[^}]*\}/g, "[^/]+")}$`);
}

function methodsIn(block: string): ReadonlySet<string> {
  return new Set([...block.matchAll(/^ +(get|post|put|delete|patch): (?!never)/gm)].map(([, method = ""]) => method));
}

/** The first cells of a table's rows below a heading or a header row that matches, without their backticks. */
export function firstCells(page: SourceFile, header: RegExp): string[] {
  const lines = page.text.split("\n");
  const at = lines.findIndex((line) => header.test(line));
  const end = lines.findIndex((line, index) => index > at + 1 && !line.startsWith("|"));
  const rows = at < 0 ? [] : lines.slice(at + 2, end < 0 ? undefined : end);
  return rows.map((row) => (row.split("|")[1] ?? "").trim().replaceAll("`", ""));
}

function violation({ path, text }: SourceFile, { index }: RegExpExecArray, message: string): Violation {
  return { path, line: lineAt(text, index), message };
}
