/** A sidecar in this process that runs the jobs of one kind alone, and may connect to one port on loopback. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEgressAllow } from "../../adapters/egress/address.ts";
import { connectSidecar, type Sidecar } from "../../adapters/sidecar/sidecar.ts";
import { makeSidecar } from "../../sidecar/app.ts";
import { makeSystemEgress } from "../../sidecar/egress.ts";
import type { CheckedJobKind } from "../../sidecar/jobs/job.ts";
import { closeServer, listenOnLoopback } from "./listen.ts";

/** `close` also removes the folder of its jobs. */
export async function startJobSidecar(
  port: number,
  define: (egress: ReturnType<typeof makeSystemEgress>) => CheckedJobKind,
): Promise<{ readonly sidecar: Sidecar; readonly close: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "otto-job-sidecar-"));
  const egress = makeSystemEgress(parseEgressAllow(`127.0.0.1:${port}`));
  const secret = randomBytes(32).toString("hex");
  const isolation = () => Promise.resolve({ level: "none", reason: "There are no cages here." } as const);
  const server = makeSidecar(secret, egress, { kinds: [define(egress)], folder, isolation });
  return {
    sidecar: connectSidecar(`http://127.0.0.1:${await listenOnLoopback(server, 0)}`, secret),
    async close() {
      await closeServer(server);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
