/** The versions in the sidecar's /health, with the programs that tell them played by scripts. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { makeVersions } from "../../sidecar/versions.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "otto-versions-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const program = (name: string, script: string): void =>
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });

it("are those that the programs tell, null for one that is missing, fails, hangs or does not say", async () => {
  program("python3", "echo Python 3.11.2");
  program("ssh", "echo OpenSSH_9.2p1 Debian-2+deb12u6, OpenSSL 3.0.15 >&2");
  program("git", "echo git version 2.39.5; exit 1");
  program("rg", "while :; do :; done");
  program("bwrap", "echo none of your business");
  const versions = makeVersions(folder, 5_000);
  expect(versions()).toEqual({ node: process.versions.node });
  await vi.waitFor(() => expect(Object.keys(versions())).toHaveLength(7), { timeout: 25_000 });
  expect(versions()).toEqual({
    node: process.versions.node,
    python3: "3.11.2",
    pandoc: null,
    rg: null,
    git: null,
    ssh: "9.2p1",
    bwrap: null,
  });
});

it("are read once, and from programs that see nothing of the environment", async () => {
  vi.stubEnv("SIDECAR_SECRET", "canary");
  program("python3", `echo "3.1\${SIDECAR_SECRET}"; echo . >> ${folder}/asked`);
  program("bwrap", `echo $(/usr/bin/wc -l < ${folder}/asked).0`);
  const versions = makeVersions(folder);
  versions();
  versions();
  await vi.waitFor(() => expect(versions()).toMatchObject({ python3: "3.1", bwrap: "1.0" }), { timeout: 15_000 });
});
