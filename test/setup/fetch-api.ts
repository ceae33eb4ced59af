/** Sends HTTP requests of tests to a started system. Checks every reply against the system's OpenAPI document. */
import { linearPatterns } from "../../adapters/re2/patterns.ts";
import { checkReply, makeReplyJudge, type ReplyDocument, type ReplyJudge } from "./reply-judge.ts";

const DOCUMENT_TIMEOUT_MS = 30_000;
const REQUEST_TIMEOUT_MS = 60_000;

/** One judge is enough: all systems of a test file have the same release. */
let judge: ReplyJudge | null = null;

/** Sends a request and returns the unread reply. Throws `UndeclaredReply` if the reply contradicts the document. */
export async function fetchApi(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init);
  judge ??= await readJudge(new URL(url).origin);
  await checkReply(judge, init.method ?? "GET", url, response);
  return response;
}

/** Sends JSON with a key and reads the reply. `json` is null if the body is not JSON. */
export async function sendJson(url: string, key: string, method: string, body?: object) {
  const response = await fetchApi(url, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  const text = await response.text();
  const isJson = /[/+]json/.test(response.headers.get("content-type") ?? "") && text !== "";
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : null };
}

async function readJudge(origin: string): Promise<ReplyJudge> {
  const response = await fetch(`${origin}/openapi.json`, { signal: AbortSignal.timeout(DOCUMENT_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`/openapi.json answered ${response.status}`);
  return makeReplyJudge((await response.json()) as ReplyDocument, linearPatterns);
}
