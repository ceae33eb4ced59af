/**
 * Renders web pages in warm, caged processes. A page that takes too long, or too much memory, ends its process. No tenant
 * has every process: hostile pages of one would keep others' pages from being rendered.
 */
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { RenderedPage } from "../../core/ports/pages.ts";
import { CANCELLED, type ConverterPool, makeConverterPool, type PoolLimits } from "../documents/converter-pool.ts";
import type { ConverterProcess, ConverterStart } from "../documents/converter-process.ts";
import type { Death } from "../documents/death.ts";
import { makeJobQueue } from "../jobs/job-queue.ts";
import { MAX_PAGE_BYTES, type PageQuestion } from "./render-page.ts";

/** A page of 75 KB takes some milliseconds, the largest honest one about a second. */
export const PAGE_LIMITS: PoolLimits = {
  processes: 2,
  documentsPerProcess: 1_000,
  idleMs: 10 * 60_000,
  timeoutMs: 8_000,
};
const MEMORY_MB = 200;
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const RETRY_AFTER_MS = 1_000;

const PAGE_START: ConverterStart = {
  script: new URL("render-child.ts", import.meta.url),
  nodeFlags: ["--max-old-space-size=192"],
  dataBytes: 700_000_000,
  memoryMb: MEMORY_MB,
  maxAnswerBytes: MAX_ANSWER_BYTES,
};

/** A page to render: its HTML in UTF-8. */
export interface RenderRequest extends PageQuestion {
  readonly tenant: string;
  readonly html: Uint8Array;
  readonly signal: AbortSignal;
}

export interface PageRenderer {
  /** Failures: `too_large`, `timeout`, and those of the pool. */
  render(page: RenderRequest): Promise<Result<RenderedPage>>;
  /** Ends its processes. */
  close(): void;
}

/** Creates a renderer. Its processes start with the first page. Tests replace `start`. */
export function makePageRenderer(limits: PoolLimits = PAGE_LIMITS, start: ConverterStart = PAGE_START): PageRenderer {
  const pool: ConverterPool = makeConverterPool(limits, start);
  const queue = makeJobQueue(limits.processes, limits.timeoutMs);
  return {
    async render(page) {
      if (page.html.length > MAX_PAGE_BYTES)
        return failed(
          "too_large",
          `A page of ${page.html.length} bytes is not rendered; ${MAX_PAGE_BYTES} are the most.`,
        );
      const waitsFrom = performance.now();
      const slot = await queue.admit(page.tenant, page.signal);
      if (!slot.ok && page.signal.aborted) return failed("timeout", CANCELLED);
      if (!slot.ok) return failed("rate_limited", slot.message, { retryAfterMs: RETRY_AFTER_MS });
      try {
        const timeoutMs = Math.max(0, limits.timeoutMs - (performance.now() - waitsFrom));
        const request = { signal: page.signal, timeoutMs };
        return await pool.run(request, (process, endsAt) => askRenderer(process, page, endsAt));
      } finally {
        slot.release();
      }
    },
    close: () => pool.close(),
  };
}

async function askRenderer(
  process: ConverterProcess,
  { html, format, url, signal }: RenderRequest,
  endsAt: number,
): Promise<Result<RenderedPage> | Death> {
  const question: PageQuestion = { format, url };
  const limitMs = Math.max(0, endsAt - performance.now());
  const answer = await process.ask({ head: question, parts: [html] }, limitMs, signal);
  if (answer.kind === "cancelled") return failed("timeout", CANCELLED);
  if (answer.kind === "timeout") return failed("timeout", "Rendering the page took too long.");
  if (answer.kind === "died") return answer.death;
  const content = Buffer.from(answer.frame.parts[0] ?? new Uint8Array()).toString("utf8");
  return ok({ ...(answer.frame.head as Omit<RenderedPage, "content">), content });
}

let shared: PageRenderer | undefined;

/** The renderer of this process. */
export function getPageRenderer(): PageRenderer {
  shared ??= makePageRenderer();
  return shared;
}

/** Stops the processes of the shared renderer. The next page starts new ones. */
export function endPageRenderer(): void {
  shared?.close();
  shared = undefined;
}
