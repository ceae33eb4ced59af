/**
 * Reads that an isolate serves without asking the tenant's object. The isolate reports them when it next asks, and they
 * count then. All isolates together may serve at most a tenth of a key's limit before they report, so the limit is exact
 * to 10 % for any number of isolates, and refuses nothing early.
 */
import { RATE_WINDOW_MS } from "./rate-limit.ts";

/** Parts of a key's limit: what all isolates may serve unreported, and what one may. */
const UNREPORTED_PART = 0.1;
const ISOLATE_PART = 0.01;

/** An isolate, and the reads of a key that it served since it last reported. */
export interface IsolateReads {
  readonly isolate: string;
  readonly served: number;
}

interface Allowance {
  readonly reads: number;
  readonly at: number;
}

/** The allowances of one key. Each is replaced when its isolate reports, and dropped after a minute without a report. */
export class ReadAllowances {
  private readonly byIsolate = new Map<string, Allowance>();

  /** Returns the reads that the isolate may serve before it reports again. `limit` is requests a minute. */
  grant(isolate: string, limit: number, now: number): number {
    this.byIsolate.delete(isolate);
    let unreported = 0;
    for (const [other, { reads, at }] of this.byIsolate) {
      if (now < at || now >= at + RATE_WINDOW_MS) this.byIsolate.delete(other);
      else unreported += reads;
    }
    const reads = Math.floor(limit * ISOLATE_PART);
    if (reads === 0 || unreported + reads > limit * UNREPORTED_PART) return 0;
    this.byIsolate.set(isolate, { reads, at: now });
    return reads;
  }
}
