import { describe, expect, test } from "vitest";
import { importViolations, layeredFiles } from "./rules/layers.ts";
import { show, type SourceFile } from "./rules/source-tree.ts";
import { isTool } from "./rules/tools.ts";
import { importsOf } from "./rules/syntax.ts";
import { tree } from "./tree.ts";

function judge(path: string, text: string, toolFiles: readonly string[] = []): string[] {
  return importViolations([{ path, text }], (target) => toolFiles.includes(target)).map(({ message }) => message);
}

describe("the direction of imports", () => {
  test("holds in the whole tree", () => {
    const tools = new Set(tree.filter(isTool).map(({ path }) => path));
    expect(layeredFiles(tree).length).toBeGreaterThan(0);
    expect(show(importViolations(tree, (path) => tools.has(path)))).toEqual([]);
  });

  test("finds every form of import", () => {
    const file: SourceFile = {
      path: "core/a.ts",
      text: [
        'import "./a.ts";',
        'import type { B } from "./b.ts";',
        'import { type C } from "./c.ts";',
        'export * from "./d.ts";',
        'export type { E } from "./e.ts";',
        'const f = import("./f.ts");',
        'type G = import("./g.ts").G;',
        "const h = import(name);",
      ].join("\n"),
    };
    expect(importsOf(file).map(({ specifier, typeOnly, line }) => [specifier, typeOnly, line])).toEqual([
      ["./a.ts", false, 1],
      ["./b.ts", true, 2],
      ["./c.ts", false, 3],
      ["./d.ts", false, 4],
      ["./e.ts", true, 5],
      ["./f.ts", false, 6],
      ["./g.ts", true, 7],
      ["", false, 8],
    ]);
  });

  test.each([
    ["core/a.ts", 'import { tool } from "../tools/files/read-file.ts";'],
    ["core/a.ts", 'import { drizzle } from "drizzle-orm";'],
    ["core/a.ts", 'import { env } from "cloudflare:workers";'],
    ["core/a.ts", 'import { readFile } from "node:fs";'],
    ["core/a.ts", "const it = await import(name);"],
    ["tools/define-tool.ts", 'import { fromEnv } from "../adapters/env/tasks.ts";'],
    ["tools/files/read-file.ts", 'import { adapter } from "../../adapters/files/r2.ts";'],
    ["tools/files/read-file.ts", 'import { send } from "../mail/address.ts";'],
    ["tools/catalogue.generated.ts", 'import { fromEnv } from "../adapters/env/tasks.ts";'],
    ["adapters/model/openai/open.ts", 'import { catalogue } from "../../../tools/catalogue.generated.ts";'],
    ["adapters/model/openai/open.ts", 'import type { TaskObject } from "../../../durable-objects/task/object.ts";'],
    ["adapters/model/openai/open.ts", 'import { left } from "leftpad";'],
    ["adapters/model/openai/open.ts", 'import { Model } from "@ai-sdk/openai/internal";'],
    ["durable-objects/task/object.ts", 'import { app } from "../../workers/app.ts";'],
    ["durable-objects/task/object.ts", 'import type { TenantStore } from "../tenant/store.ts";'],
    ["durable-objects/task/object.ts", 'import { r2 } from "../../adapters/files/r2.ts";'],
    ["durable-objects/task/object.ts", 'import { catalogue } from "../../tools/catalogue.generated.ts";'],
    ["durable-objects/task/object.ts", 'import { generateText } from "ai";'],
    ["workers/app.ts", 'import { catalogue } from "../tools/catalogue.generated.ts";'],
    ["workers/app.ts", 'import { TaskObject } from "../durable-objects/task.ts";'],
    ["workers/steps.ts", 'import { openai } from "../adapters/model/openai/open.ts";'],
    ["sidecar/server.ts", 'import { r2 } from "../adapters/files/r2.ts";'],
    ["scripts/start.ts", 'import { app } from "../workers/app.ts";'],
    ["web/app.ts", 'import { decide } from "../core/task.ts";'],
  ])("refuses %s: %s", (path, text) => {
    expect(judge(path, text)).toHaveLength(1);
  });

  test("refuses a tool that imports another tool of its family, and allows the family's helper", () => {
    const text = 'import { other } from "./write-file.ts"; import { clean } from "./paths.ts";';
    expect(judge("tools/files/read-file.ts", text, ["tools/files/write-file.ts"])).toEqual([
      "a tool may not import ./write-file.ts",
    ]);
  });

  test.each([
    ["core/a.ts", 'import { z } from "zod/v4"; import { b } from "./b.ts";'],
    ["tools/catalogue.generated.ts", 'import readFile from "./files/read-file.ts";'],
    ["tools/files/read-file.ts", 'import { defineTool } from "../define-tool.ts"; import { z } from "zod";'],
    ["durable-objects/task/object.ts", 'import { fromEnv } from "../../adapters/env/tasks.ts";'],
    ["durable-objects/task/object.ts", 'import { Alarm } from "../base/alarm.ts"; import { Store } from "./store.ts";'],
    ["workers/index.ts", 'export { TaskObject } from "../durable-objects/task.ts";'],
    ["workers/app.ts", 'import type { TaskObject } from "../durable-objects/task.ts";'],
    ["workers/steps.ts", 'import { catalogue } from "../tools/catalogue.generated.ts";'],
    ["workers/tools/routes.ts", 'import { catalogue } from "../../tools/catalogue.generated.ts";'],
    ["sidecar/server.ts", 'import { isPublicAddress } from "../adapters/egress/address.ts";'],
    ["test/unit/anything.test.ts", 'import { app } from "../../workers/app.ts";'],
  ])("allows %s: %s", (path, text) => {
    expect(judge(path, text)).toEqual([]);
  });
});
