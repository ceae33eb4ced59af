/**
 * Installs the missing Debian packages as root on Debian and its kin; elsewhere prints which features are unavailable without
 * them. Never asks for a password, and every wait has a limit.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type AptLimits, hasProgram, installPackages, lookForPackages } from "./apt.ts";
import { explainMissing, missingPackages, readPackageList, type SystemPackage } from "./judge-packages.ts";

const LIMITS: AptLimits = { fetchMs: 4 * 60_000, unpackMs: 3 * 60_000, lockSeconds: 30, sayEveryMs: 5_000 };

export interface PackageOptions {
  /** Files in the form of `sidecar/packages.txt`. */
  readonly lists: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly isRoot: boolean;
  /** False where the person wants nothing installed: `OTTO_INSTALL_PACKAGES=no`. */
  readonly mayInstall: boolean;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
  readonly limits?: AptLimits;
}

/** The lists of a start, and of the tests. */
export function packageLists(root: string): { readonly start: string[]; readonly test: string[] } {
  const ofSidecar = join(root, "sidecar/packages.txt");
  return { start: [ofSidecar], test: [ofSidecar, join(root, "test/packages.txt")] };
}

/** Installs what is missing where that is possible. Gives what stays missing, after it has said so. */
export async function keepPackages(options: PackageOptions): Promise<readonly SystemPackage[]> {
  const { env, say, signal, limits = LIMITS } = options;
  const wanted = options.lists
    .flatMap((path) => readPackageList(readFileSync(path, "utf8")))
    .filter(({ where }) => where === "all");
  const missing = missingPackages(wanted, await lookForPackages(wanted, env));
  if (missing.length === 0) return [];
  let why = whyNotInstalled(options);
  const tries = why === null;
  if (tries) {
    const names = missing.map(({ name }) => name);
    say(`Installing system packages: ${names.join(", ")} …`);
    why = await installPackages(names, { env, limits, say, signal });
  }
  const left = missingPackages(missing, await lookForPackages(missing, env));
  if (left.length === 0) {
    say("Installed.");
    return left;
  }
  for (const line of explainMissing(left, why ?? "apt-get has not installed them")) say(line);
  // Where the package server never answers, each start would wait for it.
  if (tries) say("! The next start tries again. OTTO_INSTALL_PACKAGES=no keeps it from that.");
  return left;
}

function whyNotInstalled({ env, isRoot, mayInstall }: PackageOptions): string | null {
  if (!hasProgram(env, "apt-get") || !hasProgram(env, "dpkg-query"))
    return "this machine has no apt-get to install them";
  if (!mayInstall) return "OTTO_INSTALL_PACKAGES=no keeps them from being installed";
  return isRoot ? null : "installing them takes root";
}
