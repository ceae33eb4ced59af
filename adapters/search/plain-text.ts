/** Text without HTML: search engines mark the words that they found, and escape the rest. */
import { decodeEntities } from "../../core/lib/html-entities.ts";

/** One line. Tags are dropped and entities read; what looks like neither stays. */
export function plainText(html: string): string {
  return decodeEntities(html.replace(/<\/?[a-zA-Z][^<>]{0,200}>/g, ""))
    .replace(/\s+/g, " ")
    .trim();
}
