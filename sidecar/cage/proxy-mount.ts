/** Connects a cage to the network: the proxy outside, and the forwarder inside. */
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

export interface ProxyMount {
  /** The folder that holds only the proxy's socket. */
  readonly folder: string;
  close(): Promise<void>;
}

/** Opens the proxy of one program for its user only. `uid` null means this process's user. */
export async function openProxyMount(parent: string, rules: ProxyRules, uid: number | null): Promise<ProxyMount> {
  const folder = join(parent, `net-${randomUUID()}`);
  await mkdir(folder, { mode: 0o755 });
  const socket = join(folder, SOCKET);
  const { proxy, handle } = await openInFolder(folder, rules);
  await chmod(socket, 0o600);
  if (uid !== null) await chown(socket, uid, uid);
  return {
    folder,
    close: async () => {
      // Close the proxy first: it removes its socket by a name that needs the handle.
      proxy.close();
      await handle.close();
      await removeTree(folder);
    },
  };
}

/**
 * Opens the socket through a descriptor of its folder, since its address has at most 108 bytes (unix(7)). The descriptor is part of the
 * name, so it stays open with the proxy.
 */
async function openInFolder(
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

/** Runs the program below the forwarder, which names the proxy in its environment. */
export function routeThroughProxy(spec: CageSpec, { folder }: ProxyMount): CageSpec {
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
