/** Removes HTML: search engines mark the matching words and escape the rest. */
import { decodeEntities } from "../../core/lib/html-entities.ts";

/** One line. Tags are removed and entities decoded; the rest stays. */
export function toPlainText(html: string): string {
  return decodeEntities(html.replace(/<\/?[a-zA-Z][^<>]{0,200}>/g, ""))
    .replace(/\s+/g, " ")
    .trim();
}
