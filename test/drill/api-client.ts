/** The drills' client of the API. A reply is a status and a body; a failed connection has status 0. */
import { UndeclaredReply } from "../setup/reply-judge.ts";

/** The task fields that drills use. */
export interface TaskBody {
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly output: { readonly text: string; readonly files: readonly { readonly path: string }[] } | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly pending: readonly PendingBody[];
  readonly parent_id: string | null;
  readonly input: string;
  readonly usage: { readonly steps: number; readonly input_tokens: number; readonly output_tokens: number };
}

/** What a task waits for. A question has a `query`, an approval `arguments` and their hash. */
export interface PendingBody {
  readonly kind: string;
  readonly id: string;
  readonly query?: string;
  readonly arguments?: unknown;
  readonly arguments_hash?: string;
  readonly expires_at?: string | null;
}

/** A row of the ledger. */
export interface LedgerBody {
  readonly call_id: string;
  readonly step: number;
  readonly tool: string;
  readonly effect: string;
  readonly state: string;
  readonly key: string;
  readonly attempts: number;
  readonly arguments_hash: string;
  readonly result?: { readonly ok: boolean; readonly error?: { readonly code: string; readonly message: string } };
}

/** An entry of the log. */
export interface EventBody {
  readonly seq: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

const REQUEST_TIMEOUT_MS = 30_000;
/** How long to retry a required request: longer than the restart of a killed runtime on a busy machine. */
const MUST_WITHIN_MS = 90_000;

type SendRequest = (url: string, init: RequestInit) => Promise<Response>;

export class ApiClient {
  readonly #url: string;
  readonly #key: string;
  readonly #send: SendRequest;

  /** Tests pass a `send` that checks each reply. */
  constructor(url: string, key: string, send: SendRequest = fetch) {
    this.#url = url;
    this.#key = key;
    this.#send = send;
  }

  /** Sends one request. A failed connection gives status 0 and a body that says why. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> {
    const { status, text } = await this.#exchange(method, path, body, headers);
    return { status, body: text === "" ? null : parse(text) };
  }

  /** Returns the status and the text of a reply. Status 0 and the failure without one. */
  async #exchange(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly status: number; readonly text: string }> {
    try {
      const response = await this.#send(this.#url + path, {
        method,
        headers: {
          authorization: `Bearer ${this.#key}`,
          accept: "application/json",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      if (error instanceof UndeclaredReply) throw error;
      return { status: 0, text: whyNot(error) };
    }
  }

  /**
   * Sends a request that must succeed. Retries failed connections and rate limits under the same idempotency key.
   */
  async must<T>(method: string, path: string, body?: unknown): Promise<T> {
    const headers: Record<string, string> = method === "POST" ? { "idempotency-key": crypto.randomUUID() } : {};
    let last: Reply = { status: 0, body: null };
    for (const end = Date.now() + MUST_WITHIN_MS; Date.now() < end; ) {
      last = await this.send(method, path, body, headers);
      if (last.status >= 200 && last.status < 300) return last.body as T;
      if (last.status !== 0 && last.status !== 429 && last.status !== 503) break;
      await new Promise((resolve) => setTimeout(resolve, last.status === 429 ? 1_000 : 100));
    }
    throw new Error(`${method} ${path} answered ${last.status}: ${JSON.stringify(last.body).slice(0, 500)}`);
  }

  task(id: string): Promise<TaskBody> {
    return this.must<TaskBody>("GET", `/v1/tasks/${id}`);
  }

  async ledger(id: string): Promise<readonly LedgerBody[]> {
    return await this.pages<LedgerBody>(`/v1/tasks/${id}/ledger`);
  }

  /** Returns the subtasks of a task, in order. */
  async subtasks(id: string): Promise<readonly TaskBody[]> {
    return await this.pages<TaskBody>(`/v1/tasks/${id}/subtasks`);
  }

  /** Reads every page of a list. */
  async pages<T>(path: string): Promise<readonly T[]> {
    const all: T[] = [];
    for (let cursor = ""; ; ) {
      const page = await this.must<{ data: T[]; next_cursor: string | null }>("GET", `${path}?limit=100${cursor}`);
      all.push(...page.data);
      if (page.next_cursor === null) return all;
      cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
    }
  }

  /** Reads the complete log. */
  async events(id: string): Promise<readonly EventBody[]> {
    const events: EventBody[] = [];
    let after = 0;
    for (;;) {
      const page = await this.must<{ data: EventBody[]; next_cursor: string | null }>(
        "GET",
        `/v1/tasks/${id}/log?after=${after}&limit=500`,
      );
      events.push(...page.data);
      if (page.next_cursor === null) return events;
      after = Number(page.next_cursor);
    }
  }

  /** Reads files of a task's sandbox as texts, by path. Null for a missing file. */
  async files(id: string, paths: readonly string[]): Promise<Readonly<Record<string, string | null>>> {
    return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await this.file(id, path)] as const)));
  }

  /** Reads a file of a task's sandbox as text. Null if it is missing. */
  async file(id: string, path: string): Promise<string | null> {
    for (const end = Date.now() + MUST_WITHIN_MS; ; ) {
      const { status, text } = await this.#exchange("GET", `/v1/tasks/${id}/files/${path}`);
      if (status === 200) return text;
      // A kept-alive connection may lead to a killed runtime.
      if (status !== 0 || Date.now() > end) return null;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Whether a status means that the task has ended. */
export function isEnded(status: string): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Runs `work` for lazily generated items with `width` concurrent calls. Returns results in order. */
export async function fromAtOnce<In, Out>(
  items: Iterator<In>,
  width: number,
  work: (item: In) => Promise<Out>,
): Promise<Out[]> {
  const results: Out[] = [];
  let begun = 0;
  const worker = async (): Promise<void> => {
    for (let next = items.next(); next.done !== true; next = items.next()) {
      const index = begun;
      begun += 1;
      results[index] = await work(next.value);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}

/** Runs `work` for each item with `width` concurrent calls. Returns results in order. */
export async function eachAtOnce<In, Out>(
  items: readonly In[],
  width: number,
  work: (item: In, index: number) => Promise<Out>,
): Promise<Out[]> {
  const results: Out[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next; index < items.length; index = next) {
      next += 1;
      results[index] = await work(items[index] as In, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  return results;
}

/** Describes why a request got no reply: refused, cut off, or timed out. */
function whyNot(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
}
