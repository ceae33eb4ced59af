/** The lists of the documentation, held against what they list. */
import { describe, expect, test } from "vitest";
import { MAX_RUN_CALLS } from "../../core/base/call-budget.ts";
import { MAX_CALLS_PER_STEP } from "../../core/steps/prepare.ts";
import { SECRET_NAMES } from "../../adapters/env/worker-secrets.ts";
import { STATE_VERSION } from "../../core/task/state.ts";
import { MAX_PARTS, PART_SIZE } from "../../core/sweep/wake-overdue.ts";
import { SUITES } from "../../scripts/suites.ts";
import { findPages, firstCells, missingFiles, unknownRoutes, unknownScripts } from "./rules/docs.ts";
import { show, type SourceFile } from "./rules/source-tree.ts";
import { tree } from "./tree.ts";

const pages = findPages(tree);

function fileAt(path: string): SourceFile {
  const found = tree.find((file) => file.path === path);
  if (found === undefined) throw new Error(`${path} is not there`);
  return found;
}

/** The only file that holds a text: a page that lists what is in it need not know where it is. */
function fileWith(text: string, folder: string): SourceFile {
  const found = tree.filter((file) => file.path.startsWith(folder) && file.text.includes(text));
  if (found.length !== 1) throw new Error(`${found.length} files of ${folder} have ${text}`);
  return found[0] as SourceFile;
}

const matches = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = ""]) => name);
const unique = (names: readonly string[]): string[] => [...new Set(names)].toSorted();
const filesIn = (folder: RegExp): string[] => tree.map(({ path }) => path).filter((path) => folder.test(path));

describe("every page", () => {
  test("names files, folders and decisions that are there", () => {
    expect(pages.length).toBeGreaterThan(10);
    expect(show(missingFiles(pages, tree))).toEqual([]);
  });

  test("names npm scripts that there are, and every script is named", () => {
    const { scripts } = JSON.parse(fileAt("package.json").text) as { scripts: Record<string, string> };
    const names = Object.keys(scripts);
    expect(show(unknownScripts(pages, names))).toEqual([]);
    const text = pages.map((page) => page.text).join("\n");
    expect(names.filter((name) => !new RegExp(`npm (run )?${name}\\b`).test(text))).toEqual([]);
  });

  test("names routes that the API has", () => {
    const types = fileWith("export interface paths", "web/src/");
    expect(show(unknownRoutes(pages, types.text))).toEqual([]);
  });
});

describe("a planted mistake is found", () => {
  const page = (text: string): SourceFile => ({ path: "docs/a.md", text });

  test.each([
    "`core/gone.ts`",
    "`gone.ts`",
    "`core/gone/`",
    "[there](gone.md)",
    "see docs/gone.md",
    "see decision 9999",
    "docs/decisions/9999-gone.md",
  ])("the file %s", (text) => {
    expect(missingFiles([page(text)], tree)).toHaveLength(1);
  });

  test.each(["`package.json`", "`report.md`", "`.otto/dev-key`", "[there](glossary.md)", "see decision 0001"])(
    "and %s is allowed",
    (text) => {
      expect(show(missingFiles([page(text)], tree))).toEqual([]);
    },
  );

  const types = '  "/v1/tasks/{id}": {\n    get: Task;\n    put?: never;\n  };\n';

  test.each([
    ["/v1/jobs", 1],
    ["DELETE /v1/tasks/{id}", 1],
    ["PUT /v1/tasks/{id}", 1],
    ["GET /v1/tasks/$TASK", 0],
    ["/v1/tasks/task_1", 0],
  ])("the route %s: %i", (text, count) => {
    expect(unknownRoutes([page(text)], types)).toHaveLength(count);
  });

  test("the script", () => {
    expect(unknownScripts([page("npm run gone")], ["bench"])).toHaveLength(1);
  });
});

