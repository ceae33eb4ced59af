/** A cage's way to the network: the proxy outside, and what hands connections on to it inside. */
import { chmod, chown, type FileHandle, mkdir, open } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CageSpec } from "./cage.ts";
import { CAGED_FORWARDER, CAGED_PROXY } from "./command.ts";
import { removeTree } from "./folders.ts";
import { openProxy, type Proxy, type ProxyRules } from "./proxy.ts";

const FORWARDER = fileURLToPath(new URL("forward.ts", import.meta.url));
const SOCKET = "proxy.sock";

export interface WayOut {
  /** The folder that holds the proxy's socket, and nothing else. */
  readonly folder: string;
  close(): Promise<void>;
}

/** Opens the proxy of one program, for its user alone; `uid` null: for this process's own. */
export async function openWayOut(parent: string, rules: ProxyRules, uid: number | null): Promise<WayOut> {
  const folder = join(parent, `net-${randomUUID()}`);
  await mkdir(folder, { mode: 0o755 });
  const socket = join(folder, SOCKET);
  const { proxy, handle } = await openAt(folder, rules);
  await chmod(socket, 0o600);
  if (uid !== null) await chown(socket, uid, uid);
  return {
    folder,
    close: async () => {
      // It removes its socket by the name that it was opened with.
      proxy.close();
      await handle.close();
      await removeTree(folder);
    },
  };
}

/**
 * A socket's address has 108 bytes (unix(7)), which a folder's own path can exceed. The descriptor is part of the name, so it is
 * kept: another file could have its number.
 */
async function openAt(
  folder: string,
  rules: ProxyRules,
): Promise<{ readonly proxy: Proxy; readonly handle: FileHandle }> {
  const handle = await open(folder);
  try {
    return { proxy: await openProxy(`/proc/self/fd/${handle.fd}/${SOCKET}`, rules), handle };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The program with its way out: what hands on stands before it, and it finds the proxy in its environment. */
export function throughProxy(spec: CageSpec, { folder }: WayOut): CageSpec {
  const node = ["node", "--disable-warning=ExperimentalWarning"] as const;
  return {
    ...spec,
    argv: [...node, CAGED_FORWARDER, `${CAGED_PROXY}/${SOCKET}`, "--", ...spec.argv],
    mounts: [
      ...spec.mounts,
      { from: FORWARDER, at: CAGED_FORWARDER, writable: false },
      { from: folder, at: CAGED_PROXY, writable: false },
    ],
  };
}
