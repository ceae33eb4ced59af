/** Links and pictures of the Markdown that a converter wrote. */

/** The place of a picture or a link: in Markdown, with or without angle brackets, or in the HTML of a table. */
const MARKDOWN_TARGET =
  /(!?)\[((?:[^[\]\\]|\\.)*)\]\((<[^<>\n]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*)((?:\s+"[^"\n]*")?)\)/g;
const HTML_PICTURE = /<img\s[^<>]*?src="([^"<>]*)"[^<>]*>/g;
const HTML_LINK = /(<a\s[^<>]*?href=")([^"<>]*)("[^<>]*>)/g;
const RUNS_CODE = /^\s*(javascript|vbscript|data):/i;

/** `renamed` gives the name under which a picture is handed over; null: it is none of the document's own. */
export function judgeTargets(markdown: string, renamed: (target: string) => string | null): string {
  return markdown
    .replaceAll(MARKDOWN_TARGET, (whole, bang: string, label: string, raw: string, title: string) => {
      const target = raw.startsWith("<") ? raw.slice(1, -1) : raw;
      if (bang === "") return RUNS_CODE.test(decoded(target)) ? label : whole;
      const name = renamed(target);
      return name === null ? whole : `![${label}](${name}${title})`;
    })
    .replaceAll(HTML_PICTURE, (whole, target: string) => {
      const name = renamed(target);
      const label = /\salt="([^"<>]*)"/.exec(whole)?.[1] ?? "";
      return name === null ? whole : `<img src="${name}" alt="${label}" />`;
    })
    .replaceAll(HTML_LINK, (whole, start: string, target: string, end: string) =>
      RUNS_CODE.test(decoded(target)) ? `${start}#${end}` : whole,
    );
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
