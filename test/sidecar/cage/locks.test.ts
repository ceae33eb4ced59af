/** Locks on files: one holder on the whole machine, whatever namespace it is in, and none once it is dead. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { takeLock } from "../../../sidecar/cage/lock.ts";
import { lockOwnFolder } from "../../../sidecar/own-folder.ts";

const LOCK = fileURLToPath(new URL("../../../sidecar/cage/lock.ts", import.meta.url));
const isRoot = process.getuid?.() === 0;
let folder: string;
const started: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "otto-locks-"));
});

afterEach(async () => {
  for (const one of started.splice(0)) await killed(one);
  rmSync(folder, { recursive: true });
});

async function killed(holder: ChildProcess): Promise<void> {
  if (holder.exitCode !== null || holder.signalCode !== null) return;
  const ended = new Promise((resolve) => holder.once("exit", resolve));
  holder.kill("SIGKILL");
  await ended;
}

/** A process that takes the lock and says whether it has it; it holds it until it is killed. */
async function holder(path: string, starter: readonly string[] = []): Promise<{ process: ChildProcess; said: string }> {
  const program = `
    import { takeLock } from ${JSON.stringify(LOCK)};
    const lock = await takeLock(${JSON.stringify(path)});
    console.log(lock === null ? "held by another" : "holds it");
    setInterval(() => lock, 1000);
  `;
  const node = [process.execPath, "--disable-warning=ExperimentalWarning", "--input-type=module", "-e", program];
  const [command = "", ...args] = [...starter, ...node];
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  started.push(child);
  const said = await new Promise<string>((resolve) =>
    child.stdout.once("data", (data: Buffer) => resolve(data.toString())),
  );
  return { process: child, said: said.trim() };
}

describe("a lock", () => {
  it("has one holder, in this process too, and is free when that releases it", async () => {
    const path = join(folder, "lock");
    const first = await takeLock(path);
    expect([first !== null, await takeLock(path)]).toEqual([true, null]);
    expect((await holder(path)).said).toBe("held by another");
    first?.release();
    expect(await takeLock(path)).not.toBeNull();
  });

  it("that is released twice closes no other file", async () => {
    const lock = await takeLock(join(folder, "lock"));
    lock?.release();
    // The system gives the lowest free descriptor, which was the lock's.
    const other = openSync(join(folder, "other"), "w");
    lock?.release();
    expect(() => closeSync(other)).not.toThrow();
  });

  it("ends with its holder, however that ends", async () => {
    const path = join(folder, "lock");
    const { process: other, said } = await holder(path);
    expect([said, await takeLock(path)]).toEqual(["holds it", null]);
    await killed(other);
    expect(await takeLock(path)).not.toBeNull();
  });

  it.skipIf(!isRoot)("is one for all network namespaces (skipped because only root can make one)", async () => {
    const path = join(folder, "lock");
    expect((await holder(path, ["unshare", "--net"])).said).toBe("holds it");
    expect(await takeLock(path)).toBeNull();
  });

  it("is not taken on a file that cannot be opened, or that is a link", async () => {
    await expect(takeLock(join(folder, "none", "lock"))).rejects.toMatchObject({ code: "ENOENT" });
    symlinkSync(join(folder, "elsewhere"), join(folder, "link"));
    await expect(takeLock(join(folder, "link"))).rejects.toMatchObject({ code: "ELOOP" });
  });
});

it("gives each of two sidecars with the same folder one of its own, and a dead one's to the next", async () => {
  const { process: first, said } = await holder(join(folder, "lock"));
  expect([said, await lockOwnFolder(folder), await lockOwnFolder(folder)]).toEqual([
    "holds it",
    join(folder, "2"),
    join(folder, "3"),
  ]);
  await killed(first);
  expect(await lockOwnFolder(folder)).toBe(folder);
});
