import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { SUITES } from "../../scripts/suites.ts";
import { lengthViolations, nameViolations, orphanTests } from "./rules/shape.ts";
import { ignoredFolders, isCode, show } from "./rules/source-tree.ts";
import { wordingViolations } from "./rules/wording.ts";
import { root, tree } from "./tree.ts";

const suites = SUITES.map(({ name }) => name);
const lines = (count: number): string => "x;\n".repeat(count);

describe("the tree", () => {
  test("was read: code, configuration and documents, and nothing that git ignores", () => {
    const paths = tree.map(({ path }) => path);
    expect(paths.filter(isCode).length).toBeGreaterThan(0);
    expect(paths).toContain("package.json");
    expect(paths).toContain(".ci/run");
    expect(paths.some((path) => path.includes("node_modules/"))).toBe(false);
    expect(readdirSync(root)).toContain("node_modules");
  });

  test.each([
    [".git", true],
    ["node_modules", true],
    ["sidecar/node_modules", true],
    ["web/dist-a1B2c3", true],
    ["web/dist", false],
    ["test/web/dist-a", false],
    ["xotto", false],
    ["a", false],
  ])("leaves out the folder %s where git ignores it: %s", (path, isIgnored) => {
    expect(ignoredFolders("node_modules/\n*.log\n# a/\n.otto/\nweb/dist-*/\n")(path)).toBe(isIgnored);
  });

  test("has only files that can be read as one thing", () => {
    expect(show(lengthViolations(tree))).toEqual([]);
  });

  test("has only documented folders, and names that say something", () => {
    expect(show(nameViolations(tree))).toEqual([]);
  });

  test("has no test that no suite runs", () => {
    expect(show(orphanTests(tree, suites))).toEqual([]);
  });

  test("has no unfinished work, no path of one machine, no skip or disabled rule without a reason, and no refused phrase", () => {
    expect(show(wordingViolations(tree))).toEqual([]);
  });
});

describe("a planted violation of the tree's shape is found", () => {
  test("a file that is too long, by the ceiling of its folder", () => {
    const judge = (path: string, text: string) => lengthViolations([{ path, text }]);
    expect(judge("core/a.ts", lines(400))).toEqual([]);
    expect(judge("core/a.ts", lines(401))).toHaveLength(1);
    expect(judge("durable-objects/task/object.ts", lines(300))).toEqual([]);
    expect(judge("durable-objects/task/object.ts", lines(301))).toHaveLength(1);
    expect(judge("tools/catalogue.generated.ts", lines(500))).toEqual([]);
  });

  test.each([
    "lib/a.ts",
    "core/utils/a.ts",
    "core/helpers.ts",
    "tools/files/common.ts",
    "workers/session-manager.ts",
    "core/taskState.ts",
    "core/Task.ts",
  ])("the name %s", (path) => {
    expect(nameViolations([{ path, text: "" }])).toHaveLength(1);
  });

  test.each(["core/task/state.ts", ".ci/run", "test/architecture/shape.test.ts", "vitest.config.ts"])(
    "and %s is a good name",
    (path) => {
      expect(nameViolations([{ path, text: "" }])).toEqual([]);
    },
  );

  test("a test outside every suite", () => {
    const files = ["core/a.test.ts", "test/a.test.ts", "test/unit/a.test.ts"].map((path) => ({ path, text: "" }));
    expect(orphanTests(files, suites).map(({ path }) => path)).toEqual(["core/a.test.ts", "test/a.test.ts"]);
  });

  test.each([
    "// TODO later",
    'const folder = "/home/ana/otto";',
    'test.skip("works", run);',
    'test.only("works", run);',
    'test.skipIf(slow)("works", run);',
    'test.todo("works");',
    "// oxlint-disable-next-line no-eval",
    "// @ts-ignore",
    "// @ts-expect-error",
  ])("the line %s", (text) => {
    expect(wordingViolations([{ path: "test/unit/a.test.ts", text }])).toHaveLength(1);
  });

  test.each([
    'test.skip("draws a map (skipped because CI has no display)", run);',
    'test.skipIf(!display)("draws a map (skipped because there is no display)", run);',
    "// oxlint-disable-next-line no-eval -- the parser is what is tested",
    "// @ts-expect-error a number is no name",
    'const path = "notes/home/a.md"; const route = "/v1/tasks";',
  ])("and %s is allowed", (text) => {
    expect(show(wordingViolations([{ path: "test/unit/a.test.ts", text }]))).toEqual([]);
  });

  const judge = (path: string, text: string) => wordingViolations([{ path, text }]);

  test.each([
    ["a comment", "scripts/a.ts", "// The loop goes on."],
    ["a comment of two lines", "scripts/a.ts", "/**\n * The child goes\n * on.\n */"],
    ["other capitals", "docs/a.md", "Goes On until it ends."],
    ["a string", "web/src/a.tsx", 'const label = "Begin anew";'],
    ["a screen", "web/src/a.tsx", "<p>What became of it</p>"],
    ["a label", "web/src/a.tsx", "<Button>\n  Again\n</Button>"],
    ["a label in quotes", "web/src/a.tsx", 'const title = "Over";'],
    ["a Python comment", "skills/a/scripts/a.py", "# It is none."],
    ["a decision of a later day", "docs/decisions/0999-a.md", "# A\n\n2026-11-27\n\nThere is none."],
    ["a decision without a date", "docs/decisions/0999-a.md", "# A\n\nThere is none."],
  ])("a refused phrase in %s", (_name, path, text) => {
    expect(judge(path, text)).toHaveLength(1);
  });

  test.each([
    ["a part of a word", "scripts/a.ts", "// The Goths' forgoes on-line; way into."],
    ["a word of a sentence", "web/src/a.tsx", "<p>Try again when the trial is over.</p>"],
    ["a file outside the list", "vitest.config.ts", "// It goes on."],
    ["the glossary", "docs/glossary.md", "| way in | source |"],
    ["generated code", "web/src/api/types.generated.ts", "/** It goes on. */"],
    ["an early decision", "docs/decisions/0001-a.md", "# A\n\n2026-11-26\n\nThere is none."],
    ["Python's None", "skills/a/scripts/a.py", "if value is None: pass"],
  ])("and %s is allowed", (_name, path, text) => {
    expect(show(judge(path, text))).toEqual([]);
  });
});
