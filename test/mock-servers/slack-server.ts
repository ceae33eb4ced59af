/**
 * A mock server of Slack on loopback: its Web API in its wire format (forms and JSON, 200 with `ok: false`, 429 with `Retry-After`), the
 * three calls of an upload, private files, and response URLs. Tests create workspaces and control them over HTTP below `/mock/`, which also
 * works in workerd: see slack-client.ts.
 */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { closeServer, listenOnLoopback } from "./listen.ts";
import type { SlackCall, SlackCode, SlackFault } from "./slack-client.ts";
import { answerMethod, fileFacts, type SlackArguments } from "./slack-methods.ts";
import { SlackWorkspace, type WorkspaceOptions } from "./slack-workspace.ts";

export interface SlackServer {
  readonly url: string;
  close(): Promise<void>;
}

export async function startSlackServer({ port = 0 }: { readonly port?: number } = {}): Promise<SlackServer> {
  const slack = new SlackMock();
  const server = createServer((request, response) => {
    slack.serve(request, response).catch((thrown: unknown) => {
      if (!response.headersSent) response.writeHead(500);
      response.end(String(thrown));
    });
  });
  server.keepAliveTimeout = 60_000;
  slack.base = `http://127.0.0.1:${await listenOnLoopback(server, port)}`;
  return { url: slack.base, close: () => closeServer(server) };
}

interface Reply {
  readonly status?: number;
  readonly json?: unknown;
  readonly bytes?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Arrived {
  readonly url: URL;
  readonly method: string;
  readonly headers: IncomingMessage["headers"];
  readonly bytes: Buffer;
}

/** The facts of a request for faults and records. */
interface MethodCall {
  readonly team: string | null;
  readonly method: string;
  readonly given: SlackArguments;
}

class SlackMock {
  base = "";
  private readonly workspaces = new Map<string, SlackWorkspace>();
  private readonly calls: SlackCall[] = [];
  private faults: SlackFault[] = [];
  private readonly codes = new Map<string, SlackCode & { isUsed?: boolean }>();
  private readonly responseUrls = new Map<string, { readonly team: string; uses: number }>();

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const url = new URL(request.url ?? "/", this.base);
    const arrived = { url, method: request.method ?? "GET", headers: request.headers, bytes: Buffer.concat(parts) };
    if (url.pathname.startsWith("/mock/")) return send(response, this.control(arrived));

    const parsed = this.parseCall(arrived);
    const fault = this.faultFor(parsed);
    const call: SlackCall = { at: Date.now(), ...parsed, ok: false, status: 0 };
    this.calls.push(call);
    if (fault?.kind === "hang") return;
    if (fault?.kind === "reset") return void request.socket.resetAndDestroy();
    const reply = fault === null || fault.kind === "cut" ? this.answer(arrived, parsed) : faultReply(fault);
    call.status = reply.status ?? 200;
    call.ok = call.status === 200 && (reply.json as { ok?: unknown } | undefined)?.ok !== false;
    if (fault?.kind === "cut") return void request.socket.resetAndDestroy();
    send(response, reply);
  }

  private parseCall(arrived: Arrived): MethodCall {
    const { url } = arrived;
    const [, first = "", second = "", third = ""] = url.pathname.split("/");
    if (first === "api") {
      const { token: _, ...given } = readArguments(arrived);
      return { team: this.byToken(readToken(arrived))?.team ?? null, method: second, given };
    }
    if (first === "upload") return { team: third, method: "upload", given: {} };
    if (first === "files-pri") return { team: second.split("-")[0] ?? null, method: "download", given: {} };
    const team = this.responseUrls.get(second)?.team ?? null;
    return { team, method: first === "response" ? "response_url" : first, given: readArguments(arrived) };
  }

  private answer(arrived: Arrived, { method, given }: MethodCall): Reply {
    const [, first = "", second = "", third = "", fourth = ""] = arrived.url.pathname.split("/");
    if (first === "api") return { json: this.api(arrived, method, given) };
    if (first === "upload") return this.upload(third, fourth, arrived);
    if (first === "files-pri") return this.download(second, arrived);
    if (first === "response") return this.respond(second);
    return { status: 404, json: { ok: false, error: "not_found" } };
  }

  private api(arrived: Arrived, method: string, given: SlackArguments): Record<string, unknown> {
    if (method === "oauth.v2.access") return this.oauth(arrived, given);
    const token = readToken(arrived);
    if (token === "") return { ok: false, error: "not_authed" };
    const workspace = this.byToken(token);
    if (workspace === null) return { ok: false, error: "invalid_auth" };
    if (workspace.isRevoked) return { ok: false, error: "account_inactive" };
    const answer = answerMethod(method, workspace, given, this.base);
    const isBareJson = arrived.headers["content-type"] === "application/json";
    if (!isBareJson) return answer;
    const warnings = { warnings: ["missing_charset"] };
    const metadata = { ...(answer["response_metadata"] as object | undefined), ...warnings };
    return { ...answer, warning: "missing_charset", response_metadata: metadata };
  }