describe("a list names exactly what there is", () => {
  /** The tests of a deployment hold its own table; these three are set by the supervisor or by nobody but the operator. */
  const NOT_OF_README = ["OTTO_MODE", "OTTO_DATABASE_ENDPOINT", "OTTO_OPERATOR_KEY_HASH"];

  test("README.md: the variables", () => {
    const env = fileWith("export interface Env ", "adapters/").text;
    const supervisor = tree.filter(({ path }) => path.startsWith("scripts/supervisor/")).map(({ text }) => text);
    const read = [
      ...matches(env, /readonly ([A-Z_]+)\?: string;/g),
      ...SECRET_NAMES,
      ...supervisor.flatMap((text) => matches(text, /\benv\["([A-Z_]+)"\]/g)),
    ];
    // The supervisor hands its parts their settings in OTTO_RUNTIME.
    const wanted = read.filter((name) => !NOT_OF_README.includes(name) && name !== "OTTO_RUNTIME");
    const named = firstCells(fileAt("README.md"), /^\| variable \|/).flatMap((cell) => cell.split(", "));
    // That each of them is read, `readme-tour.test.ts` shows on the started system.
    expect(unique(wanted).filter((name) => !named.includes(name))).toEqual([]);
    for (const name of NOT_OF_README) expect(fileAt("docs/deploy.md").text).toContain(name);
  });

  test("README.md: the folders", () => {
    const folders = matches(fileAt("README.md").text.split("\n## Map\n")[1] ?? "", /`([\w.-]+)\/`/g);
    const tops = tree.filter(({ path }) => path.includes("/")).map(({ path }) => path.split("/")[0] ?? "");
    expect(folders).toEqual(expect.arrayContaining(unique(tops)));
  });

  test("docs/architecture.md: the classes of objects", () => {
    const classes = matches(fileAt("wrangler.toml").text, /^class_name = "(\w+)"/gm);
    const named = firstCells(fileAt("docs/architecture.md"), /^\| unit \|/).filter((cell) => cell.endsWith("Object"));
    expect(unique(named)).toEqual(unique(classes));
  });

  test("docs/storage-schema.md: the tables", () => {
    const sections = new Map(
      fileAt("docs/storage-schema.md")
        .text.split(/^## /m)
        .slice(1)
        .map((section) => [section.split("\n")[0] ?? "", section]),
    );
    const headings = (name: string) =>
      matches(sections.get(name) ?? "", /^### (.+)$/gm).flatMap((heading) => heading.split(", "));
    const rows = (name: string) => matches(sections.get(name) ?? "", /^\| `(\w+)` \|/gm);
    const made = (files: readonly SourceFile[]) =>
      unique(files.flatMap(({ text }) => matches(text, /create table (?:if not exists )?(\w+)/gi)));
    const migrations = tree.filter(({ path }) => path.startsWith("migrations/"));
    const objects = (first: string) => made([fileWith(`CREATE TABLE IF NOT EXISTS ${first}`, "durable-objects/")]);
    expect(unique(headings("Postgres"))).toEqual(made(migrations));
    expect(unique(headings("TenantObject"))).toEqual(objects("kept_summaries"));
    expect(unique(headings("TaskObject"))).toEqual(objects("steps"));
    expect(unique(rows("SandboxObject"))).toEqual(objects("directories"));
    expect(unique(rows("InboxObject"))).toEqual(objects("lanes"));
    expect(unique(rows("OutboxObject"))).toEqual(objects("stand_ins"));
    expect(unique(rows("ScheduleObject"))).toEqual(objects("occurrences"));
  });

  test("docs/bench.md: the sections and the rows", () => {
    const rows = tree.filter(({ path }) => path.startsWith("bench/rows/"));
    const sections = rows.flatMap(({ text }) => matches(text, /^ {2}name: "([\w-]+)",$/gm));
    const page = fileAt("docs/bench.md");
    const named = firstCells(page, /^\| section \|/).flatMap((cell) => cell.split(", "));
    expect(unique(named)).toEqual(unique(sections));
    const labels = rows.flatMap(({ text }) => matches(text, /\blabel:\s*["`]([^"`]+)["`]/g));
    expect(firstCells(page, /^\| \| Otto \|/)).toHaveLength(labels.length);
  });

  test("CONTRIBUTING.md: the suites", () => {
    const named = firstCells(fileAt("CONTRIBUTING.md"), /^\| suite \|/);
    expect(named.toSorted()).toEqual(SUITES.map(({ name }) => name).toSorted());
  });

  test("test/drill/README.md: the drills, their groups and the options", () => {
    const page = fileAt("test/drill/README.md");
    const drills = filesIn(/^test\/drill\/\w+\/[\w-]+-drill\.ts$/);
    expect(unique(matches(page.text, /\| `([\w-]+-drill\.ts)` \|/g))).toEqual(
      unique(drills.map((path) => path.split("/").at(-1) ?? "")),
    );
    expect(unique(matches(page.text, /^\| `(\w+)\/` \|/gm))).toEqual(
      unique(drills.map((path) => path.split("/")[2] ?? "")),
    );
    const parsed = /options: \{\n([\s\S]*?)\n {4}\},/.exec(fileAt("test/drill/run.ts").text)?.[1] ?? "";
    const options = matches(parsed, /^ +"?([\w-]+)"?: \{/gm);
    expect(unique(matches(page.text.split("\n\n")[2] ?? "", /`--([\w-]+)/g))).toEqual(unique(options));
  });

  test("sidecar/README.md: the variables and the kinds of jobs", () => {
    const page = fileAt("sidecar/README.md");
    const code = tree.filter(({ path }) => path.startsWith("sidecar/")).map(({ text }) => text);
    const read = code.flatMap((text) => matches(text, /(?:process\.env\["|readSetting\(")([A-Z_]+)"/g));
    const paragraph = /\*\*Environment\.\*\*([\s\S]*?)\n\n/.exec(page.text)?.[1] ?? "";
    expect(unique(matches(paragraph, /`([A-Z][A-Z_]+)`/g))).toEqual(unique(read));
    const kinds = code.flatMap((text) => matches(text, /defineJob(?:<\w+>)?\(\{\s*(?:kind|name): "([\w-]+)"/g));
    expect(unique(firstCells(page, /^\| kind \|/))).toEqual(unique(kinds));
  });

  test("tools/README.md: the fields of a tool", () => {
    const contract =
      /^interface ToolParts<[\s\S]*?^\}/m.exec(fileWith("interface ToolParts<", "tools/").text)?.[0] ?? "";
    const fields = ["effect", "keyedForMs", ...matches(contract, /^ {2}(?:readonly )?(\w+)(?:\?)?[(:]/gm)];
    const named = firstCells(fileAt("tools/README.md"), /^\| field \|/).flatMap((cell) => cell.split(", "));
    expect(unique(named)).toEqual(unique(fields));
  });

  test.each([
    ["skills/README.md", /^\| skill \|/, /^skills\/([\w-]+)\//],
    ["web/README.md", /^\| folder \|/, /^web\/(src\/(?:api|ui|\w+))\//],
    ["adapters/egress/README.md", /^\| file \|/, /^adapters\/egress\/([\w-]+\.ts)$/],
  ])("%s", (path, header, file) => {
    const there = tree.flatMap((one) => file.exec(one.path)?.[1] ?? []);
    const named = firstCells(fileAt(path), header).flatMap((cell) => cell.replace("/<area>", "").split(", "));
    expect(unique(named)).toEqual(unique(there));
  });
});

describe("a figure is the code's", () => {
  test.each([
    ["docs/architecture.md", `at most ${MAX_RUN_CALLS} calls of runners and other objects`],
    ["docs/architecture.md", `most ${MAX_CALLS_PER_STEP} calls`],
    ["docs/deploy.md", `${MAX_RUN_CALLS} calls of runners and objects`],
    ["docs/deploy.md", `${MAX_PARTS} for the sweep`],
    ["docs/deploy.md", `${(MAX_PARTS * PART_SIZE).toLocaleString("en")} tasks`],
    ["docs/deploy.md", `The state has version ${STATE_VERSION}`],
  ])("%s: %s", (path, figure) => {
    expect(fileAt(path).text).toContain(figure);
  });
});
