/** Reads a call of a hook: its payload, its event, and the sender's delivery id. */
import { toBase64 } from "../../base/base64.ts";
import { getTextField } from "../../base/json-fields.ts";
import { MAX_DEPTH, findExceededBound } from "../../base/json-size.ts";
import { parseJson } from "../../base/parse-json.ts";
import { storable } from "../../base/storable.ts";
import type { HookType } from "./hook.ts";

/** The event of a call that names none. */
const ANY_EVENT = "webhook";
/** The event with which GitHub confirms a new hook. */
const PING = "ping";
const MAX_EVENT_CHARACTERS = 200;
const MAX_HEADERS = 64;
const MAX_HEADER_CHARACTERS = 1_000;
/** Headers that a template must not contain: credentials, signatures, and those added on the way. */
const HIDDEN_HEADER =
  /^(?:cf-|x-forwarded-|x-real-ip$)|auth(?!ors?\b)|cookie|hmac|(?<!idempotency-)key|password|secret|signature|token/;

/** A call's body as text. `encoding` is base64 when the bytes are not UTF-8. */
export interface CallText {
  readonly encoding: "utf-8" | "base64";
  readonly text: string;
}

/** The body as text. GitHub may send its JSON as the field `payload` of a form. */
export function decodeBody(type: HookType, contentType: string, body: Uint8Array): CallText {
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

/** The payload: the text as JSON, otherwise `{"raw_body": …}`. JSON that is nested too deeply stays text. */
export function parsePayload({ encoding, text }: CallText): unknown {
  if (encoding === "base64") return { raw_body: text, encoding };
  const parsed = parseJson(text);
  const bounds = { depth: MAX_DEPTH, values: Infinity, characters: Infinity };
  const isJson = parsed !== null || text.trim() === "null";
  return isJson && findExceededBound(parsed, bounds) === null ? parsed : { raw_body: text };
}

/** The event of a call. */
export function findEvent(type: HookType, payload: unknown, header: (name: string) => string | null): string {
  const named =
    type === "github" ? header("x-github-event") : type === "generic" ? null : getTextField(payload, "type");
  return named === null || named === "" ? ANY_EVENT : storable(named.slice(0, MAX_EVENT_CHARACTERS));
}

/** The sender's id of this delivery, which a repeat has too; null without one. */
export function findDeliveryName(
  type: HookType,
  payload: unknown,
  header: (name: string) => string | null,
): string | null {
  const given = {
    github: () => header("x-github-delivery"),
    stripe: () => getTextField(payload, "id"),
    standard: () => header("webhook-id"),
    composio: () => header("webhook-id"),
    generic: () => header("idempotency-key") ?? header("webhook-id") ?? header("x-request-id"),
  }[type]();
  return given === null || given === "" ? null : given;
}

/**
 * True for a body that GitHub may send again for another event: two runs of a manual workflow with the same inputs have
 * equal bodies. The body alone decides, because no header is signed. Fields:
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

/** Why a call creates no task; null when it creates one. */
export function findIgnoreReason(type: HookType, events: readonly string[] | undefined, event: string): string | null {
  if (type === "github" && event === PING) return "GitHub's ping creates no task.";
  if (events === undefined || events.includes(event)) return null;
  return `The hook accepts ${events.join(", ")}; this is ${event}.`;
}

/** The headers that a template may contain. */
export function selectHeaders(headers: Iterable<readonly [string, string]>): Readonly<Record<string, string>> {
  const selected = Array.from(headers, ([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !HIDDEN_HEADER.test(name))
    .slice(0, MAX_HEADERS);
  return Object.fromEntries(selected.map(([name, value]) => [name, value.slice(0, MAX_HEADER_CHARACTERS)]));
}
