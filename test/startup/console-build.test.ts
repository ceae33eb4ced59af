/** The console's build, made by Vite of a small page: made once, and again when a file of it is damaged or lost. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { buildConsole, CONSOLE_FOLDER } from "../../scripts/supervisor/console-build.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "otto-console-"));
  mkdirSync(join(root, "web", "src"), { recursive: true });
  writeFileSync(join(root, "web", "vite.config.ts"), "export default {};\n");
  writeFileSync(join(root, "web", "index.html"), '<script type="module" src="./src/main.ts"></script>\n');
  writeFileSync(join(root, "web", "src", "main.ts"), 'document.title = "one";\n');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** How often it was built, and the script that is served. */
async function build(): Promise<{ built: number; script: string; path: string }> {
  let built = 0;
  await buildConsole(root, () => {
    built += 1;
  });
  const assets = join(root, CONSOLE_FOLDER, "assets");
  const [name = ""] = readdirSync(assets).filter((file) => file.endsWith(".js"));
  return { built, script: readFileSync(join(assets, name), "utf8"), path: join(assets, name) };
}

it("is made once, and again when its sources changed", async () => {
  const first = await build();
  expect([first.built, first.script.includes("one")]).toEqual([1, true]);
  expect(await build()).toEqual({ ...first, built: 0 });
  writeFileSync(join(root, "web", "src", "main.ts"), 'document.title = "two";\n');
  const second = await build();
  expect([second.built, second.script.includes("two")]).toEqual([1, true]);
});

it.each<[string, (path: string) => void]>([
  ["is truncated", (path) => truncateSync(path, 5)],
  ["is empty", (path) => truncateSync(path, 0)],
  ["is lost", (path) => rmSync(path)],
])("is made again when a file of it %s", async (_, damage) => {
  const built = await build();
  damage(built.path);
  expect(await build()).toEqual(built);
  expect(await build()).toEqual({ ...built, built: 0 });
  expect(readdirSync(join(root, "web")).filter((name) => name.startsWith("dist-"))).toEqual([]);
  expect(existsSync(built.path)).toBe(true);
});
