/** Which request is for what. Everything below `/api/v3.1` needs the key; a browser has the sign-in page alone. */
import type { Accounts, DemoStatus } from "./accounts.ts";
import { APPS } from "./app-list.ts";
import { type ApiReply, answerAccount, createConfig, createLink, listConfigs } from "./connections-api.ts";
import { type ExecuteBody, type Executions, toError } from "./executions.ts";
import {
  type AccountFault,
  type DemoOrders,
  type DemoSnapshot,
  type Faults,
  takeAccountFault,
  takeFault,
} from "./faults.ts";
import type { FileStorage, StorageReply } from "./file-storage.ts";
import { getToolkit, listToolkits, listTools, listTriggers } from "./listings.ts";
import { answerLogo, LOGOS } from "./logos.ts";
import { PEOPLE, renderEnded, renderSignIn } from "./sign-in-page.ts";
import {
  answerSubscription,
  manageTrigger,
  renderEvents,
  type SentEvent,
  signEvent,
  upsertTrigger,
} from "./triggers.ts";

const PREFIX = "/api/v3.1";
/** Where files are put and fetched, without the key. */
export const STORAGE = "storage";
/** Keys of projects of their own, which any tenant may put for itself. */
const OWN_KEY = /^demo-own-[a-z0-9-]{1,60}$/;

export interface DemoRequest {
  readonly method: string;
  readonly url: URL;
  readonly apiKey: string | null;
  readonly requestId: string | null;
  /** The page that sends a form; null without one. */
  readonly origin: string | null;
  /** At most a megabyte; of a file more. */
  readonly bytes: Uint8Array;
}

export type DemoReply =
  | StorageReply
  | { readonly kind: "page"; readonly status: number; readonly html: string }
  /** The event is sent first, and the page says how it was answered. */
  | { readonly kind: "send"; readonly event: SentEvent; readonly render: (note: string) => string };

export interface DemoParts {
  readonly apiKey: string;
  readonly accounts: Accounts;
  readonly executions: Executions;
  readonly files: FileStorage;
  readonly faults: Faults;
  readonly now: () => number;
}

const NOT_FOUND: DemoReply = toJson({ status: 404, body: toError(404, "Not found") });

/** Answers a request. Throws for a body that is not JSON. */
export function answer(parts: DemoParts, request: DemoRequest): DemoReply {
  const { method, url } = request;
  const { faults, files } = parts;
  files.origin = url.origin;
  const [, room, token = ""] = url.pathname.split("/");
  if (room === STORAGE) {
    if (faults.isControlled) faults.requests.push(`${method} /${STORAGE}`);
    return files.answer(method, token, request.bytes);
  }
  if (room === LOGOS) {
    if (faults.isControlled) faults.requests.push(`${method} ${url.pathname}`);
    return answerLogo(faults, token);
  }
  const text = new TextDecoder().decode(request.bytes);
  if (faults.isControlled && url.pathname === "/control") return toJson({ status: 200, body: obey(parts, text) });
  if (url.pathname.startsWith("/link/")) return answerLink(parts, method, url.pathname.slice(6), text);
  if (url.pathname === "/events") return answerEvents(parts, { ...request, text });
  if (!url.pathname.startsWith(`${PREFIX}/`)) return NOT_FOUND;
  const project = findProject(parts, request.apiKey);
  if (project === null) return toJson({ status: 401, body: toError(401, `Invalid API key: ${request.apiKey ?? ""}`) });
  const path = url.pathname.slice(PREFIX.length);
  if (faults.isControlled) faults.requests.push(`${method} ${path}${url.search}`);
  const inProject = { ...parts, accounts: parts.accounts.inProject(project) };
  const read = { ...request, text };
  return answerListing(inProject, request, path, project) ?? answerApi(inProject, read, path, project) ?? NOT_FOUND;
}

/** "": of the server's key; null for a key that is refused. */
function findProject({ apiKey, faults }: DemoParts, given: string | null): string | null {
  if (given === apiKey) return "";
  return given !== null && OWN_KEY.test(given) && faults.orders.refuseKey !== given ? given : null;
}

function answerListing(
  { faults }: DemoParts,
  { method, url: { searchParams, origin } }: DemoRequest,
  path: string,
  project: string,
): DemoReply | null {
  const list = { "/toolkits": listToolkits, "/tools": listTools, "/triggers_types": listTriggers }[path];
  if (method !== "GET" || list === undefined) return null;
  const fault = takeFault(faults, "listings");
  if (fault === "rate_limited") return toJson({ status: 429, body: toError(429, "Rate limit exceeded") });
  if (fault === "unreadable") return { kind: "page", status: 200, html: "<html>" };
  const page = list(searchParams, faults, origin);
  if (page === null) return toJson({ status: 400, body: toError(400, "Invalid cursor") });
  const cursor = searchParams.get("cursor");
  const isLoop = fault === "looping_cursor" && cursor !== null;
  if (fault === "error") return toJson({ status: 500, body: toError(500, "Internal server error") });
  const all = project !== "" && path === "/tools" && cursor === null ? addOwnTool(page) : page;
  return toJson({ status: 200, body: isLoop ? { ...page, next_cursor: cursor } : all });
}

/** A project may have toolkits of its own, which its key alone lists. */
function addOwnTool<Page extends { readonly items: readonly object[] }>(page: Page): Page {
  const [first] = page.items;
  const own = { ...first, slug: "NORTHWIND_LEDGER_POST", toolkit: { slug: "northwind_ledger", name: "", logo: "" } };
  return { ...page, items: [...page.items.slice(0, -1), own] };
}

