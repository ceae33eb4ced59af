/** The port to SSH servers: one command, on a host with a known key. */
import type { Result } from "../base/errors.ts";

/** The credential of a login. A text may contain references to the tenant's secrets, `{{secret.NAME}}`. */
export type SshCredential =
  | { readonly kind: "password"; readonly password: string }
  | { readonly kind: "private_key"; readonly privateKey: string }
  /** A secret of the tenant by name: a private key if it looks like one, otherwise a password. */
  | { readonly kind: "secret"; readonly name: string };

export interface SshRequest {
  /** A host name or an address. */
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly credential: SshCredential;
  /** The command for the user's login shell. */
  readonly command: string;
  /** Accepted fingerprints of the host's key, `SHA256:…` as OpenSSH prints them. */
  readonly fingerprints: readonly string[];
  /** As in `WebRequest`; a port other than 22 has to be listed with the host. */
  readonly allowedDomains: readonly string[] | null;
  /** The timeout of connection and command together. */
  readonly timeoutMs: number;
  /** The limit of stdout and of stderr each; the start is kept. */
  readonly maxOutputBytes: number;
  readonly signal: AbortSignal;
}

/** The result of a command. `exitCode` is null if a signal ended it. The output contains no secret of the tenant. */
export interface SshRun {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  readonly durationMs: number;
}

/**
 * Runs a command. Failures: `blocked_by_policy` (the place, or a key that is not known: no credential was sent),
 * `not_found` (a secret), `invalid_input`, `permission_denied` (the login), `timeout`, `upstream_failed`; `happened` is
 * "no" when the command surely did not begin.
 */
export interface SshPort {
  run(request: SshRequest): Promise<Result<SshRun>>;
}