  private oauth({ headers }: Arrived, given: SlackArguments): Record<string, unknown> {
    const basic = headers.authorization?.startsWith("Basic ") === true ? atob(headers.authorization.slice(6)) : null;
    const [id, secret] = basic?.split(":") ?? [given["client_id"], given["client_secret"]];
    const code = this.codes.get(String(given["code"]));
    if (code === undefined) return { ok: false, error: "invalid_code" };
    if (code.isUsed === true) return { ok: false, error: "code_already_used" };
    if (id !== code.clientId) return { ok: false, error: "invalid_client_id" };
    if (secret !== code.clientSecret) return { ok: false, error: "bad_client_secret" };
    if (code.redirectUri !== undefined && given["redirect_uri"] !== code.redirectUri)
      return { ok: false, error: "bad_redirect_uri" };
    code.isUsed = true;
    const workspace = this.workspace(code.team);
    workspace.isRevoked = false;
    return {
      ok: true,
      app_id: workspace.appId,
      authed_user: { id: code.user },
      scope: code.scope,
      token_type: "bot",
      access_token: workspace.token,
      bot_user_id: workspace.botUser,
      team: { id: workspace.team, name: workspace.name },
      enterprise: null,
      is_enterprise_install: false,
    };
  }

  private upload(team: string, id: string, { bytes, headers }: Arrived): Reply {
    const file = this.workspaces.get(team)?.files.get(id);
    if (file === undefined) return { status: 404, bytes: Buffer.from("not found") };
    file.bytes = multipartBody(bytes, headers["content-type"]) ?? bytes;
    return { bytes: Buffer.from(`OK - ${bytes.byteLength}`), headers: { "content-type": "text/plain" } };
  }

  /** Without the right token Slack redirects to its sign-in page. */
  private download(named: string, { headers }: Arrived): Reply {
    const [team = "", id = ""] = named.split("-");
    const workspace = this.workspaces.get(team);
    const file = workspace?.files.get(id);
    if (workspace === undefined || headers.authorization !== `Bearer ${workspace.token}` || workspace.isRevoked)
      return { status: 302, bytes: Buffer.from(""), headers: { location: `${this.base}/signin` } };
    if (file?.bytes == null) return { status: 404, bytes: Buffer.from("") };
    return { bytes: file.bytes, headers: { "content-type": file.mimetype } };
  }

  private respond(id: string): Reply {
    const found = this.responseUrls.get(id);
    if (found === undefined) return { status: 404, json: { ok: false, error: "expired_url" } };
    found.uses += 1;
    return found.uses > 5 ? { status: 404, json: { ok: false, error: "used_url" } } : { json: { ok: true } };
  }

  private faultFor({ team, method }: MethodCall): SlackFault | null {
    const index = this.faults.findIndex(
      (one) => (one.team === undefined || one.team === team) && (one.method === undefined || one.method === method),
    );
    const fault = this.faults[index];
    if (fault === undefined) return null;
    const left = (fault.times ?? Infinity) - 1;
    if (left <= 0) this.faults.splice(index, 1);
    else this.faults[index] = { ...fault, times: left };
    return fault;
  }

  private control({ url, method, bytes }: Arrived): Reply {
    const [, , what, team = ""] = url.pathname.split("/");
    const given: unknown = bytes.byteLength === 0 || what === "file" ? null : JSON.parse(bytes.toString("utf8"));
    switch (`${method} ${what ?? ""}`) {
      case "POST workspace": {
        const made = new SlackWorkspace(given as WorkspaceOptions);
        this.workspaces.set(made.team, made);
        return { json: this.facts(made) };
      }
      case "GET workspace":
        return { json: this.facts(this.workspace(team)) };
      case "POST revoked":
        this.workspace(team).isRevoked = given === true;
        return { json: {} };
      case "POST user":
        this.workspace(team).addUser(given as Parameters<SlackWorkspace["addUser"]>[0]);
        return { json: {} };
      case "POST channel":
        this.workspace(team).addChannel(given as Parameters<SlackWorkspace["addChannel"]>[0]);
        return { json: {} };
      case "POST said":
        return { json: this.say(team, given as { channel: string; user: string; text: string; thread_ts?: string }) };
      case "POST file":
        return { json: this.putFile(team, url.searchParams, bytes) };
      case "POST fault":
        this.faults.push(given as SlackFault);
        return { json: {} };
      case "DELETE fault":
        this.faults = this.faults.filter((fault) => team !== "" && fault.team !== team);
        return { json: {} };
      case "POST code":
        this.codes.set((given as SlackCode).code, given as SlackCode);
        return { json: {} };
      case "POST response-url": {
        const id = randomUUID();
        this.responseUrls.set(id, { team, uses: 0 });
        return { json: { url: `${this.base}/response/${id}` } };
      }
      case "GET calls":
        return { json: this.calls.filter((call) => call.team === team) };
      default:
        return { status: 404, json: { error: `the mock server knows no ${method} ${url.pathname}` } };
    }
  }

