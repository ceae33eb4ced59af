/**
 * Prepares a program whose only cage is the sidecar's container. It has a user and folders of its own, the same limits and no network,
 * but sees the container's files.
 */
import { chown, mkdir } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import type { CageSpec, Mount } from "./cage.ts";
import { CAGE_ENV, CAGED_NODE } from "./command.ts";
import { removeTree } from "./folders.ts";

export interface ContainedProgram {
  readonly argv: readonly string[];
  /** The environment of its first process. */
  readonly env: Readonly<Record<string, string>>;
  /** The variables that the program adds to it. */
  readonly ownEnv: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The folder that replaces /tmp. */
  readonly tmp: string;
  /** Removes everything but its mounts. */
  readonly remove: () => Promise<void>;
}

/**
 * Translates a cage's specification. Nothing can be mounted here, so each mounted path in an argument or an environment value becomes
 * the host's path. `spec.mounts` must include the sidecar's node.
 */
export async function prepareInContainer(folder: string, spec: CageSpec, uid: number): Promise<ContainedProgram> {
  const tmp = join(folder, `tmp-${randomUUID()}`);
  await mkdir(tmp, { mode: 0o700 });
  await chown(tmp, uid, uid);
  const mounts = [...spec.mounts, { from: tmp, at: "/tmp", writable: true }];
  const translate = (text: string) => toHostPath(text, mounts);
  const toHostEnv = (env: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(env).map(([name, value]) => [name, translate(value)]));
  const path = `${dirname(translate(CAGED_NODE))}:`;
  const ownEnv = toHostEnv(spec.env);
  return {
    argv: spec.argv.map(translate),
    env: { ...toHostEnv(CAGE_ENV), PATH: path + CAGE_ENV.PATH },
    ownEnv: "PATH" in ownEnv ? { ...ownEnv, PATH: path + ownEnv["PATH"] } : ownEnv,
    cwd: translate(spec.cwd),
    tmp,
    remove: () => removeTree(tmp),
  };
}

function toHostPath(text: string, mounts: readonly Mount[]): string {
  const mount = mounts.find(({ at }) => text === at || text.startsWith(`${at}/`));
  return mount === undefined ? text : mount.from + text.slice(mount.at.length);
}
