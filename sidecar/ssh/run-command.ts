/**
 * Runs one command over SSH: the name is resolved once, every address of the answer is judged, and the connection goes to
 * one of them. No credential is sent before the host has shown a key that is known. Nothing of this machine is used: no
 * configuration, no agent, no keys; and nothing is forwarded.
 */
import { createHash } from "node:crypto";
import type { Socket } from "node:net";
import ssh2, { type AuthHandlerMiddleware, type ClientChannel } from "ssh2";
import { judgeSshPlace } from "../../adapters/egress/address.ts";
import type { ErrorCode } from "../../core/base/errors.ts";
import { getKnownHostName } from "../../core/ssh/known-hosts.ts";
import { type EgressDeps, judgedAddresses } from "../egress.ts";
import { keepBeginning } from "./output.ts";
import type { SshOrder } from "./ssh-order.ts";

/** Node finds no names in the package, which is CommonJS. */
const { Client, utils } = ssh2;

/** How a command ended, or why it did not: `sent` false, it surely did not begin. */
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

type Ways = Pick<EgressDeps, "allow" | "resolve" | "connectTo">;

/** Never rejects. `signal` gives it up, as does the order's `timeout_ms`. */
export async function runCommand(order: SshOrder, ways: Ways, signal: AbortSignal): Promise<SshOutcome> {
  const { host, port } = order;
  const judged = judgeSshPlace(host, port, ways.allow, order.port_is_listed);
  if (!judged.ok) return failure("blocked_by_policy", judged.message, "host");
  const unfit = whyUnfit(order);
  if (unfit !== null) return unfit;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(order.timeout_ms)]);
  try {
    const addresses = await judgedAddresses(judged, ways, limit);
    if (typeof addresses === "string") return failure("blocked_by_policy", addresses, "host");
    const socket = await connect(judged.url.hostname, port, addresses, ways, limit);
    return await talk(order, socket, limit);
  } catch (error) {
    if (limit.aborted) return failure("timeout", `${place(order)} was not reached within ${order.timeout_ms} ms.`);
    return failure("upstream_failed", `${place(order)} was not reached: ${reasonOf(error)}.`);
  }
}

/** A key that cannot be read here is told before anything is connected. The package's words may quote it. */
function whyUnfit({ private_key: key }: SshOrder): SshFailure | null {
  if (key === undefined) return null;
  const parsed = utils.parseKey(key);
  if (!(parsed instanceof Error) && [parsed].flat().some((one) => one.isPrivateKey())) return null;
  const isLocked = parsed instanceof Error && /encrypted|passphrase/i.test(parsed.message);
  const why = isLocked ? "needs a passphrase; give one that has none" : "is no private key in PEM or OpenSSH form";
  return failure("invalid_input", `The private key ${why}. Nothing was sent.`, "private_key");
}

async function connect(
  hostname: string,
  port: number,
  addresses: readonly string[],
  { connectTo }: Ways,
  limit: AbortSignal,
): Promise<Socket> {
  return await new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error("given up"));
    limit.addEventListener("abort", giveUp, { once: true });
    connectTo(addresses)({ hostname, protocol: "http:", port: String(port) }, (error, socket) => {
      limit.removeEventListener("abort", giveUp);
      if (socket === null) return reject(error ?? new Error("no connection"));
      if (limit.aborted) socket.destroy();
      resolve(socket);
    });
  });
}