function answerApi(
  parts: DemoParts,
  { method, url, text, requestId }: DemoRequest & { readonly text: string },
  path: string,
  project: string,
): DemoReply | null {
  const { accounts, executions, files, faults } = parts;
  const [, room = "", first = "", second = ""] = path.split("/").map((part) => decodeURIComponent(part));
  const route = `${method} ${room}`;
  if (route === "POST tools" && first === "execute") {
    const done = executions.execute(second, readBody(text) as ExecuteBody, requestId, project);
    return done.kind === "reply" ? toJson(done) : done;
  }
  if (route === "POST files" && `${first}/${second}` === "upload/request") return files.requestUpload(readBody(text));
  if (route === "GET toolkits") return toFound(getToolkit(first, faults, url.origin), "Toolkit not found");
  if (route === "POST logs" && second === "")
    return toJson({ status: 200, body: executions.searchLog(readBody(text), project) });
  if (route === "GET logs") return toFound(executions.readLog(second, project), "Log not found");
  const fault = answerFault(takeAccountFault(faults, `${url.pathname}${url.search} ${text}`));
  if (fault !== null) return fault;
  if (route === "POST trigger_instances" && second === "upsert")
    return toJson(upsertTrigger(accounts, first, readBody(text)));
  if (room === "trigger_instances" && first === "manage")
    return toReply(manageTrigger(accounts, method, second, text === "" ? {} : readBody(text)));
  if (room === "webhook_subscriptions")
    return toReply(answerSubscription(accounts, method, path, text === "" ? {} : readBody(text)));
  if (route === "GET auth_configs") return toJson(listConfigs(accounts, url.searchParams));
  if (route === "POST auth_configs") return toJson(createConfig(accounts, readBody(text)));
  if (room !== "connected_accounts") return null;
  if (method === "POST" && first === "link") return toJson(createLink(accounts, readBody(text), url.origin));
  return toReply(answerAccount(accounts, method, first, second === "revoke"));
}

function toReply(reply: ApiReply | null): DemoReply | null {
  return reply === null ? null : toJson(reply);
}

/** The page on which a person sends an event. Only its own form may do that. */
function answerEvents(
  { accounts }: DemoParts,
  { method, url, origin, text }: DemoRequest & { readonly text: string },
): DemoReply {
  const show = (note: string | null): DemoReply => ({ kind: "page", status: 200, html: renderEvents(accounts, note) });
  if (method !== "POST") return show(null);
  if (origin !== null && origin !== url.origin) return { kind: "page", status: 403, html: renderEnded() };
  const given = new URLSearchParams(text);
  const event = signEvent(accounts, given.get("trigger") ?? "", JSON.parse(given.get("data") ?? "null"));
  if (event === null) return show("Nothing was sent: the trigger is disabled, or nobody subscribed to events.");
  return { kind: "send", event, render: (note) => renderEvents(accounts, note) };
}

function answerFault(fault: AccountFault | null): DemoReply | null {
  if (fault === null) return null;
  if (fault === "hang") return { kind: "no_reply", how: "hang" };
  const isLimited = fault === "rate_limited";
  const message = isLimited ? "Rate limit exceeded" : "Internal server error";
  const status = isLimited ? 429 : 500;
  return toJson({ status, body: toError(status, message) });
}

/** The page of a consent, and its button. A link works once, and for ten minutes. */
function answerLink({ accounts, now }: DemoParts, method: string, token: string, text: string): DemoReply {
  const account = accounts.findByLink(token);
  if (account === null || account.link === null || account.link.expiresAt < now())
    return { kind: "page", status: 410, html: renderEnded() };
  if (method !== "POST") {
    const title = APPS.find(({ slug }) => slug === account.app)?.title ?? account.app;
    return { kind: "page", status: 200, html: renderSignIn(title) };
  }
  const given = new URLSearchParams(text).get("label") ?? "";
  const label = PEOPLE.find((person) => person === given) ?? null;
  const back = new URL(account.link.callbackUrl);
  accounts.settle(account.id, label);
  back.searchParams.set("status", label === null ? "failed" : "success");
  back.searchParams.set("connected_account_id", account.id);
  return { kind: "redirect", to: back.href };
}

function obey({ accounts, faults }: DemoParts, text: string): DemoSnapshot {
  const { expire, forgetConfigs, ...orders } = (text === "" ? {} : readBody(text)) as DemoOrders;
  faults.orders = { ...faults.orders, ...orders };
  const expired: DemoStatus = "EXPIRED";
  if (expire !== undefined)
    for (const id of expire === "*" ? accounts.all().map((one) => one.id) : [expire]) accounts.setStatus(id, expired);
  if (forgetConfigs === true) accounts.forgetConfigs();
  return {
    requests: faults.requests,
    effects: faults.effects,
    accounts: accounts.all().map(({ id, app, entity, status, project }) => ({
      id,
      app,
      entity,
      status,
      ...(project === undefined ? {} : { project }),
    })),
    triggers: accounts.triggers(),
    subscription: accounts.subscription(),
  };
}

function readBody(text: string): unknown {
  const body: unknown = JSON.parse(text);
  return typeof body === "object" && body !== null ? body : {};
}

function toFound(body: unknown, message: string): DemoReply {
  return toJson(body === null ? { status: 404, body: toError(404, message) } : { status: 200, body });
}

function toJson({ status, body }: ApiReply): DemoReply {
  return { kind: "json", status, body };
}
