/**
 * Runs one command over SSH. Resolves the name once, checks every address, and connects to one of them. Sends no credential before the
 * host proves a known key. Uses no configuration, agent or key of this machine, and forwards nothing.
 */
import { createHash } from "node:crypto";
import type { Socket } from "node:net";
import ssh2, { type AuthHandlerMiddleware, type ClientChannel } from "ssh2";
import { judgeSshDestination } from "../../adapters/egress/address.ts";
import type { ErrorCode } from "../../core/base/errors.ts";
import { getKnownHostName } from "../../core/ssh/known-hosts.ts";
import { connectTcp } from "../connect-tcp.ts";
import { type EgressDeps, resolvePublicAddresses } from "../egress.ts";
import { readBeginning } from "./output.ts";
import type { SshOrder } from "./ssh-order.ts";

/** The package is CommonJS without named exports for Node. */
const { Client, utils } = ssh2;

/** How a command ended, or why it failed. `sent` false means that it certainly did not start. */
export type SshOutcome =
  | {
      readonly kind: "ran";
      readonly exit_code: number | null;
      readonly signal: string | null;
      readonly duration_ms: number;
      readonly stdout: Buffer;
      readonly stderr: Buffer;
    }
  | SshFailure;

interface SshFailure {
  readonly kind: "failed";
  readonly code: ErrorCode;
  readonly message: string;
  readonly sent: boolean;
  readonly field?: string;
  readonly stdout?: undefined;
  readonly stderr?: undefined;
}

type SshDeps = Pick<EgressDeps, "allow" | "resolve" | "connectTo">;

/** Never rejects. `signal` and the order's `timeout_ms` cancel it. */
export async function runCommand(order: SshOrder, deps: SshDeps, signal: AbortSignal): Promise<SshOutcome> {
  const { host, port } = order;
  const judged = judgeSshDestination(host, port, deps.allow, order.port_is_listed);
  if (!judged.ok) return fail("blocked_by_policy", judged.message, "host");
  const keyFailure = checkPrivateKey(order);
  if (keyFailure !== null) return keyFailure;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(order.timeout_ms)]);
  try {
    const addresses = await resolvePublicAddresses(judged, deps, limit);
    if (typeof addresses === "string") return fail("blocked_by_policy", addresses, "host");
    const socket = await connectTcp(judged.url.hostname, port, addresses, deps, limit);
    return await runOverSocket(order, socket, limit);
  } catch (error) {
    if (limit.aborted) return fail("timeout", `${formatHost(order)} was not reached within ${order.timeout_ms} ms.`);
    return fail("upstream_failed", `${formatHost(order)} was not reached: ${describeError(error)}.`);
  }
}

/** Rejects an unreadable key before connecting. The package's own message may quote the key, so it is not used. */
function checkPrivateKey({ private_key: key }: SshOrder): SshFailure | null {
  if (key === undefined) return null;
  const parsed = utils.parseKey(key);
  if (!(parsed instanceof Error) && [parsed].flat().some((one) => one.isPrivateKey())) return null;
  const isLocked = parsed instanceof Error && /encrypted|passphrase/i.test(parsed.message);
  const why = isLocked ? "needs a passphrase; use a key without one" : "is not a private key in PEM or OpenSSH format";
  return fail("invalid_input", `The private key ${why}. Nothing was sent.`, "private_key");
}

