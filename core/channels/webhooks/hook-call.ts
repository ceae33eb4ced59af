/** What a call of a hook says: its payload, which event it is of, and what its sender calls it. */
import { toBase64 } from "../../base/base64.ts";
import { getTextField } from "../../base/json-fields.ts";
import { MAX_DEPTH, findExceededBound } from "../../base/json-size.ts";
import { parseJson } from "../../base/parse-json.ts";
import { storable } from "../../base/storable.ts";
import type { HookType } from "./hook.ts";

/** What a call is of when nothing says more. */
const ANY_EVENT = "webhook";
/** The event by which GitHub says that the hook is set up. */
const PING = "ping";
const MAX_EVENT_CHARACTERS = 200;
const MAX_HEADERS = 64;
const MAX_HEADER_CHARACTERS = 1_000;
/** What a prompt is never filled with: credentials, signatures, and what the way here added. */
const HIDDEN_HEADER =
  /^(?:cf-|x-forwarded-|x-real-ip$)|auth(?!ors?\b)|cookie|hmac|(?<!idempotency-)key|password|secret|signature|token/;

/** A call's body as text. `encoding` base64: its bytes are no UTF-8. */
export interface CallText {
  readonly encoding: "utf-8" | "base64";
  readonly text: string;
}

/** The body as text. GitHub may send its JSON as the field `payload` of a form. */
export function textOf(type: HookType, contentType: string, body: Uint8Array): CallText {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(body);
  } catch {
    return { encoding: "base64", text: toBase64(body) };
  }
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(contentType);
  const payload = type === "github" && isForm ? new URLSearchParams(text).get("payload") : null;
  return { encoding: "utf-8", text: payload ?? text };
}

/** The payload: what the text says as JSON, else `{"raw_body": …}`. JSON that is nested too deep is taken as text. */
export function payloadOf({ encoding, text }: CallText): unknown {
  if (encoding === "base64") return { raw_body: text, encoding };
  const parsed = parseJson(text);
  const bounds = { depth: MAX_DEPTH, values: Infinity, characters: Infinity };
  const isJson = parsed !== null || text.trim() === "null";
  return isJson && findExceededBound(parsed, bounds) === null ? parsed : { raw_body: text };
}

/** Which event a call is of. */
export function eventOf(type: HookType, payload: unknown, header: (name: string) => string | null): string {
  const named =
    type === "github" ? header("x-github-event") : type === "generic" ? null : getTextField(payload, "type");
  return named === null || named === "" ? ANY_EVENT : storable(named.slice(0, MAX_EVENT_CHARACTERS));
}

/** What the sender calls this delivery, the same when it sends it again; null: it says nothing. */
export function deliveryNameOf(
  type: HookType,
  payload: unknown,
  header: (name: string) => string | null,
): string | null {
  const given = {
    github: () => header("x-github-delivery"),
    stripe: () => getTextField(payload, "id"),
    standard: () => header("webhook-id"),
    generic: () => header("idempotency-key") ?? header("webhook-id") ?? header("x-request-id"),
  }[type]();
  return given === null || given === "" ? null : given;
}

/**
 * True for a body that GitHub may send again for another event: two runs of a workflow that people begin by hand with the
 * same inputs have equal bodies. Decided by the body alone, because no header is signed. Fields:
 * https://docs.github.com/webhooks/webhook-events-and-payloads
 */
export function mayRecur(type: HookType, payload: unknown): boolean {
  if (type !== "github" || typeof payload !== "object" || payload === null) return false;
  const has = (name: string) => Object.hasOwn(payload, name);
  const isWorkflowDispatch =
    has("inputs") && getTextField(payload, "workflow") !== null && getTextField(payload, "ref") !== null;
  const isRepositoryDispatch = has("client_payload") && getTextField(payload, "branch") !== null;
  return isWorkflowDispatch || isRepositoryDispatch;
}

/** Why a call makes no task; null: it makes one. */
export function whyLeft(type: HookType, events: readonly string[] | undefined, event: string): string | null {
  if (type === "github" && event === PING) return "GitHub's ping makes no task.";
  if (events === undefined || events.includes(event)) return null;
  return `The hook takes ${events.join(", ")}; this is ${event}.`;
}

/** The headers that a prompt may be filled with. */
export function shownHeaders(headers: Iterable<readonly [string, string]>): Readonly<Record<string, string>> {
  const shown = Array.from(headers, ([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !HIDDEN_HEADER.test(name))
    .slice(0, MAX_HEADERS);
  return Object.fromEntries(shown.map(([name, value]) => [name, value.slice(0, MAX_HEADER_CHARACTERS)]));
}
