/** The job kind `ssh`: one command on a server. What it printed comes back as the files `stdout` and `stderr`. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { EgressDeps } from "../egress.ts";
import { defineJob, type ReadyJobKind } from "../jobs/job.ts";
import { runCommand } from "./run-command.ts";

/** At once, of all tenants. A command can take minutes, and takes next to nothing here. */
const AT_ONCE = 32;

const sshOrder = z.strictObject({
  host: z.string().min(1).max(300),
  port: z.int().min(1).max(65_535),
  username: z.string().min(1).max(100),
  password: z.string().max(70_000).optional(),
  private_key: z.string().max(70_000).optional(),
  command: z.string().min(1).max(32_768),
  /** Of the keys that the host may show. */
  fingerprints: z.array(z.string().max(100)).max(100),
  /** The port need not be 22: whoever orders has it on a list with this host. */
  port_is_listed: z.boolean(),
  timeout_ms: z.int().min(1).max(600_000),
  /** Of stdout and of stderr each. */
  max_output_bytes: z
    .int()
    .min(0)
    .max(4 * 1024 * 1024),
});

export type SshOrder = z.infer<typeof sshOrder>;

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
