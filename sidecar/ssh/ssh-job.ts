/** The job kind `ssh`: one command on a server. What it printed comes back as the files `stdout` and `stderr`. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { EgressDeps } from "../egress.ts";
import { defineJob, type ReadyJobKind } from "../jobs/job.ts";
import { runCommand } from "./run-command.ts";
import { sshOrder } from "./ssh-order.ts";

/** At once, of all tenants. A command can take minutes, and takes next to nothing here. */
const AT_ONCE = 32;

export function sshJob(egress: EgressDeps): ReadyJobKind {
  return defineJob({
    name: "ssh",
    atOnce: AT_ONCE,
    maxBytes: 0,
    maxFiles: 0,
    order: sshOrder,
    async run({ order, folder, signal }) {
      const { stdout, stderr, ...body } = await runCommand(order, egress, signal);
      if (body.kind === "failed") return { ok: true, body };
      const written = [];
      for (const [path, bytes] of Object.entries({ stdout, stderr })) {
        const from = join(folder, path);
        await writeFile(from, bytes ?? Buffer.alloc(0));
        written.push({ path, from });
      }
      return { ok: true, body, files: written };
    },
  });
}
