/** Renders web pages through the sidecar. */
import { asNotSent, failed, ok, type Result } from "../../core/base/errors.ts";
import {
  MAX_PAGE_CONTENT,
  pageFacts,
  type PagesPort,
  type PageToRender,
  type RenderedPage,
} from "../../core/ports/pages.ts";
import { runJob } from "./run-job.ts";
import type { Sidecar } from "./sidecar.ts";

/** Includes the wait for a process and its own 8 seconds. */
const TIMEOUT_MS = 12_000;
const LIMITS = { files: 1, bytes: 4 * MAX_PAGE_CONTENT };
const RETRY_AFTER_MS = 1_000;

/** `sidecar` is null if none is configured; every page then fails. */
export function openPages(sidecar: Sidecar | null, tenant: string): PagesPort {
  return {
    async render(page) {
      const rendered = await renderBySidecar(sidecar, tenant, page);
      return rendered.ok ? rendered : asNotSent(rendered.error);
    },
  };
}

async function renderBySidecar(
  sidecar: Sidecar | null,
  tenant: string,
  { html, url, format, signal }: PageToRender,
): Promise<Result<RenderedPage>> {
  const bytes = new TextEncoder().encode(html);
  const reply = await runJob(sidecar, {
    kind: "page-render",
    tenant,
    order: { format, url },
    files: [{ path: "page.html", size: bytes.length, open: () => Promise.resolve(ok(new Blob([bytes]).stream())) }],
    timeoutMs: TIMEOUT_MS,
    limits: LIMITS,
    signal,
  });
  if (!reply.ok) return reply;
  const facts = pageFacts.safeParse(reply.value.body);
  try {
    for await (const { bytes: content } of reply.value.files) {
      if (facts.success) return ok({ ...facts.data, content: new TextDecoder().decode(content) });
    }
  } catch {
    return failed("upstream_failed", "The connection to the sidecar was lost.", { retryAfterMs: RETRY_AFTER_MS });
  }
  return failed("upstream_failed", "The sidecar returned an invalid page.");
}
