/**
 * The images that a Markdown text may ask for, found without parsing it whole: every destination of `![…](…)` and of a
 * reference definition. It may name some that are none, such as those inside code; whoever parses the text takes what it
 * really asks for.
 */

/** At most this many are looked at: a text of nothing but images is bounded too. */
const MAX_REFERENCES = 500;

/** `![alt](destination "title")`; the destination in angle brackets may hold spaces. */
const INLINE = /\]\(\s*(?:<([^<>\n]{1,1024})>|([^\s()<>]{1,1024}(?:\([^\s()]{0,200}\)[^\s()]{0,200})?))/g;
const DEFINITION = /^ {0,3}\[[^\]\n]{1,200}\]:\s*(?:<([^<>\n]{1,1024})>|(\S{1,1024}))/gm;

/** The paths that the destinations mean, each once, without those that have a scheme or lead to a heading. */
export function imageReferences(markdown: string): readonly string[] {
  const found = new Set<string>();
  for (const pattern of [INLINE, DEFINITION]) {
    for (const [, bracketed, bare] of markdown.matchAll(pattern)) {
      const destination = bracketed ?? bare ?? "";
      if (found.size < MAX_REFERENCES && isRelative(destination)) found.add(imagePath(destination));
    }
  }
  return [...found];
}

/** The path in the sandbox that a destination means: percent signs as a URL has them, unless they are none. */
export function imagePath(destination: string): string {
  try {
    return decodeURIComponent(destination);
  } catch {
    return destination;
  }
}

function isRelative(destination: string): boolean {
  return !/^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i.test(destination);
}
