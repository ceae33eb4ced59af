/** The frame of the plain pages. They load nothing and run nothing. */

export const PAGE_HEADERS = {
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
} as const;

const STYLE = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
pre, code { font: 14px/1.45 ui-monospace, monospace; }
pre { overflow-x: auto; padding: .75rem 1rem; border: 1px solid #8884; border-radius: 6px; }
h1 { margin-bottom: 0; } h2 { margin-top: 2.5rem; }
section { border-top: 1px solid #8884; padding: .75rem 0; }
h3 { margin: .25rem 0; font-size: 1rem; } h3 b { display: inline-block; min-width: 4rem; }
table { border-collapse: collapse; } td { padding: .1rem 1rem .1rem 0; vertical-align: top; }
summary { cursor: pointer; }`;

/** Renders a whole page around a body of HTML. `style` is CSS of this page alone. */
export function renderPage(title: string, body: string, style = ""): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${STYLE}${style}</style></head>
<body>${body}</body></html>
`;
}

/** Escapes text for HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** Escapes text and renders `words in backticks` as code. */
export function renderProse(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}
