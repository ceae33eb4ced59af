/**
 * A program in no cage but the container that the sidecar runs in: with a user and folders of its own and the same limits, and
 * without a network, but among the container's files.
 */
import { chown, mkdir } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import type { CageSpec, Mount } from "./cage.ts";
import { CAGE_ENV, CAGED_NODE } from "./command.ts";
import { removeTree } from "./folders.ts";

export interface ContainedProgram {
  readonly argv: readonly string[];
  /** What its first process has. */
  readonly env: Readonly<Record<string, string>>;
  /** What the program has beside that. */
  readonly ownEnv: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The folder that stands for /tmp. */
  readonly tmp: string;
  /** Removes what it had beside its mounts. */
  readonly remove: () => Promise<void>;
}

/**
 * What is started in place of a caged program: a mount's place in an argument, or in a value of the environment, is where the mount
 * is, as nothing can be mounted here. `spec.mounts` have the sidecar's node among them.
 */
export async function inContainer(folder: string, spec: CageSpec, uid: number): Promise<ContainedProgram> {
  const tmp = join(folder, `tmp-${randomUUID()}`);
  await mkdir(tmp, { mode: 0o700 });
  await chown(tmp, uid, uid);
  const mounts = [...spec.mounts, { from: tmp, at: "/tmp", writable: true }];
  const place = (text: string) => placed(text, mounts);
  const placedEnv = (env: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(env).map(([name, value]) => [name, place(value)]));
  const path = `${dirname(place(CAGED_NODE))}:`;
  const ownEnv = placedEnv(spec.env);
  return {
    argv: spec.argv.map(place),
    env: { ...placedEnv(CAGE_ENV), PATH: path + CAGE_ENV.PATH },
    ownEnv: "PATH" in ownEnv ? { ...ownEnv, PATH: path + ownEnv["PATH"] } : ownEnv,
    cwd: place(spec.cwd),
    tmp,
    remove: () => removeTree(tmp),
  };
}

function placed(text: string, mounts: readonly Mount[]): string {
  const mount = mounts.find(({ at }) => text === at || text.startsWith(`${at}/`));
  return mount === undefined ? text : mount.from + text.slice(mount.at.length);
}
