/** Web pages as a model reads them. They are rendered in separate processes with limits. */
import { z } from "zod";
import type { Result } from "../base/errors.ts";

export const PAGE_FORMATS = ["markdown", "text"] as const;
export type PageFormat = (typeof PAGE_FORMATS)[number];

/** The most characters of a page's content. */
export const MAX_PAGE_CONTENT = 1_000_000;

/** A page to render. `url` is its address, to which its links are relative. */
export interface PageToRender {
  readonly html: string;
  readonly url: string;
  readonly format: PageFormat;
  readonly signal: AbortSignal;
}

/** The facts of a rendered page. `language` is the page's own declaration. */
export const pageFacts = z.object({
  title: z.string().nullable(),
  language: z.string().nullable(),
  /** "text" for a page that is too large for Markdown. */
  format: z.enum(PAGE_FORMATS),
  /** True if the content was cut at `MAX_PAGE_CONTENT`. */
  isCut: z.boolean(),
});

/** A rendered page. `content` begins with the title, and has the page's links as absolute addresses. */
export interface RenderedPage extends z.infer<typeof pageFacts> {
  readonly content: string;
}

/**
 * Failures: `too_large`, `timeout`, `invalid_input` (the page crashed the renderer), `not_available`, `rate_limited`,
 * `upstream_failed`. Never throws, and no failure has an effect.
 */
export interface PagesPort {
  render(page: PageToRender): Promise<Result<RenderedPage>>;
}
