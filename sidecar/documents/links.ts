/** Links and pictures of the Markdown that a converter wrote. */

/**
 * The place of a picture or a link of Markdown, with or without angle brackets. What stands before it is not looked at: a label
 * may be as long as the text.
 */
const MARKDOWN_TARGET = /\]\((<[^<>\n]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*){0,20})((?:\s+"[^"\n]*")?)\)/g;
/** Tags are found first and looked into then: a pattern for both would look through a long one once for each attribute. */
const HTML_PICTURE = /<img\s[^<>]*>/g;
const HTML_LINK = /<a\s[^<>]*>/g;
const RUNS_CODE = /^\s*(javascript|vbscript|data):/i;

/** `renamed` gives the name under which a picture is handed over; null: it is none of the document's own. */
export function judgeTargets(markdown: string, renamed: (target: string) => string | null): string {
  return markdown
    .replaceAll(MARKDOWN_TARGET, (whole, raw: string, title: string) => {
      const target = raw.startsWith("<") ? raw.slice(1, -1) : raw;
      const name = renamed(target);
      if (name !== null) return `](${name}${title})`;
      return runsCode(target) ? "](#)" : whole;
    })
    .replaceAll(HTML_PICTURE, (whole) => {
      const target = /\ssrc="([^"]*)"/.exec(whole)?.[1];
      const name = target === undefined ? null : renamed(target);
      const label = /\salt="([^"]*)"/.exec(whole)?.[1] ?? "";
      return name === null ? whole : `<img src="${name}" alt="${label}" />`;
    })
    .replaceAll(HTML_LINK, (tag) =>
      tag.replaceAll(/(\shref=")([^"]*)"/g, (whole, start: string, target: string) =>
        runsCode(target) ? `${start}#"` : whole,
      ),
    );
}

/** A scheme ends with a colon, which may be written in two other ways. */
function runsCode(target: string): boolean {
  return /[:&%]/.test(target) && RUNS_CODE.test(decoded(target));
}

/** What a browser would make of it: entities, percent signs, and control characters, which it skips. */
function decoded(target: string): string {
  const plain = target
    .replaceAll(/&#x([0-9a-f]{1,6});?/gi, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/&#(\d{1,7});?/g, (_whole, code: string) => String.fromCharCode(Number(code)))
    .replaceAll("&colon;", ":");
  return percentDecoded(plain).replaceAll(/\p{Cc}/gu, "");
}

export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
