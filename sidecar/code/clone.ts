/**
 * Fetches one commit of a git repository in a cage. The cage has no credentials and speaks plain HTTP to the proxy, which sends
 * only the two requests of a fetch, over TLS and with the credentials, to the one host.
 */
import { judgeUrl } from "../../adapters/egress/address.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { DEFAULT_LIMITS } from "../cage/cage.ts";
import { readOutput } from "../cage/output.ts";
import type { ProxyRules, ReplacedRequest } from "../cage/proxy.ts";
import { type CageTools, startCaged } from "../cage/start-caged.ts";
import { type EgressDeps, resolvePublicAddresses } from "../egress.ts";
import type { CodeSource } from "./code-order.ts";
import { REPOSITORY, WORK } from "./places.ts";

export type GitSource = Extract<CodeSource, { kind: "git" }>;

/** Files with the pack and the checked-out files together. */
export const WORK_BYTES = 800 * 1024 ** 2;
export const WORK_FILES = 60_000;
const MAX_OUTPUT_BYTES = 64 * 1024;
const RESOLVE_MS = 15_000;
const SERVICE = "git-upload-pack";

/** Nothing of the repository or the machine configures git: no hooks, no links, no submodules, no other transports. */
const SCRIPT = `set -e
git init --quiet ${REPOSITORY}
cd ${REPOSITORY}
git fetch --quiet --depth=1 --no-tags --no-recurse-submodules --end-of-options "$1" "$2"
git checkout --quiet --detach --force FETCH_HEAD
git rev-parse HEAD`;
const SETTINGS: readonly (readonly [string, string])[] = [
  ["core.symlinks", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.autocrlf", "false"],
  ["advice.detachedHead", "false"],
  ["credential.helper", ""],
  ["gc.auto", "0"],
  ["http.followRedirects", "false"],
  ["protocol.allow", "never"],
  ["protocol.http.allow", "always"],
];
const ENV: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "/bin/false",
  GIT_CONFIG_COUNT: String(SETTINGS.length),
  ...Object.fromEntries(
    SETTINGS.flatMap(([name, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, name],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
};

export interface CloneRequest {
  readonly source: GitSource;
  /** Mounted as the work folder. */
  readonly folder: string;
  readonly egress: EgressDeps;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Checks out `ref` below the folder, and returns the hash of its commit. */
export async function clone(tools: CageTools, request: CloneRequest): Promise<Result<string>> {
  const { source, folder, egress, timeoutMs, signal } = request;
  const url = new URL(source.url);
  if (url.username !== "" || url.password !== "")
    return failed("invalid_input", "The URL contains credentials. Store them as a secret and name it.", {
      field: "url",
    });
  const reachable = await judgeAddress(url, egress, signal);
  if (!reachable.ok) return reachable;
  const started = await startCaged(tools, {
    argv: ["/bin/sh", "-c", SCRIPT, "clone", toPlainUrl(url), source.ref ?? "HEAD"],
    cwd: WORK,
    env: ENV,
    mounts: [{ from: folder, at: WORK, writable: true }],
    limits: { ...DEFAULT_LIMITS, wallMs: timeoutMs, workBytes: WORK_BYTES, workFiles: WORK_FILES },
    network: buildRules(url, source.authorization, egress),
    stdin: "empty",
  });
  if (!started.ok) return started;
  const caged = started.value;
  const cancel = (): void => void caged.kill("It was cancelled.");
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  const [out, error, end] = await Promise.all([
    readOutput(caged.stdout, MAX_OUTPUT_BYTES),
    readOutput(caged.stderr, MAX_OUTPUT_BYTES),
    caged.ended,
  ]);
  signal.removeEventListener("abort", cancel);
  if (end.timedOut)
    return failed("timeout", `The repository was not fetched within ${Math.round(timeoutMs / 1_000)} s.`);
  if (end.killed !== null) return failed("too_large", `The repository cannot be fetched: ${end.killed}`);
  const commit = /^([0-9a-f]{40}|[0-9a-f]{64})$/.exec(out.text.trim())?.[1];
  return end.exitCode === 0 && commit !== undefined ? ok(commit) : explain(error.text, source);
}

/** Refuses a server that the proxy would refuse, with its reason: git would only report a status. */
async function judgeAddress(url: URL, egress: EgressDeps, signal: AbortSignal): Promise<Result<void>> {
  const judged = judgeUrl(url.href, egress.allow, true);
  if (!judged.ok) return failed("blocked_by_policy", judged.message, { field: "url" });
  if (url.protocol !== "https:" && !judged.opened)
    return failed("invalid_input", "The URL must begin with https://.", { field: "url" });
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(RESOLVE_MS)]);
    const addresses = await resolvePublicAddresses(judged, egress, limit);
    return typeof addresses === "string" ? failed("blocked_by_policy", addresses, { field: "url" }) : ok(undefined);
  } catch {
    return failed("upstream_failed", `The name ${url.hostname} was not found.`);
  }
}

/** The proxy replaces the scheme. */
function toPlainUrl(url: URL): string {
  return `http://${url.host}${url.pathname.replace(/\/+$/, "")}`;
}

function buildRules(url: URL, authorization: string | null, egress: EgressDeps): ProxyRules {
  const base = url.pathname.replace(/\/+$/, "");
  const headers = authorization === null ? [] : ["authorization", authorization];
  const port = url.port === "" ? "" : `:${url.port}`;
  return {
    hosts: [`${url.hostname}${port}`],
    egress,
    replace(method, asked): ReplacedRequest | null {
      const isList =
        method === "GET" && asked.pathname === `${base}/info/refs` && asked.search === `?service=${SERVICE}`;
      const isFetch = method === "POST" && asked.pathname === `${base}/${SERVICE}` && asked.search === "";
      if (asked.host !== url.host || !(isList || isFetch)) return null;
      return { url: new URL(asked.pathname + asked.search, url.origin), headers };
    },
  };
}

/** What git wrote, in words that say what to do. */
function explain(stderr: string, { ref }: GitSource): Result<never> {
  const message = (
    stderr.split("\n").find((line) => /^(?:fatal|error):/.test(line)) ??
    stderr.trim().split("\n")[0] ??
    ""
  )
    .replaceAll(/http:\/\/\S+/g, "the repository")
    .slice(0, 300);
  if (/couldn't find remote ref|not our ref|does not allow request for unadvertised/.test(stderr))
    return failed("invalid_input", `The repository has no branch, tag or commit ${ref ?? "HEAD"}. Check the ref.`, {
      field: "ref",
    });
  if (/error: 40[13]|[Aa]uthentication failed|could not read Username/.test(stderr))
    return failed(
      "permission_denied",
      "The server refused access to the repository. Name a secret with a token that may read it.",
      {
        field: "secret",
      },
    );
  if (/error: 404|not found/.test(stderr))
    return failed("not_found", "The server has no repository at this URL, or only for a token that may read it.", {
      field: "url",
    });
  if (/error: 30\d|unable to update url base/.test(stderr))
    return failed("invalid_input", "The repository has moved: the server redirects this URL. Use the new one.", {
      field: "url",
    });
  return failed("upstream_failed", `The repository could not be fetched: ${message}`);
}