  private facts(workspace: SlackWorkspace): unknown {
    const { team, name, botUser, botId, appId, token } = workspace;
    const channels = [...workspace.channels.values()];
    const views = [...workspace.views.values()];
    const files = [...workspace.files.values()].map(({ id, name: named, title, bytes, shared }) => {
      return { id, name: named, title, shared, text: bytes === null ? null : Buffer.from(bytes).toString("utf8") };
    });
    return { team, name, botUser, botId, appId, token, channels, views, files };
  }

  /** Adds a person's message, in the format of `conversations.replies`. */
  private say(team: string, said: { channel: string; user: string; text: string; thread_ts?: string }): unknown {
    const workspace = this.workspace(team);
    const channel = workspace.channel(said.channel);
    if (channel === null) throw new Error(`there is no channel ${said.channel}`);
    const { user, text, thread_ts: thread } = said;
    return workspace.post(channel, { user, text, ...(thread !== undefined && { thread_ts: thread }) });
  }

  /** Adds a person's file, in the format of its message. */
  private putFile(team: string, query: URLSearchParams, bytes: Uint8Array): unknown {
    const workspace = this.workspace(team);
    const id = workspace.nextId("F");
    const name = query.get("name") ?? "file";
    const mimetype = query.get("type") ?? "text/plain";
    workspace.files.set(id, { id, name, title: name, bytes, mimetype, shared: null });
    return fileFacts(workspace, id, this.base);
  }

  private byToken(token: string): SlackWorkspace | null {
    return [...this.workspaces.values()].find((workspace) => workspace.token === token) ?? null;
  }

  private workspace(team: string): SlackWorkspace {
    const found = this.workspaces.get(team);
    if (found === undefined) throw new Error(`there is no workspace ${team}`);
    return found;
  }
}

/** Reads the token from the header or from the arguments, both of which Slack accepts. */
function readToken(arrived: Arrived): string {
  const { token } = readArguments(arrived);
  return arrived.headers.authorization?.replace(/^Bearer /, "") ?? (typeof token === "string" ? token : "");
}

/** Reads arguments of a form or of JSON. Parses values of a form that begin like JSON. */
function readArguments({ url, headers, bytes }: Arrived): Record<string, unknown> {
  const type = headers["content-type"] ?? "";
  const body = bytes.toString("utf8");
  if (type.startsWith("application/json")) return body === "" ? {} : (JSON.parse(body) as Record<string, unknown>);
  if (body !== "" && !type.startsWith("application/x-www-form-urlencoded")) return {};
  const fields = [...url.searchParams, ...new URLSearchParams(body)];
  return Object.fromEntries(fields.map(([name, value]) => [name, NESTED.has(name) ? JSON.parse(value) : value]));
}

const NESTED: ReadonlySet<string> = new Set(["blocks", "attachments", "metadata", "view", "files"]);

function faultReply(fault: SlackFault): Reply {
  switch (fault.kind) {
    case "ratelimited": {
      const headers = { "retry-after": String(fault.retryAfter ?? 1) };
      return { status: 429, json: { ok: false, error: "ratelimited" }, headers };
    }
    case "status":
      return {
        status: fault.status ?? 500,
        bytes: Buffer.from("upstream error"),
        headers: { "content-type": "text/html" },
      };
    default:
      return { json: { ok: false, error: fault.error ?? "internal_error" } };
  }
}

/** Returns the first part of a multipart body. Null for other bodies. */
function multipartBody(bytes: Buffer, type: string | undefined): Buffer | null {
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)"?/.exec(type ?? "")?.[1];
  if (boundary === undefined) return null;
  const start = bytes.indexOf("\r\n\r\n");
  const end = bytes.indexOf(`\r\n--${boundary}`, start);
  return start < 0 || end < 0 ? null : bytes.subarray(start + 4, end);
}

function send(response: ServerResponse, { status = 200, json, bytes, headers = {} }: Reply): void {
  const type = {
    "content-type": "application/json; charset=utf-8",
    "x-slack-req-id": randomUUID().replaceAll("-", ""),
  };
  response.writeHead(status, { ...type, ...headers });
  response.end(bytes ?? JSON.stringify(json ?? {}));
}
