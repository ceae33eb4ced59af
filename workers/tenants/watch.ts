/**
 * Follows the changes of a tenant's tasks over one connection to its object. A consumer that takes its time costs a bounded
 * queue: of each task the last change waits for it, and when too many do, it is told that some were skipped.
 */
import { OttoError } from "../../core/base/errors.ts";
import type { FeedFrame, TaskChange } from "../../core/tenant/feed.ts";

/** Tasks whose changes wait for the consumer: about half a megabyte, so that a tenant's 200 slow readers do not fill an isolate. */
const MAX_QUEUED = 500;
/** A consumer that has not heard for so long that changes were skipped is given up when the next one comes. */
const SLOW_MS = 30_000;
/** What one is told to wait when there are too many watchers. */
const RETRY_AFTER_MS = 10_000;

/** `open`: from here on every change is told. `skipped`: some were not. After either, what is shown has to be read again. */
export type FeedItem = { readonly kind: "open" | "skipped" } | { readonly kind: "change"; readonly change: TaskChange };

/** What the watch needs of a tenant's object. */
export interface WatchedTenant {
  fetch(url: string, init: RequestInit): Promise<Response>;
}

/**
 * A connection to the object, which ends it when the key is revoked or the session is over. `rate_limited` when the tenant
 * has too many.
 */
export async function openTenantFeed(
  tenant: WatchedTenant,
  { key, session }: { readonly key: string; readonly session: string | null },
): Promise<TenantConnection> {
  const query = new URLSearchParams({ key, ...(session === null ? {} : { session }) });
  const response = await tenant.fetch(`https://tenant/watch?${query.toString()}`, {
    headers: { upgrade: "websocket" },
  });
  if (response.webSocket !== null) return new TenantConnection(response.webSocket);
  if (response.status === 429) {
    const message = "Too many follow the tasks of this tenant at once. Close one, or try again later.";
    throw new OttoError({ code: "rate_limited", message, retryAfterMs: RETRY_AFTER_MS });
  }
  throw new OttoError({ code: "unauthenticated", message: "The key is not valid any more." });
}

/** The changes that come over one connection, held back for a consumer that is slower than they come. */
export class TenantConnection {
  private readonly socket: WebSocket;
  private changes = new Map<string, TaskChange>();
  private skippedAt: number | null = null;
  private ended = false;
  private wake: (() => void) | null = null;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.addEventListener("message", ({ data }) => this.take(JSON.parse(String(data)) as FeedFrame));
    socket.addEventListener("close", () => this.end());
    socket.addEventListener("error", () => this.end());
    socket.accept();
  }

  /** Yields what comes until the connection ends, or the signal ends it: also one that nothing was ever taken from. */
  items(signal: AbortSignal): AsyncGenerator<FeedItem> {
    signal.addEventListener("abort", () => this.close(), { once: true });
    return this.follow();
  }

  private async *follow(): AsyncGenerator<FeedItem> {
    yield { kind: "open" };
    while (!this.ended) {
      const item = this.next();
      if (item !== null) yield item;
      else
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
    }
  }

  private close(): void {
    this.end();
    try {
      this.socket.close(1000, "done");
    } catch {
      // It was closed from the other side.
    }
  }

  private next(): FeedItem | null {
    if (this.skippedAt !== null) {
      this.skippedAt = null;
      return { kind: "skipped" };
    }
    const [first] = this.changes.values();
    if (first === undefined) return null;
    this.changes.delete(first.task_id);
    return { kind: "change", change: first };
  }

  private take(frame: FeedFrame): void {
    const now = Date.now();
    if (this.skippedAt !== null) {
      // What is read again once that was heard holds this change too.
      if (now - this.skippedAt > SLOW_MS) this.close();
    } else if ("skipped" in frame || this.changes.size + frame.changes.length > MAX_QUEUED) {
      this.changes.clear();
      this.skippedAt = now;
    } else for (const change of frame.changes) this.changes.set(change.task_id, change);
    this.wake?.();
  }

  private end(): void {
    this.ended = true;
    this.wake?.();
  }
}
