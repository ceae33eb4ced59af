/**
 * SSH through the sidecar, like web requests: the destination is checked here and, with its addresses, in the sidecar.
 * Secrets are filled in here for that destination only, and redacted from the output.
 */
import { z } from "zod";
import {
  asMaybeSent,
  asNotSent,
  type ErrorCode,
  ERRORS,
  type Failure,
  maybeSent,
  notSent,
  ok,
  type Result,
  isNotSent,
} from "../../core/base/errors.ts";
import { isHostListed, isPortListed } from "../../core/web/host-pattern.ts";
import type { SecretsPort, TenantSecret } from "../../core/ports/secrets.ts";
import type { SshCredential, SshPort, SshRequest, SshRun } from "../../core/ports/ssh.ts";
import { fillReferences, findReferencedNames } from "../../core/web/secret-references.ts";
import { type EgressAllow, judgeSshDestination, toSshUrl } from "../egress/address.ts";
import { findBoundValue } from "../egress/fill-secrets.ts";
import { MARGIN_BYTES, openSecretBook } from "../egress/secret-book.ts";
import { type JobReply, runJob } from "../sidecar/run-job.ts";
import type { Sidecar } from "../sidecar/sidecar.ts";

/** `sidecar` is null without one. `tenant` owns the commands and the `secrets`. */
export interface SshSettings {
  readonly sidecar: Sidecar | null;
  readonly allow: EgressAllow;
  readonly tenant: string;
  readonly secrets: SecretsPort;
}

const MAX_CREDENTIAL_CHARACTERS = 65_536;
/** The sidecar's own time beyond the command, so that the reply is still its own. */
const ENDING_MS = 2_000;

export function openSsh({ sidecar, allow, tenant, secrets }: SshSettings): SshPort {
  return {
    async run(request) {
      const judged = judge(request, allow);
      if (!judged.ok) return judged;
      const { url, isListed } = judged.value;
      const { credential, port, username, command, fingerprints, timeoutMs, maxOutputBytes, signal } = request;
      const book = await openSecretBook(secrets, findNames(credential).length > 0);
      if (!book.ok) return book;
      const login = fill(credential, url, book.value.named);
      if (!login.ok) return login;
      if (signal.aborted) return failUnsent("timeout", "It was cancelled before it was sent.");
      const order = {
        host: url.hostname,
        port,
        username,
        ...login.value,
        command,
        fingerprints,
        port_is_listed: isListed,
        timeout_ms: timeoutMs,
        // A value that starts inside the limit is then complete, and found.
        max_output_bytes: maxOutputBytes + MARGIN_BYTES,
      };
      const job = { kind: "ssh", tenant, order, files: [], timeoutMs: timeoutMs + ENDING_MS, signal };
      const replied = await runJob(sidecar, job);
      const ran = replied.ok ? await read(replied.value) : replied;
      if (!ran.ok && isNotSent(ran.error) && ran.error.code !== "upstream_failed") return ran;
      const redactor = await book.value.redactor();
      if (!ran.ok) return { ok: false, error: { ...ran.error, message: redactor.text(ran.error.message) } };
      const { stdout, stderr, ...rest } = ran.value;
      const shown = [stdout, stderr].map((bytes) => cut(redactor.bytes(bytes), maxOutputBytes)) as [string, string];
      const truncated = [stdout, stderr].some(({ length }) => length > maxOutputBytes);
      return ok({ ...rest, stdout: shown[0], stderr: shown[1], truncated });
    },
  };
}

/** Returns the destination if the agent may reach it. */
function judge(
  { host, port, allowedDomains }: SshRequest,
  allow: EgressAllow,
): Result<{ readonly url: URL; readonly isListed: boolean }> {
  const place = toSshUrl(host, port);
  const isListed = place !== null && isPortListed(place, allowedDomains ?? []);
  const judged = judgeSshDestination(host, port, allow, isListed);
  if (!judged.ok) return failUnsent("blocked_by_policy", judged.message, "host");
  const { url, opened } = judged;
  if (allowedDomains === null ? opened : isHostListed(url, allowedDomains)) return ok({ url, isListed });
  const message = `The host ${url.hostname} is not on this agent's list of allowed domains: its allowed_domains have to name it, or "*" for every public host.`;
  return failUnsent("blocked_by_policy", message, "host");
}

function findNames(credential: SshCredential): readonly string[] {
  switch (credential.kind) {
    case "secret":
      return [credential.name];
    case "password":
      return findReferencedNames(credential.password);
    case "private_key":
      return findReferencedNames(credential.privateKey);
  }
}

type Login = { readonly password: string } | { readonly private_key: string };

/** The credential with its secrets, each bound to the destination. */
function fill(credential: SshCredential, url: URL, secrets: readonly TenantSecret[]): Result<Login> {
  const field = credential.kind === "secret" ? "credential_id" : credential.kind;
  const values = new Map<string, string>();
  for (const name of findNames(credential)) {
    const value = findBoundValue(name, field, { url, method: null }, secrets);
    if (!value.ok) return value;
    values.set(name, value.value);
  }
  if (credential.kind === "secret") {
    const value = values.get(credential.name) ?? "";
    return ok(isPrivateKey(value) ? { private_key: value } : { password: value });
  }
  const text = credential.kind === "password" ? credential.password : credential.privateKey;
  const filled = fillReferences(text, "text", MAX_CREDENTIAL_CHARACTERS, (name) => values.get(name) ?? "");
  if (filled === null) return failUnsent("too_large", `${field}: it is too long with its secrets filled in.`, field);
  return ok(credential.kind === "password" ? { password: filled } : { private_key: filled });
}

function isPrivateKey(text: string): boolean {
  return /^\s*(?:-----BEGIN |PuTTY-User-Key-File-)/.test(text);
}

const CODES = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]];
const bodySchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("ran"),
    exit_code: z.int().nullable(),
    signal: z.string().nullable(),
    duration_ms: z.number(),
  }),
  z.object({
    kind: z.literal("failed"),
    code: z.enum(CODES),
    message: z.string(),
    sent: z.boolean(),
    field: z.string().optional(),
  }),
]);

type CommandOutput = Omit<SshRun, "stdout" | "stderr" | "truncated"> & {
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
};

async function read({ body, files }: JobReply): Promise<Result<CommandOutput>> {
  const reply = bodySchema.parse(body);
  if (reply.kind === "failed") {
    const { code, message, sent, field } = reply;
    const failure: Failure = { code, message, ...(field === undefined ? {} : { field }) };
    return sent ? asMaybeSent(failure) : asNotSent(failure);
  }
  const output = new Map<string, Uint8Array>();
  try {
    for await (const { path, bytes } of files) output.set(path, bytes);
  } catch {
    return maybeSent("upstream_failed", "The connection to the sidecar was lost before the command's output arrived.");
  }
  const { exit_code: exitCode, signal, duration_ms: durationMs } = reply;
  const [stdout = new Uint8Array(), stderr = new Uint8Array()] = [output.get("stdout"), output.get("stderr")];
  return ok({ exitCode, signal, durationMs, stdout, stderr });
}

function cut(bytes: Uint8Array, most: number): string {
  return new TextDecoder().decode(bytes.subarray(0, most));
}

function failUnsent(code: ErrorCode, message: string, field?: string): Result<never> {
  return notSent(code, message, field === undefined ? {} : { field });
}
