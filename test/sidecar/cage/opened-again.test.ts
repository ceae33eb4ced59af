/** Cages whose folder is removed repeatedly, as by a cleanup of temporary files. */
import { chmodSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { removeTree } from "../../../sidecar/cage/folders.ts";
import { closeCages, getCages } from "../../../sidecar/cage/cages.ts";

let folder = "";

afterEach(async () => {
  await closeCages();
  await removeTree(folder);
});

it("are reopened once for all concurrent callers", async () => {
  folder = mkdtempSync(join(tmpdir(), "otto-again-"));
  chmodSync(folder, 0o711);
  vi.stubEnv("TMPDIR", folder);
  for (let time = 0; time < 3; time += 1) {
    await removeTree((await getCages()).folder.path);
    const callers = Array.from({ length: 4 }, () => getCages());
    const opened = await Promise.all(callers);
    expect(new Set(opened).size).toBe(1);
    expect(opened[0]?.isIntact()).toBe(true);
  }
  expect(readdirSync(folder)).toHaveLength(1);
}, 60_000);

it("are reopened each time without a warning about leaked listeners", async () => {
  folder = mkdtempSync(join(tmpdir(), "otto-again-"));
  chmodSync(folder, 0o711);
  vi.stubEnv("TMPDIR", folder);
  const warnings: string[] = [];
  const note = ({ name }: Error) => warnings.push(name);
  process.on("warning", note);
  for (let time = 0; time < 12; time += 1) {
    const cages = await getCages();
    expect(cages.isolation.level).toBe("bubblewrap");
    await removeTree(cages.folder.path);
  }
  await getCages();
  // Warnings are emitted in a later turn.
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", note);
  expect([warnings, readdirSync(folder).length]).toEqual([[], 1]);
}, 60_000);
