/** Which test runner a project has, by its files, and where the project is. */
import { getOwn } from "../../core/base/own-field.ts";
import { z } from "zod";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { parseJson } from "../../core/base/parse-json.ts";

export const RUNNERS = ["vitest", "npm", "node", "pytest", "mix", "go", "cargo"] as const;
export type RunnerName = (typeof RUNNERS)[number];

/** A project with tests. `directory` is "" at the top. */
export interface Project {
  readonly runner: RunnerName;
  readonly directory: string;
}

/** Files that say that a project begins where they stand. A package.json has to be read. */
const MARKERS: Readonly<Record<string, RunnerName>> = {
  "pytest.ini": "pytest",
  "conftest.py": "pytest",
  "pyproject.toml": "pytest",
  "mix.exs": "mix",
  "go.mod": "go",
  "Cargo.toml": "cargo",
};
/** Which runners take a test file, by the end of its name. */
const LANGUAGES: readonly (readonly [RegExp, readonly RunnerName[]])[] = [
  [/\.py(?:::.*)?$/, ["pytest"]],
  [/\.exs?(?::\d+)?$/, ["mix"]],
  [/\.go$/, ["go"]],
  [/\.rs$/, ["cargo"]],
  [/\.[cm]?[jt]sx?$/, ["vitest", "npm", "node"]],
];
const PYTHON_TEST = /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/;
/** The names of files that node's own runner takes. */
const NODE_TEST = /(?:^|\/)(?:test\/(?:.+\/)?[^/]+|test-[^/]+|test|[^/]+[._-]test)\.[cm]?[jt]s$/;
const VITEST_CONFIG = /^vitest\.config\.[cm]?[jt]s$/;
/** What npm writes into a new package. */
const NO_TESTS_YET = "no test specified";

const packageSchema = z.object({
  scripts: z.object({ test: z.string().optional() }).optional(),
  dependencies: z.record(z.string(), z.unknown()).optional(),
  devDependencies: z.record(z.string(), z.unknown()).optional(),
});

/** The project that a path is in, else the topmost one. `readText` gives the text of a file, null when it has none. */
export async function findProject(
  paths: readonly string[],
  path: string | null,
  readText: (path: string) => Promise<string | null>,
): Promise<Result<Project>> {
  const all = await projectsOf(
    paths.filter((one) => !one.split("/").includes("node_modules")),
    readText,
  );
  const language = path === null ? undefined : LANGUAGES.find(([ending]) => ending.test(path))?.[1];
  const ofLanguage = all.filter(({ runner }) => language?.includes(runner) === true);
  const candidates = ofLanguage.length > 0 ? ofLanguage : all;
  const around = candidates.filter(({ directory }) => directory === "" || path?.startsWith(`${directory}/`) === true);
  const best = path === null ? byDepth(candidates)[0] : (byDepth(around).at(-1) ?? byDepth(candidates)[0]);
  if (best !== undefined) return ok(best);
  return failed(
    "not_found",
    "There is no project with tests here: none of package.json (with vitest or a test script), *.test.js, pytest.ini, pyproject.toml, test_*.py, mix.exs, go.mod and Cargo.toml was found.",
  );
}

/** The topmost first; of one directory, in the order of `RUNNERS`. */
function byDepth(projects: readonly Project[]): readonly Project[] {
  const depthOf = ({ directory }: Project) => (directory === "" ? 0 : directory.split("/").length);
  return projects.toSorted((a, b) => depthOf(a) - depthOf(b) || RUNNERS.indexOf(a.runner) - RUNNERS.indexOf(b.runner));
}

async function projectsOf(
  paths: readonly string[],
  readText: (path: string) => Promise<string | null>,
): Promise<Project[]> {
  const found = new Map<string, Project>();
  const add = (runner: RunnerName, directory: string) => found.set(`${runner} ${directory}`, { runner, directory });
  for (const path of paths) {
    const slash = path.lastIndexOf("/");
    const [directory, name] = [path.slice(0, Math.max(slash, 0)), path.slice(slash + 1)];
    const marked = getOwn(MARKERS, name);
    if (marked !== undefined) add(marked, directory);
    if (VITEST_CONFIG.test(name)) add("vitest", directory);
    if (name === "package.json") {
      const runner = runnerOfPackage(await readText(path));
      if (runner !== null) add(runner, directory);
    }
  }
  const hasPython = [...found.values()].some(({ runner }) => runner === "pytest");
  if (!hasPython && paths.some((path) => PYTHON_TEST.test(path))) add("pytest", "");
  if (found.size === 0 && paths.some((path) => NODE_TEST.test(path))) add("node", "");
  return [...found.values()];
}

function runnerOfPackage(text: string | null): RunnerName | null {
  const parsed = packageSchema.safeParse(parseJson(text ?? ""));
  if (!parsed.success) return null;
  const { scripts, dependencies = {}, devDependencies = {} } = parsed.data;
  if ("vitest" in devDependencies || "vitest" in dependencies) return "vitest";
  const script = scripts?.test;
  return script === undefined || script.includes(NO_TESTS_YET) ? null : "npm";
}
