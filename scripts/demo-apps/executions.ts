/** Calls of actions: what they do, what the log says of them, and the faults between. */
import { randomUUID } from "node:crypto";
import type { ToolExecuteResponse } from "@composio/client/resources/tools";
import type { LogCreateToolExecutionResponse, LogRetrieveToolExecutionResponse } from "@composio/client/resources/logs";
import type { Accounts, DemoAccount } from "./accounts.ts";
import { type CallFault, type Faults, takeFault } from "./faults.ts";
import type { FileStorage } from "./file-storage.ts";
import { findAction } from "./listings.ts";
import type { Done } from "./working/working-app.ts";
import { WORKING_APPS } from "./working/working-apps.ts";

const MAX_LOG = 1_000;
const SERVER_ERROR = 500;

/** The body of `POST /tools/execute/{action}`. */
export interface ExecuteBody {
  readonly connected_account_id?: unknown;
  readonly user_id?: unknown;
  readonly version?: unknown;
  readonly arguments?: unknown;
}

export type Executed =
  | { readonly kind: "reply"; readonly status: number; readonly body: ToolExecuteResponse | ErrorBody }
  | { readonly kind: "no_reply"; readonly how: "hang" | "cut" };

export interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly status: number;
    readonly request_id: string;
    readonly suggested_fix: string;
  };
}

interface LogRow {
  readonly id: string;
  readonly project: string;
  readonly at: number;
  readonly action: string;
  readonly app: string;
  readonly account: DemoAccount | null;
  readonly user: string | null;
  readonly requestId: string | null;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly response: ToolExecuteResponse;
}

export interface Executions {
  execute(action: string, body: ExecuteBody, requestId: string | null, project: string): Executed;
  searchLog(body: unknown, project: string): LogCreateToolExecutionResponse;
  /** Null for an entry that is not there. */
  readLog(id: string, project: string): LogRetrieveToolExecutionResponse | null;
}

export function toError(status: number, message: string, suggested_fix = ""): ErrorBody {
  return { error: { message, status, request_id: randomUUID(), suggested_fix } };
}

export interface ExecutionParts {
  readonly accounts: Accounts;
  readonly faults: Faults;
  readonly files: FileStorage;
  readonly now: () => number;
}

export function openExecutions({ accounts, faults, files, now }: ExecutionParts): Executions {
  /** What each account has, by app and account; `*` for apps without one. */
  const states = new Map<string, unknown>();
  const log: LogRow[] = [];

  function run(slug: string, given: Readonly<Record<string, unknown>>, account: DemoAccount | null): Done {
    const app = WORKING_APPS.find(({ actions }) => actions.some((one) => one.slug === slug));
    const action = app?.actions.find((one) => one.slug === slug);
    if (app === undefined || action === undefined)
      return { data: { message: `${slug} is an action of a demo app without data. Nothing happened.` } };
    const key = `${app.slug} ${account?.id ?? "*"}`;
    if (!states.has(key)) states.set(key, app.begin(now()));
    return action.run(given, states.get(key), now(), files);
  }

  function record(row: Omit<LogRow, "id" | "at">): string {
    const id = `log_${randomUUID().slice(0, 13)}`;
    log.push({ id, at: now(), ...row, response: { ...row.response, log_id: id } });
    if (log.length > MAX_LOG) log.shift();
    return id;
  }

  return {
    execute(slug, body, requestId, project) {
      const found = findAction(slug);
      if (found === null) return reply(404, toError(404, `Tool ${slug} not found`));
      const { app, action } = found;
      const isRecord = typeof body.arguments === "object" && body.arguments !== null && !Array.isArray(body.arguments);
      const given = isRecord ? (body.arguments as Readonly<Record<string, unknown>>) : {};
      const account = findAccount(accounts.inProject(project), app.slug, body);
      if (app.signIn !== "none") {
        if (account === null)
          return reply(404, toError(404, "Connected account not found", "Connect the account first."));
        if (account.status !== "ACTIVE") return reply(400, toError(400, `Connected account is ${account.status}`));
      }
      const missing = listMissing(action.input, given);
      if (missing.length > 0) return reply(400, toError(400, `Following fields are missing: ${missing.join(", ")}`));
      const fault = takeFault(faults, "calls", slug);
      const early = fault === null ? null : failBefore(fault);
      if (early !== null) return early;
      const user = typeof body.user_id === "string" ? body.user_id : null;
      const refusal = fault === null ? null : refuseByApp(fault);
      const done = refusal ?? run(slug, given, account);
      const response = fault === "unsuccessful" ? UNSUCCESSFUL : toResponse(done);
      const id = record({ project, action: slug, app: app.slug, account, user, requestId, arguments: given, response });
      if (faults.isControlled && "data" in done)
        faults.effects.push({ action: slug, account: account?.id ?? null, arguments: given, requestId });
      if (fault === "hang" || fault === "cut") return { kind: "no_reply", how: fault };
      return reply(200, { ...response, log_id: id });
    },
    searchLog(body, project) {
      const { filters, from, to, limit } = readSearch(body);
      const isNamed = faults.orders.log !== "without_request_ids";
      const found =
        faults.orders.log === "absent"
          ? []
          : log.filter((row) => row.project === project && row.at >= from && row.at <= to);
      const logs = found
        .filter((row) => filters.every(({ field, value }) => getLogged(row, field, isNamed) === value))
        .slice(-limit)
        .map((row) => toLogEntry(row));
      return { logs, next_cursor: null } satisfies LogCreateToolExecutionResponse;
    },
    readLog(id, project) {
      const row = log.find((one) => one.id === id && one.project === project);
      if (row === undefined) return null;
      const payloads = { request: { arguments: row.arguments }, response: row.response };
      return {
        ...toLogEntry(row),
        context: row.requestId === null ? {} : { request_id: row.requestId },
        source: {},
        data: faults.orders.log === "without_payloads" ? {} : payloads,
      } satisfies LogRetrieveToolExecutionResponse;
    },
  };
}

