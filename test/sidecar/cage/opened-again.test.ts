/** Cages whose folder is removed again and again, as a machine that tidies its temporary files does. */
import { chmodSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { closeTheCages, theCages } from "../../../sidecar/cage/cages.ts";
import { removeTree } from "../../../sidecar/cage/folders.ts";

let folder = "";

afterEach(async () => {
  await closeTheCages();
  await removeTree(folder);
});

it("are opened again once for all that call at the same time", async () => {
  folder = mkdtempSync(join(tmpdir(), "otto-again-"));
  chmodSync(folder, 0o711);
  vi.stubEnv("TMPDIR", folder);
  for (let time = 0; time < 3; time += 1) {
    await removeTree((await theCages()).folder.path);
    const callers = Array.from({ length: 4 }, () => theCages());
    const opened = await Promise.all(callers);
    expect(new Set(opened).size).toBe(1);
    expect(opened[0]?.isWhole()).toBe(true);
  }
  expect(readdirSync(folder)).toHaveLength(1);
}, 60_000);

it("are opened again each time, and look like no leak of listeners", async () => {
  folder = mkdtempSync(join(tmpdir(), "otto-again-"));
  chmodSync(folder, 0o711);
  vi.stubEnv("TMPDIR", folder);
  const warnings: string[] = [];
  const note = ({ name }: Error) => warnings.push(name);
  process.on("warning", note);
  for (let time = 0; time < 12; time += 1) {
    const cages = await theCages();
    expect(cages.isolation.level).toBe("bubblewrap");
    await removeTree(cages.folder.path);
  }
  await theCages();
  // A warning is told in a later turn.
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", note);
  expect([warnings, readdirSync(folder).length]).toEqual([[], 1]);
}, 60_000);