/** Logs in and runs the command on a connection, which is closed afterwards. */
async function talk(order: SshOrder, socket: Socket, limit: AbortSignal): Promise<SshOutcome> {
  const client = new Client();
  const startedAt = performance.now();
  const { promise, resolve } = Promise.withResolvers<SshOutcome>();
  let shown: string | null = null;
  let sent = false;
  let refused = false;

  /** The connection ended without an outcome. */
  function lost(why: string): void {
    if (shown !== null && !order.fingerprints.includes(shown)) return resolve(unknownKey(order, shown));
    if (refused)
      return resolve(failure("permission_denied", `${place(order)} refused the login of ${order.username}.`));
    const message = sent
      ? `The connection to ${place(order)} was lost before the command ended: ${why}.`
      : `There was no session with ${place(order)}: ${why}.`;
    resolve({ ...failure("upstream_failed", message), sent });
  }

  const onAbort = () => {
    const message = sent
      ? `The command did not end within ${order.timeout_ms} ms.`
      : `${place(order)} was not ready within ${order.timeout_ms} ms.`;
    resolve({ ...failure("timeout", message), sent });
  };
  limit.addEventListener("abort", onAbort, { once: true });
  client.on("error", (error) => {
    refused ||= "level" in error && error.level === "client-authentication";
    lost(error.message);
  });
  client.on("close", () => lost("it was closed"));
  client.on("ready", () => {
    sent = true;
    client.exec(order.command, (error, channel) => {
      if (error !== undefined) {
        // Its own refusal, in the package's words; what breaks off meanwhile is told otherwise.
        sent = !/^Unable to exec|open failure/.test(error.message);
        return lost("it starts no command");
      }
      follow(channel, { maxBytes: order.max_output_bytes, startedAt, resolve, lost });
    });
  });
  try {
    client.connect({
      sock: socket,
      username: order.username,
      hostVerifier: (key: Buffer) => {
        shown = fingerprintOf(key);
        return order.fingerprints.includes(shown);
      },
      authHandler: loginOf(order),
      readyTimeout: order.timeout_ms,
    });
    return await promise;
  } finally {
    limit.removeEventListener("abort", onAbort);
    client.end();
    socket.destroy();
  }
}

/** Each way to log in that fits the credential, once, as far as the server takes it. */
function loginOf({ username, password, private_key: key }: SshOrder): AuthHandlerMiddleware {
  const tried = new Set<string>();
  return (left: readonly string[] | null, _partial, next) => {
    const ways = key === undefined ? ["password", "keyboard-interactive"] : ["publickey"];
    const way = left === null ? "none" : ways.find((one) => left.includes(one) && !tried.has(one));
    // A server that asks by keyboard asks for the same password: once is enough.
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
        // The package takes this for "there is no further way", which its types do not say.
        return next(false as never);
    }
  };
}

interface Following {
  readonly maxBytes: number;
  readonly startedAt: number;
  readonly resolve: (outcome: SshOutcome) => void;
  readonly lost: (why: string) => void;
}

function follow(channel: ClientChannel, { maxBytes, startedAt, resolve, lost }: Following): void {
  const [stdout, stderr] = [keepBeginning(channel, maxBytes), keepBeginning(channel.stderr, maxBytes)];
  let end: { readonly exit_code: number | null; readonly signal: string | null } | null = null;
  channel.on("exit", (code: number | null, signal?: string) => {
    end = { exit_code: code, signal: signal ?? null };
  });
  channel.on("close", () => {
    if (end === null) return lost("the host did not say how it ended");
    const duration_ms = Math.round(performance.now() - startedAt);
    resolve({ kind: "ran", ...end, duration_ms, stdout: stdout(), stderr: stderr() });
  });
  channel.end();
}

/** As OpenSSH prints it. */
function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;
}

function unknownKey(order: SshOrder, shown: string): SshFailure {
  const name = getKnownHostName(order.host, order.port);
  const what = order.fingerprints.length === 0 ? "is not known" : "is none of those that are known";
  const message = `${place(order)} showed the key ${shown}, which ${what}. No credential was sent. If that is the host's key (ask whoever runs it), the agent has to list it: tool_config.ssh_execute.known_hosts = {"${name}": ["${shown}"]}.`;
  return failure("blocked_by_policy", message, "host");
}

function place({ host, port }: SshOrder): string {
  return `${host}:${port}`;
}

/** Of a command that did not begin. */
function failure(code: ErrorCode, message: string, field?: string): SshFailure {
  return { kind: "failed", code, message, sent: false, ...(field === undefined ? {} : { field }) };
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message || error.name : String(error);
}
