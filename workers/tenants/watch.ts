/**
 * Follows the changes of a tenant's tasks over one connection to its object. The queue for a slow consumer is
 * bounded: it has only the last change of each task, and if there are too many, the consumer learns that some were
 * skipped.
 */
import { OttoError } from "../../core/base/errors.ts";
import type { FeedFrame, TaskChange } from "../../core/tenant/feed.ts";

/**
 * Tasks with queued changes: about half a megabyte, so that the 200 slow readers of a tenant do not fill an isolate.
 */
const MAX_QUEUED = 500;
/** A consumer that has not read for this long since changes were skipped is disconnected at the next one. */
const SLOW_MS = 30_000;
/** The delay before a retry when there are too many watchers. */
const RETRY_AFTER_MS = 10_000;

/**
 * `open`: every later change is sent. `skipped`: some were not. After either, the consumer has to read its data
 * again.
 */
export type FeedItem = { readonly kind: "open" | "skipped" } | { readonly kind: "change"; readonly change: TaskChange };

/** The functions of a tenant's object that the watch uses. */
export interface WatchedTenant {
  fetch(url: string, init: RequestInit): Promise<Response>;
}

/**
 * Connects to the object, which ends the connection when the key is revoked or the session ends. `rate_limited` if
 * the tenant has too many.
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
    const message = "This tenant has too many open streams. Close one, or try again later.";
    throw new OttoError({ code: "rate_limited", message, retryAfterMs: RETRY_AFTER_MS });
  }
  throw new OttoError({ code: "unauthenticated", message: "The key is no longer valid. Use another key." });
}

/** The changes of one connection, queued for a slow consumer. */
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

  /**
   * Yields the changes until the connection ends or the signal aborts. The signal also ends a connection that was
   * never read.
   */
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
      // The other side closed it.
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
      // Reading the data again includes this change.
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
