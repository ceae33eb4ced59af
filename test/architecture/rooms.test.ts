import { describe, expect, test } from "vitest";
import { mapViolations, roomViolations, workersRoomViolations } from "./rules/rooms.ts";
import { show } from "./rules/source-tree.ts";
import { tree } from "./tree.ts";

const judge = (files: Readonly<Record<string, string>>): string[] =>
  roomViolations(Object.entries(files).map(([path, text]) => ({ path, text }))).map(({ message }) => message);

describe("the rooms of core", () => {
  test("hold every file, import downwards, and form no circle", () => {
    expect(show(roomViolations(tree))).toEqual([]);
  });

  test("are all named by the map, and no others", () => {
    expect(show(mapViolations(tree))).toEqual([]);
  });
});

describe("the rooms of workers", () => {
  test("import from http and not the reverse, and no files of http import each other", () => {
    expect(show(workersRoomViolations(tree))).toEqual([]);
  });
});

describe("a planted violation of the rooms is found", () => {
  test.each([
    ["a file outside a room", { "core/a.ts": "" }],
    ["base that imports a room", { "core/base/a.ts": 'import type { B } from "../task/b.ts";' }],
    ["base that imports a port", { "core/base/a.ts": 'import type { B } from "../ports/b.ts";' }],
    ["lib that imports a port", { "core/lib/maths/a.ts": 'import type { B } from "../../ports/b.ts";' }],
    ["a port with a value of a room", { "core/ports/a.ts": 'import { b } from "../task/b.ts";' }],
    [
      "a port of two rooms",
      { "core/ports/a.ts": 'import type { B } from "../task/b.ts"; import type { C } from "../people/c.ts";' },
    ],
  ])("%s", (_name, files) => {
    expect(judge(files)).toHaveLength(1);
  });

  test("a circle of rooms, at each import of it", () => {
    const files = {
      "core/task/a.ts": 'import { b } from "../tool/b.ts";',
      "core/tool/b.ts": 'import { c } from "../skills/c.ts";',
      "core/skills/c.ts": 'import type { D } from "../task/d.ts";',
      "core/people/e.ts": 'import { a } from "../task/a.ts";',
    };
    expect(judge(files)).toEqual([
      "core/tool imports core/task already",
      "core/skills imports core/tool already",
      "core/task imports core/skills already",
    ]);
  });

  test("http that imports a room, and files of http that import each other", () => {
    const files = {
      "workers/http/a.ts": 'import { b } from "../tasks/b.ts";',
      "workers/http/c.ts": 'import { d } from "./d.ts";',
      "workers/http/d.ts": 'import type { C } from "./c.ts";',
      "workers/tasks/b.ts": 'import { c } from "../http/c.ts";',
    };
    const violations = workersRoomViolations(Object.entries(files).map(([path, text]) => ({ path, text })));
    expect(violations.map(({ message }) => message)).toEqual([
      "http is used by all rooms, and may not import workers/tasks/b.ts",
      "workers/http/d.ts imports this file already",
      "workers/http/c.ts imports this file already",
    ]);
  });

  test.each([
    [
      "a room that imports base, lib and ports",
      { "core/task/a.ts": 'import "../base/b.ts"; import "../lib/maths/c.ts"; import "../ports/d.ts";' },
    ],
    ["lib between its folders", { "core/lib/json-schema/a.ts": 'import "../maths/b.ts"; import "../../base/c.ts";' }],
    [
      "a port with a room's types, and labels",
      {
        "core/ports/a.ts": 'import type { B } from "../memory/b.ts"; import type { L } from "../provenance/label.ts";',
      },
    ],
    [
      "a port whose room uses it",
      {
        "core/ports/a.ts": 'import type { B } from "../memory/b.ts";',
        "core/memory/b.ts": 'import type { A } from "../ports/a.ts";',
      },
    ],
  ])("and %s is allowed", (_name, files) => {
    expect(judge(files)).toEqual([]);
  });

  test("a map that lacks a room, or names a folder that is no room", () => {
    const files = [
      { path: "core/README.md", text: "| room |\n| `task/`, `none/` | x |" },
      { path: "core/task/a.ts", text: "" },
      { path: "core/tool/b.ts", text: "" },
    ];
    expect(mapViolations(files).map(({ message }) => message)).toEqual([
      "does not name tool/",
      "names none/, which is no room",
    ]);
  });
});
