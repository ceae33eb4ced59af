/** A git server on loopback: repositories in a folder, over smart HTTP by `git http-backend`. */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { LOOPBACK_CERTIFICATE } from "./certificates.ts";
import { closeServer, listenOnLoopback } from "./listen.ts";

const BACKEND = "/usr/lib/git-core/git-http-backend";
const IDENTITY = ["-c", "user.name=Ana", "-c", "user.email=ana@example.com", "-c", "init.defaultBranch=main"];

/** What a request to the server had. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly authorization: string | null;
}

export interface GitMockServer {
  readonly port: number;
  readonly requests: readonly SeenRequest[];
  /** The address of a repository, without the server's scheme and host. */
  readonly origin: string;
  /** Commits these files (null removes one), and returns the commit's hash. */
  commit(repository: string, files: Readonly<Record<string, string | Uint8Array | null>>, prepare?: Prepare): string;
  /** Runs git in the repository. */
  git(repository: string, args: readonly string[]): string;
  close(): Promise<void>;
}

/** Changes the work folder before the commit. */
export type Prepare = (folder: string) => void;

export interface GitServerOptions {
  readonly isTls?: boolean;
  /** The value of `authorization` without which it answers 401. */
  readonly authorization?: string;
  /** Awaited before each answer. */
  readonly before?: () => Promise<void>;
  /** Answers instead of git, if it returns true. */
  readonly intercept?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

export async function startGitServer(options: GitServerOptions = {}): Promise<GitMockServer> {
  const root = mkdtempSync(join(tmpdir(), "otto-git-"));
  const requests: SeenRequest[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const { method = "GET", url = "/", headers } = request;
    requests.push({ method, url, authorization: headers.authorization ?? null });
    if (options.intercept?.(request, response) === true) return;
    if (options.authorization !== undefined && headers.authorization !== options.authorization) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
      return;
    }
    void (options.before?.() ?? Promise.resolve()).then(() => runBackend(root, request, response));
  };
  const isTls = options.isTls === true;
  const server = isTls ? createTlsServer(LOOPBACK_CERTIFICATE, answer) : createServer(answer);
  const port = await listenOnLoopback(server, 0);
  const git = (repository: string, args: readonly string[]): string =>
    run(join(root, repository), [...IDENTITY, ...args]);
  return {
    port,
    requests,
    origin: `${isTls ? "https" : "http"}://127.0.0.1:${port}`,
    git,
    commit(repository, files, prepare) {
      const folder = join(root, repository);
      mkdirSync(folder, { recursive: true });
      git(repository, ["init", "--quiet"]);
      git(repository, ["config", "uploadpack.allowReachableSHA1InWant", "true"]);
      git(repository, ["config", "http.uploadpack", "true"]);
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        if (content === null) rmSync(join(folder, path));
        else writeFileSync(join(folder, path), content);
      }
      prepare?.(folder);
      git(repository, ["add", "--all", "--force"]);
      git(repository, ["commit", "--quiet", "--allow-empty", "--message", "A change"]);
      return git(repository, ["rev-parse", "HEAD"]).trim();
    },
    async close() {
      await closeServer(server);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function run(folder: string, args: readonly string[]): string {
  const ran = spawnSync("git", args, { cwd: folder, encoding: "utf8" });
  if (ran.status !== 0) throw new Error(`git ${args.join(" ")}: ${ran.stderr}`);
  return ran.stdout;
}

/** Runs git's CGI program for one request (RFC 3875). */
function runBackend(root: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  const child = spawn(BACKEND, [], {
    env: {
      PATH: "/usr/bin:/bin",
      HOME: root,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "safe.directory",
      GIT_CONFIG_VALUE_0: "*",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      REQUEST_METHOD: request.method ?? "GET",
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      CONTENT_LENGTH: request.headers["content-length"] ?? "",
      HTTP_CONTENT_ENCODING: String(request.headers["content-encoding"] ?? ""),
      REMOTE_ADDR: "127.0.0.1",
    },
  });
  request.pipe(child.stdin);
  child.stdin.on("error", () => undefined);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.on("close", () => {
    const output = Buffer.concat(chunks);
    const end = output.indexOf("\r\n\r\n");
    const headers = output.subarray(0, Math.max(0, end)).toString("latin1").split("\r\n");
    const pairs = headers.map((line): [string, string] => [
      line.slice(0, line.indexOf(":")).toLowerCase(),
      line.slice(line.indexOf(":") + 1).trim(),
    ]);
    const status = Number.parseInt(pairs.find(([name]) => name === "status")?.[1] ?? "200", 10);
    response.writeHead(end < 0 ? 500 : status, Object.fromEntries(pairs.filter(([name]) => name !== "status")));
    response.end(output.subarray(end + 4));
  });
}
