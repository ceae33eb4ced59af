/** Cages of a test, in a folder of its own, and what is left of them. */
import { readdirSync, readFileSync } from "node:fs";
import { chmod, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseEgressAllow } from "../../../adapters/egress/address.ts";
import { type CageLimits, DEFAULT_LIMITS } from "../../../sidecar/cage/cage.ts";
import { type CageChoice, type Cages, openCages } from "../../../sidecar/cage/cages.ts";
import { removeTree } from "../../../sidecar/cage/folders.ts";
import { readProcesses } from "../../../sidecar/cage/processes.ts";
import { type CagedRun, type CagedRunRequest, runCaged } from "../../../sidecar/cage/run-caged.ts";
import { lockUser } from "../../../sidecar/cage/users.ts";
import { type EgressDeps, makeSystemEgress } from "../../../sidecar/egress.ts";

const [LOOKS, LOOK_EVERY_MS] = [100, 100];
const [FIRST_UID, LAST_UID] = [61_000, 61_183];

/** What a program left on the machine, outside its cage. */
export interface Remains {
  readonly processes: readonly string[];
  readonly mounts: readonly string[];
  readonly folders: readonly string[];
}

export interface TestCages {
  readonly cages: Cages;
  readonly folder: string;
  readonly egress: EgressDeps;
  /** Runs a program of `sh`, `python3` or `node` to its end; throws when it did not start. */
  run(
    language: Language,
    program: string,
    more?: Partial<CagedRunRequest>,
    limits?: Partial<CageLimits>,
  ): Promise<CagedRun>;
  remains(): Promise<Remains>;
  close(): Promise<void>;
}

export type Language = "sh" | "python3" | "node";

export function getArgv(language: Language, program: string): [string, ...string[]] {
  return [language, language === "node" ? "-e" : "-c", program];
}

export async function openTestCages(choice: Partial<CageChoice> = {}, allow = ""): Promise<TestCages> {
  const folder = await mkdtemp(join(tmpdir(), "otto-caged-"));
  await chmod(folder, 0o711);
  const cages = await openCages({ chosen: undefined, parent: folder, ...choice });
  let runs = 0;
  return {
    cages,
    folder,
    egress: makeSystemEgress(parseEgressAllow(allow)),
    async run(language, program, more = {}, limits = {}) {
      const own = join(folder, `job-${(runs += 1)}`);
      const ran = await runCaged(cages, {
        argv: getArgv(language, program),
        cwd: "",
        env: {},
        folder: own,
        work: [],
        skill: [],
        limits: { ...DEFAULT_LIMITS, wallMs: 20_000, ...limits },
        network: null,
        maxOutputBytes: 10_000,
        maxChangedBytes: 1_000_000,
        maxChangedFiles: 1_000,
        signal: new AbortController().signal,
        ...more,
      });
      if (!ran.ok) throw new Error(ran.error.message);
      return ran.value;
    },
    remains: async () => ({
      processes: await forsakenProcesses(),
      mounts: readFileSync("/proc/self/mountinfo", "utf8")
        .split("\n")
        .filter((line) => line.includes(folder)),
      folders: readdirSync(cages.folder.path)
        // Pipes are made ahead.
        .filter((name) => !name.startsWith("pipe-"))
        .toSorted(),
    }),
    async close() {
      await cages.close();
      await removeTree(folder);
    },
  };
}

/** Processes that stay although nobody holds their user. A sidecar that another test killed leaves some for a moment. */
async function forsakenProcesses(): Promise<readonly string[]> {
  let found = await forsakenNow();
  for (let look = 0; look < LOOKS && found.length > 0; look += 1) {
    await pause(LOOK_EVERY_MS);
    found = await forsakenNow();
  }
  return found;
}

/** Processes whose user is one of the cages' and held by nobody: those of cages under way are others'. */
async function forsakenNow(): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { uid, pid, isZombie } of readProcesses()) {
    if (uid < FIRST_UID || uid > LAST_UID || isZombie) continue;
    const lock = await lockUser(uid);
    if (lock !== null) found.push(`${pid} of ${uid}`);
    lock?.release();
  }
  return found;
}
