/** The order of the job kind `ssh`. */
import { z } from "zod";

export const sshOrderSchema = z.strictObject({
  host: z.string().min(1).max(300),
  port: z.int().min(1).max(65_535),
  username: z.string().min(1).max(100),
  password: z.string().max(70_000).optional(),
  private_key: z.string().max(70_000).optional(),
  command: z.string().min(1).max(32_768),
  /** Fingerprints of the host's known keys. */
  fingerprints: z.array(z.string().max(100)).max(100),
  /** Allows a port other than 22, because the caller lists it with this host. */
  port_is_listed: z.boolean(),
  timeout_ms: z.int().min(1).max(600_000),
  /** Limits stdout and stderr each. */
  max_output_bytes: z
    .int()
    .min(0)
    .max(4 * 1024 * 1024),
});

export type SshOrder = z.infer<typeof sshOrderSchema>;
