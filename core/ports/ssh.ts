/** The port to servers of SSH: one command, on a host whose key is known. */
import type { Result } from "../base/errors.ts";

/** What proves who logs in. A text may hold references to the tenant's secrets, `{{secret.NAME}}`. */
export type SshCredential =
  | { readonly kind: "password"; readonly password: string }
  | { readonly kind: "private_key"; readonly privateKey: string }
  /** A secret of the tenant by its name: a private key if it reads like one, else a password. */
  | { readonly kind: "secret"; readonly name: string };

export interface SshRequest {
  /** A name or an address. */
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly credential: SshCredential;
  /** As the login shell of the user reads it. */
  readonly command: string;
  /** Fingerprints of keys that the host may show, `SHA256:…` as OpenSSH prints them. */
  readonly fingerprints: readonly string[];
  /** As `WebRequest` has them; a port other than 22 has to be named with the host. */
  readonly allowedDomains: readonly string[] | null;
  /** Everything together. */
  readonly timeoutMs: number;
  /** Of stdout and of stderr each; the beginning is kept. */
  readonly maxOutputBytes: number;
  readonly signal: AbortSignal;
}

/** What a command did. `exitCode` null: the signal ended it. No secret of the tenant stands in the output. */
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
