/** Locks that cannot be taken: a transient shortage is retryable, a missing flock is reported to the operator. */
import { EventEmitter } from "node:events";
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Cages, openCages } from "../../../sidecar/cage/cages.ts";
import { openCageFolder, removeTree } from "../../../sidecar/cage/folders.ts";
import { takeLock } from "../../../sidecar/cage/lock.ts";
import { startCaged } from "../../../sidecar/cage/start-caged.ts";
import { DEFAULT_LIMITS } from "../../../sidecar/cage/cage.ts";

/** How flock fails, or null if it runs. */
let flock: { readonly error: string } | { readonly signal: string } | null = null;
vi.mock("node:child_process", async (original) => {
  const real = await original<typeof import("node:child_process")>();
  return {
    ...real,
    spawn: (...given: Parameters<typeof real.spawn>) =>
      given[0] === "flock" && flock !== null ? ends(flock) : real.spawn(...given),
  };
});

function ends(how: NonNullable<typeof flock>): EventEmitter {
  const child = new EventEmitter();
  setImmediate(() => {
    if ("error" in how) child.emit("error", Object.assign(new Error("spawn"), { code: how.error }));
    else child.emit("exit", null, how.signal);
  });
  return child;
}

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "otto-refused-"));
});
afterEach(async () => {
  flock = null;
  await removeTree(folder);
});

it.each([
  [{ error: "ENOENT" }, "util-linux's flock is missing"],
  [{ error: "EAGAIN" }, "EAGAIN"],
  [{ signal: "SIGKILL" }, "SIGKILL"],
])("reports why flock did not run: %o", async (how, code) => {
  flock = how;
  await expect(takeLock(join(folder, "lock"))).rejects.toMatchObject({ code });
});

it("leaves no folder behind when its lock cannot be taken", async () => {
  flock = { error: "EAGAIN" };
  await expect(openCageFolder(folder)).rejects.toMatchObject({ code: "EAGAIN" });
  expect(readdirSync(folder)).toEqual([]);
});

describe.skipIf(process.getuid?.() !== 0)(
  "a program whose user cannot be locked (skipped because only root changes users)",
  () => {
    let cages: Cages;
    beforeEach(async () => {
      cages = await openCages({ chosen: undefined });
    });
    afterEach(() => cages.close());

    it.each([
      [{ error: "EAGAIN" }, { code: "rate_limited", retryAfterMs: 1_000 }],
      [{ error: "ENOENT" }, { code: "not_available" }],
    ])("is refused as %o deserves", async (how, error) => {
      const start = async () =>
        await startCaged(cages, {
          argv: ["/bin/true"],
          cwd: "/tmp",
          env: {},
          mounts: [],
          limits: DEFAULT_LIMITS,
          network: null,
        });
      // The users that were locked before are taken first.
      const running = [];
      flock = how;
      let last = await start();
      for (; last.ok && running.length < 20; last = await start()) running.push(last.value);
      expect(last).toMatchObject({ ok: false, error });
      await Promise.all(running.map(({ ended }) => ended));
    });
  },
);