function reply(status: number, body: ToolExecuteResponse | ErrorBody): Executed {
  return { kind: "reply", status, body };
}

/** The account that the body names, if it is the user's; without a name, the first active one. */
function findAccount(
  accounts: Accounts,
  app: string,
  { connected_account_id: id, user_id: user }: ExecuteBody,
): DemoAccount | null {
  if (typeof id !== "string") return typeof user === "string" ? accounts.findActive(app, user) : null;
  const account = accounts.find(id);
  return account !== null && account.app === app && (user === undefined || account.entity === user) ? account : null;
}

function listMissing(input: unknown, given: Readonly<Record<string, unknown>>): string[] {
  const required = typeof input === "object" && input !== null && "required" in input ? input.required : [];
  return Array.isArray(required) ? required.filter((name): name is string => !Object.hasOwn(given, String(name))) : [];
}

function failBefore(fault: CallFault): Executed | null {
  if (fault === "rate_limited") return reply(429, toError(429, "Rate limit exceeded"));
  if (fault === "error") return reply(SERVER_ERROR, toError(SERVER_ERROR, "Internal server error"));
  return null;
}

/** What the app answers in place of acting. The log has it. */
function refuseByApp(fault: CallFault): Done | null {
  if (fault === "app_limited") return { status: 429, message: "Too Many Requests for url: https://app.example" };
  return fault === "refused" ? { status: 403, message: "Forbidden for url: https://app.example" } : null;
}

function toResponse(done: Done): ToolExecuteResponse {
  if ("data" in done) return { data: done.data, error: null, successful: true };
  const { status, message } = done;
  return { data: { status_code: status, message }, error: `${status} Client Error: ${message}`, successful: false };
}

/** A failure that does not say whether the app did it. */
const UNSUCCESSFUL: ToolExecuteResponse = { data: {}, error: "The app closed the connection", successful: false };

function toLogEntry({
  id,
  at,
  action,
  account,
  user,
  response,
}: LogRow): LogCreateToolExecutionResponse["logs"][number] {
  return {
    id,
    timestamp: new Date(at).toISOString(),
    type: "tool.execution",
    status: response.successful ? "success" : "failed",
    level: response.successful ? "info" : "error",
    metadata: { tool_slug: action, connected_account_id: account?.id ?? null, user_id: user },
    metrics: {},
    parent: null,
  };
}

function getLogged(row: LogRow, field: string, isNamed: boolean): string | null {
  if (field === "request_id") return isNamed ? row.requestId : null;
  if (field === "tool_slug") return row.action;
  if (field === "toolkit_slug") return row.app;
  if (field === "connected_account_id") return row.account?.id ?? null;
  if (field === "user_id") return row.user;
  return field === "log_id" ? row.id : null;
}

interface LogSearch {
  readonly filters: readonly { readonly field: string; readonly value: string }[];
  readonly from: number;
  readonly to: number;
  readonly limit: number;
}

function readSearch(body: unknown): LogSearch {
  const given = body as {
    readonly filters?: LogSearch["filters"];
    readonly time_range?: { readonly from: number; readonly to: number };
    readonly limit?: number;
  };
  const { from = 0, to = Number.MAX_SAFE_INTEGER } = given.time_range ?? {};
  return { filters: given.filters ?? [], from, to, limit: given.limit ?? 50 };
}
