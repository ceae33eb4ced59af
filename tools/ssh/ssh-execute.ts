import { z } from "zod";
import { findFingerprints, knownHostsSchema } from "../../core/ssh/known-hosts.ts";
import type { SshCredential } from "../../core/ports/ssh.ts";
import { defineTool, failure, failWith } from "../define-tool.ts";

const MAX_OUTPUT_BYTES = 500_000;
const MAX_TIMEOUT_SECONDS = 300;
/** What the gateway leaves beyond the command's own limit, so that its own message is the one that is seen. */
const MARGIN_MS = 10_000;

const settings = z.object({
  known_hosts: knownHostsSchema
    .optional()
    .describe(
      "By host (host:port for another port than 22): the SHA256:… fingerprints of the keys that it may show. A host with several keys shows one of them: list all",
    ),
});

export default defineTool({
  name: "ssh_execute",
  summary:
    "Run a server command over SSH. The agent's settings name the host and its key; credential_id names a secret of the tenant.",
  toolbox: "ssh",
  category: "ssh",
  permissions: ["exec", "network"],
  security: "critical",
  effect: "once",
  needs: ["ssh"],
  touches: ({ host }) => [{ resource: `server:${host.toLowerCase()}`, mode: "write" }],
  settings,
  timeoutMs: ({ timeout }) => timeout * 1_000 + MARGIN_MS,
  input: z.object({
    host: z.string().min(1).max(255).describe("A name or an address, without user and port"),
    command: z.string().min(1).max(32_768).describe("As the user's login shell reads it"),
    username: z
      .string()
      .min(1)
      .max(100)
      .regex(/^[^\0\r\n]+$/, "has to be one line"),
    port: z.int().min(1).max(65_535).default(22),
    credential_id: z
      .string()
      .regex(/^[A-Z][A-Z0-9_]{0,63}$/, "has to be the name of a secret of the tenant")
      .optional()
      .describe("The name of a secret of the tenant: a password, or a private key"),
    password: z.string().min(1).max(4_096).optional().describe("Better {{secret.NAME}}: this text is recorded"),
    private_key: z
      .string()
      .min(1)
      .max(16_384)
      .optional()
      .describe("PEM or OpenSSH, without a passphrase. Better {{secret.NAME}}: this text is recorded"),
    timeout: z.int().min(1).max(MAX_TIMEOUT_SECONDS).default(60).describe("Seconds"),
  }),
  output: z.object({
    exit_code: z.int().nullable().describe("Null: a signal ended it"),
    signal: z.string().nullable(),
    stdout: z.string(),
    stderr: z.string(),
    truncated: z.boolean().describe("What it printed was cut at 500 KB"),
    duration_ms: z.number(),
  }),
  async run({ timeout, ...given }, { ssh, config, allowedDomains, signal }) {
    const credential = credentialIn(given);
    if (credential === null) {
      const message = "Give one of credential_id, password and private_key.";
      return failure("invalid_input", message, { field: "credential_id" });
    }
    const { known_hosts: known = {} } = settings.parse(config);
    const { host, port, username, command } = given;
    const ran = await ssh.run({
      host,
      port,
      username,
      credential,
      command,
      fingerprints: findFingerprints(known, host, port),
      allowedDomains,
      timeoutMs: timeout * 1_000,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      signal,
    });
    if (!ran.ok) return failWith(ran.error);
    const { exitCode, durationMs, ...rest } = ran.value;
    return { exit_code: exitCode, ...rest, duration_ms: durationMs };
  },
  show({ exit_code, signal, stdout, stderr, truncated }) {
    const end = exit_code === null ? `ended by ${signal ?? "a signal"}` : `exit code ${exit_code}`;
    const parts = [end, stdout, ...(stderr === "" ? [] : [`[stderr]\n${stderr}`])];
    return `${parts.join("\n")}${truncated ? "\n[cut at 500 KB]" : ""}`;
  },
  examples: [
    {
      note: "look at a server, with a key that is a secret of the tenant",
      given: { host: "web1.example.com", command: "uptime", username: "deploy", credential_id: "DEPLOY_KEY" },
    },
  ],
});

/** The one that is given; null: none, or several. */
function credentialIn(given: {
  readonly credential_id?: string | undefined;
  readonly password?: string | undefined;
  readonly private_key?: string | undefined;
}): SshCredential | null {
  const { credential_id: name, password, private_key: privateKey } = given;
  const found: SshCredential[] = [
    ...(name === undefined ? [] : [{ kind: "secret", name } as const]),
    ...(password === undefined ? [] : [{ kind: "password", password } as const]),
    ...(privateKey === undefined ? [] : [{ kind: "private_key", privateKey } as const]),
  ];
  const [only = null, ...others] = found;
  return others.length === 0 ? only : null;
}
