/** Rewrites links and pictures in the Markdown of a converter. */

/**
 * Matches the target of a Markdown picture or link, with or without angle brackets. Ignores the label, which may be as long as the
 * text.
 */
const MARKDOWN_TARGET = /\]\((<[^<>\n]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*){0,20})((?:\s+"[^"\n]*")?)\)/g;
/** Matches tags first and attributes later: a single pattern would scan a long tag once per attribute. */
const HTML_PICTURE = /<img\s[^<>]*>/g;
const HTML_LINK = /<a\s[^<>]*>/g;
const CODE_SCHEME = /^\s*(javascript|vbscript|data):/i;

/** `rename` returns the new name of the document's own pictures, and null for other targets. */
export function rewriteTargets(markdown: string, rename: (target: string) => string | null): string {
  return markdown
    .replaceAll(MARKDOWN_TARGET, (whole, raw: string, title: string) => {
      const target = raw.startsWith("<") ? raw.slice(1, -1) : raw;
      const name = rename(target);
      if (name !== null) return `](${name}${title})`;
      return isCodeUrl(target) ? "](#)" : whole;
    })
    .replaceAll(HTML_PICTURE, (whole) => {
      const target = /\ssrc="([^"]*)"/.exec(whole)?.[1];
      const name = target === undefined ? null : rename(target);
      const label = /\salt="([^"]*)"/.exec(whole)?.[1] ?? "";
      return name === null ? whole : `<img src="${name}" alt="${label}" />`;
    })
    .replaceAll(HTML_LINK, (tag) =>
      tag.replaceAll(/(\shref=")([^"]*)"/g, (whole, start: string, target: string) =>
        isCodeUrl(target) ? `${start}#"` : whole,
      ),
    );
}

/** A scheme ends with a colon, which may be escaped as an entity or a percent code. */
function isCodeUrl(target: string): boolean {
  return /[:&%]/.test(target) && CODE_SCHEME.test(decodeTarget(target));
}

/** Decodes as a browser does: entities, percent codes, and control characters, which it skips. */
function decodeTarget(target: string): string {
  const plain = target
    .replaceAll(/&#x([0-9a-f]{1,6});?/gi, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/&#(\d{1,7});?/g, (_whole, code: string) => String.fromCharCode(Number(code)))
    .replaceAll("&colon;", ":");
  return decodePercent(plain).replaceAll(/\p{Cc}/gu, "");
}

export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
