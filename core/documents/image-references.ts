/**
 * Finds the images that a Markdown text may refer to without parsing it: every destination of `![…](…)` and of a
 * reference definition. It may return false ones, such as those inside code; the parser of the text uses the real ones.
 */

/** Most references to read from one text. */
const MAX_REFERENCES = 500;

/** `![alt](destination "title")`; a destination in angle brackets may contain spaces. */
const INLINE = /\]\(\s*(?:<([^<>\n]{1,1024})>|([^\s()<>]{1,1024}(?:\([^\s()]{0,200}\)[^\s()]{0,200})?))/g;
const DEFINITION = /^ {0,3}\[[^\]\n]{1,200}\]:\s*(?:<([^<>\n]{1,1024})>|(\S{1,1024}))/gm;

/** The paths of the destinations, each once, without URLs and headings. */
export function findImageReferences(markdown: string): readonly string[] {
  const found = new Set<string>();
  for (const pattern of [INLINE, DEFINITION]) {
    for (const [, bracketed, bare] of markdown.matchAll(pattern)) {
      const destination = bracketed ?? bare ?? "";
      if (found.size < MAX_REFERENCES && isRelative(destination)) found.add(toImagePath(destination));
    }
  }
  return [...found];
}

/** The sandbox path of a destination, with percent signs decoded as in a URL where valid. */
export function toImagePath(destination: string): string {
  try {
    return decodeURIComponent(destination);
  } catch {
    return destination;
  }
}

function isRelative(destination: string): boolean {
  return !/^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i.test(destination);
}
