/** Renders pages in this process, with the sidecar's own code: nothing outside is behind it. */
import { failed, ok } from "../../core/base/errors.ts";
import type { PagesPort } from "../../core/ports/pages.ts";
import { renderPage } from "../../sidecar/web/render-page.ts";

export function fakePages(): PagesPort {
  return {
    render({ html, url, format, signal }) {
      if (signal.aborted) return Promise.resolve(failed("timeout", "It was cancelled."));
      return Promise.resolve(ok(renderPage(html, { url, format })));
    },
  };
}