/** Logs in, runs the command, and closes the connection. */
async function runOverSocket(order: SshOrder, socket: Socket, limit: AbortSignal): Promise<SshOutcome> {
  const client = new Client();
  const startedAt = performance.now();
  const { promise, resolve } = Promise.withResolvers<SshOutcome>();
  let hostKey: string | null = null;
  let sent = false;
  let refused = false;

  /** Resolves with a failure when the connection ended without an outcome. */
  function failLost(why: string): void {
    if (hostKey !== null && !order.fingerprints.includes(hostKey)) return resolve(failUnknownKey(order, hostKey));
    if (refused)
      return resolve(fail("permission_denied", `${formatHost(order)} refused the login of ${order.username}.`));
    const message = sent
      ? `The connection to ${formatHost(order)} was lost before the command ended: ${why}.`
      : `There was no session with ${formatHost(order)}: ${why}.`;
    resolve({ ...fail("upstream_failed", message), sent });
  }

  const onAbort = () => {
    const message = sent
      ? `The command did not end within ${order.timeout_ms} ms.`
      : `${formatHost(order)} was not ready within ${order.timeout_ms} ms.`;
    resolve({ ...fail("timeout", message), sent });
  };
  limit.addEventListener("abort", onAbort, { once: true });
  client.on("error", (error) => {
    refused ||= "level" in error && error.level === "client-authentication";
    failLost(error.message);
  });
  client.on("close", () => failLost("it was closed"));
  client.on("ready", () => {
    sent = true;
    client.exec(order.command, (error, channel) => {
      if (error !== undefined) {
        // The server's refusal has these messages of the package; a lost connection has others.
        sent = !/^Unable to exec|open failure/.test(error.message);
        return failLost("the server did not start the command");
      }
      followChannel(channel, { maxBytes: order.max_output_bytes, startedAt, resolve, failLost });
    });
  });
  try {
    client.connect({
      sock: socket,
      username: order.username,
      hostVerifier: (key: Buffer) => {
        hostKey = getFingerprint(key);
        return order.fingerprints.includes(hostKey);
      },
      authHandler: makeAuthHandler(order),
      readyTimeout: order.timeout_ms,
    });
    return await promise;
  } finally {
    limit.removeEventListener("abort", onAbort);
    client.end();
    socket.destroy();
  }
}

/** Tries each login method that fits the credential and that the server accepts, once. */
function makeAuthHandler({ username, password, private_key: key }: SshOrder): AuthHandlerMiddleware {
  const tried = new Set<string>();
  return (left: readonly string[] | null, _partial, next) => {
    const ways = key === undefined ? ["password", "keyboard-interactive"] : ["publickey"];
    const way = left === null ? "none" : ways.find((one) => left.includes(one) && !tried.has(one));
    // Keyboard-interactive asks for the same password, so try only one of both.
    tried.add(way === "password" ? "keyboard-interactive" : "").add(way ?? "");
    switch (way) {
      case "none":
        return next({ type: "none", username });
      case "password":
        return next({ type: "password", username, password: password ?? "" });
      case "publickey":
        return next({ type: "publickey", username, key: key ?? "" });
      case "keyboard-interactive":
        return next({
          type: "keyboard-interactive",
          username,
          prompt: (_name, _instructions, _language, prompts, finish) =>
            finish(prompts.map(({ echo }) => (echo === true ? "" : (password ?? "")))),
        });
      default:
        // The package ends the login on false, which its types do not declare.
        return next(false as never);
    }
  };
}

interface ChannelHandlers {
  readonly maxBytes: number;
  readonly startedAt: number;
  readonly resolve: (outcome: SshOutcome) => void;
  readonly failLost: (why: string) => void;
}

function followChannel(channel: ClientChannel, { maxBytes, startedAt, resolve, failLost }: ChannelHandlers): void {
  const [stdout, stderr] = [readBeginning(channel, maxBytes), readBeginning(channel.stderr, maxBytes)];
  let end: { readonly exit_code: number | null; readonly signal: string | null } | null = null;
  channel.on("exit", (code: number | null, signal?: string) => {
    end = { exit_code: code, signal: signal ?? null };
  });
  channel.on("close", () => {
    if (end === null) return failLost("the host did not report how it ended");
    const duration_ms = Math.round(performance.now() - startedAt);
    resolve({ kind: "ran", ...end, duration_ms, stdout: stdout(), stderr: stderr() });
  });
  channel.end();
}

/** Formats the fingerprint as OpenSSH does. */
function getFingerprint(key: Buffer): string {
  return `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;
}

function failUnknownKey(order: SshOrder, hostKey: string): SshFailure {
  const name = getKnownHostName(order.host, order.port);
  const what = order.fingerprints.length === 0 ? "is unknown" : "is not one of its known keys";
  const message = `${formatHost(order)} presented the key ${hostKey}, which ${what}. No credential was sent. If its operator confirms this key, add it to the agent: tool_config.ssh_execute.known_hosts = {"${name}": ["${hostKey}"]}.`;
  return fail("blocked_by_policy", message, "host");
}

function formatHost({ host, port }: SshOrder): string {
  return `${host}:${port}`;
}

/** The failure of a command that did not start. */
function fail(code: ErrorCode, message: string, field?: string): SshFailure {
  return { kind: "failed", code, message, sent: false, ...(field === undefined ? {} : { field }) };
}

function describeError(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return describeError(error.errors[0]);
  return error instanceof Error ? error.message || error.name : String(error);
}
