/** The API of the address that the page came from. The session's cookie goes with every request; no key is ever in a script. */
import createClient from "openapi-fetch";
import { isKeptRefusal } from "./kept-refusal.ts";
import { ApiError } from "./problem.ts";
import type { paths, Problem } from "./types.generated.ts";

export const api = createClient<paths>({ baseUrl: window.location.origin });

const REQUEST_KEY = "Idempotency-Key";
const spent = new Set<string>();

api.use({ onResponse: ({ request, response }) => noteRefusal(request.headers.get(REQUEST_KEY), response) });

interface Reply<Body> {
  readonly data?: Body;
  readonly error?: unknown;
  readonly response: Response;
}

/** The body of a successful answer. Throws `ApiError` for every other, and when none came. */
export async function answered<Body>(request: Promise<Reply<Body>>): Promise<Body> {
  const { data, error, response } = await reached(request);
  if (!response.ok) throw new ApiError(response.status, asProblem(error));
  // An answer without a body, such as 204, is undefined by its own type.
  return data as Body;
}

/** A successful answer with its headers. */
export async function answeredWithHeaders<Body>(
  request: Promise<Reply<Body>>,
): Promise<{ readonly body: Body; readonly headers: Headers }> {
  const reply = await reached(request);
  return { body: await answered(Promise.resolve(reply)), headers: reply.response.headers };
}

/** A successful answer with the ETag of what will be changed. */
export async function answeredWithTag<Body>(
  request: Promise<Reply<Body>>,
): Promise<{ readonly body: Body; readonly etag: string | null }> {
  const { body, headers } = await answeredWithHeaders(request);
  return { body, etag: headers.get("etag") };
}

/** Headers under which a request that makes something may be sent twice and makes it once. One for each thing to make. */
export function once(key: string): Record<string, string> {
  return { [REQUEST_KEY]: key };
}

/** Whether the API will answer this key with the same refusal for a day. */
export function isSpent(key: string): boolean {
  return spent.has(key);
}

function noteRefusal(key: string | null, response: Response): void {
  if (key !== null && isKeptRefusal(response)) spent.add(key);
}

/** A name for one thing that is to be made: kept over every try of it. */
export function newRequestKey(): string {
  return crypto.randomUUID();
}

/** Where a file of a task is fetched from. */
export function fileAddress(taskId: string, path: string): string {
  return `/v1/tasks/${encodeURIComponent(taskId)}/files/${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** Sends bytes as they are (a file's, an upload's), and answers JSON. Throws `ApiError`. */
export async function sendBytes<Body>(
  method: "POST" | "PUT",
  address: string,
  body: Blob | FormData,
  headers: Record<string, string> = {},
): Promise<Body> {
  let response: Response;
  try {
    response = await fetch(address, { method, body, headers });
  } catch {
    throw new ApiError(0, null);
  }
  noteRefusal(new Headers(headers).get(REQUEST_KEY), response);
  const text = await response.text();
  const json: unknown = text === "" ? undefined : readJson(text);
  if (!response.ok) throw new ApiError(response.status, asProblem(json));
  return json as Body;
}

async function reached<Body>(request: Promise<Reply<Body>>): Promise<Reply<Body>> {
  try {
    return await request;
  } catch {
    throw new ApiError(0, null);
  }
}

function asProblem(error: unknown): Problem | null {
  return typeof error === "object" && error !== null && "code" in error ? (error as Problem) : null;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
