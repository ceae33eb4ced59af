/** The adapter with the real sidecar and its cage, over loopback, and the fake in memory: one contract. */
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseEgressAllow } from "../../../adapters/egress/address.ts";
import { openScripts } from "../../../adapters/sidecar/scripts.ts";
import { makeSidecar } from "../../../sidecar/app.ts";
import { openCages, type CageChoice } from "../../../sidecar/cage/cages.ts";
import { fakeScripts } from "../../fakes/scripts.ts";
import { closeServer, listenOnLoopback, findUnusedPort } from "../../mock-servers/listen.ts";
import { connectSidecar } from "../../../adapters/sidecar/sidecar.ts";
import { defineScriptJob } from "../../../sidecar/cage/script-job.ts";
import { makeSystemEgress } from "../../../sidecar/egress.ts";
import { scriptFile, shell } from "./script-request.ts";
import { scriptsContract, type ScriptsUnderTest } from "./suite.ts";

scriptsContract("the fake in memory", async () => ({ scripts: fakeScripts(), close: async () => undefined }));
scriptsContract("the adapter and the sidecar", () => overLoopback());

async function overLoopback(choice: Partial<CageChoice> = {}): Promise<ScriptsUnderTest & { readonly folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), "otto-scripts-"));
  chmodSync(folder, 0o711);
  const cages = await openCages({ chosen: undefined, parent: folder, ...choice });
  const egress = makeSystemEgress(parseEgressAllow(""));
  const secret = randomBytes(32).toString("hex");
  const kinds = [defineScriptJob(egress, async () => cages)];
  const isolation = async () => cages.isolation;
  const sidecar = makeSidecar(secret, egress, { kinds, folder: join(folder, "jobs"), isolation });
  const url = `http://127.0.0.1:${await listenOnLoopback(sidecar, 0)}`;
  return {
    scripts: openScripts({ sidecar: connectSidecar(url, secret), tenant: "t1" }),
    folder,
    close: async () => {
      await closeServer(sidecar);
      await cages.close();
      await rm(folder, { recursive: true });
    },
  };
}

describe("the way to the cage", () => {
  it("is needed: without a sidecar nothing runs", async () => {
    const run = await openScripts({ sidecar: null, tenant: "t1" }).run(shell("echo"));
    expect(run).toMatchObject({ ok: false, error: { code: "not_available", happened: "no" } });
  });

  it("when the sidecar is down, the program surely did not run", async () => {
    const sidecar = connectSidecar(`http://127.0.0.1:${await findUnusedPort()}`, "x".repeat(32), 0);
    const run = await openScripts({ sidecar, tenant: "t1" }).run(shell("echo"));
    expect(run).toMatchObject({ ok: false, error: { code: "upstream_failed", happened: "no" } });
  });

  it("refuses where nothing shuts programs in, and says what to install", async () => {
    const open = await overLoopback({ programFolders: ["/nowhere"] });
    const run = await open.scripts.run(shell("echo"));
    expect(run).toMatchObject({ ok: false, error: { code: "not_available", happened: "no" } });
    expect(!run.ok && run.error.message).toMatch(/bwrap, setpriv, prlimit is missing.*Install .*bubblewrap/s);
    await open.close();
  });

  it("retries the first cage after a failed one: one failure does not last for the sidecar's lifetime", async () => {
    const programs = mkdtempSync(join(tmpdir(), "otto-programs-"));
    // The programs' users pass, and leave a mark.
    chmodSync(programs, 0o777);
    const failed = join(programs, "failed");
    const failsOnce = `#!/bin/sh\n[ -f ${failed} ] || { : > ${failed}; exit 1; }\nexec /usr/bin/bwrap "$@"\n`;
    writeFileSync(join(programs, "bwrap"), failsOnce, { mode: 0o755 });
    const open = await overLoopback({ programFolders: [programs, "/usr/bin"] });
    expect(existsSync(failed)).toBe(true);
    expect(await open.scripts.run(shell("echo here"))).toMatchObject({ ok: true, value: { stdout: "here\n" } });
    await open.close();
    rmSync(programs, { recursive: true });
  });

  it("retains no folder of a job", async () => {
    const open = await overLoopback();
    const files = [scriptFile("a.txt", "one")];
    await open.scripts.run(shell("mkdir -p deep/er; chmod 000 deep; echo x > b", { files }));
    await expect.poll(() => readdirSync(join(open.folder, "jobs")), { timeout: 20_000 }).toEqual([]);
    const cages = readdirSync(open.folder).filter((name) => name !== "jobs");
    expect(readdirSync(join(open.folder, cages[0] ?? "")).filter((name) => name.startsWith("run-"))).toEqual([]);
    await open.close();
  });

  it("ends the program when the caller gives up", async () => {
    const open = await overLoopback();
    const caller = new AbortController();
    setTimeout(() => caller.abort(), 300);
    const run = await open.scripts.run(shell("sleep 60", { signal: caller.signal, timeoutMs: 100_000 }));
    expect(run.ok).toBe(false);
    await expect.poll(() => readdirSync(join(open.folder, "jobs")), { timeout: 20_000 }).toEqual([]);
    await open.close();
  });
});
