/** The job kind `ssh` runs one command on a server, and returns its output as the files `stdout` and `stderr`. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { EgressDeps } from "../egress.ts";
import { defineJob, type CheckedJobKind } from "../jobs/job.ts";
import { runCommand } from "./run-command.ts";
import { sshOrderSchema } from "./ssh-order.ts";

/** Limits all tenants together. A command can take minutes but needs few resources here. */
const MAX_CONCURRENT = 32;

export function defineSshJob(egress: EgressDeps): CheckedJobKind {
  return defineJob({
    name: "ssh",
    maxConcurrent: MAX_CONCURRENT,
    maxBytes: 0,
    maxFiles: 0,
    order: sshOrderSchema,
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
