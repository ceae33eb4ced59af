/** Finds the title of a document: its metadata, otherwise its first heading. */
import { getOwn } from "../../core/base/own-field.ts";
import type { CheckedDocument } from "./check.ts";
import { decodeText } from "./children/read-text.ts";
import { readEntry } from "./zip.ts";

const TITLE_PART = /^(docProps\/core\.xml|meta\.xml|.*\.opf)$/;
const MAX_PART_BYTES = 1_000_000;
const HTML_HEAD_BYTES = 64 * 1024;
const MAX_TITLE_CHARACTERS = 300;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/** Null if it has none. */
export async function findTitle(document: CheckedDocument, markdown: string): Promise<string | null> {
  const own = cleanTitle((await readOwnTitle(document)) ?? "");
  if (own !== "") return own;
  const heading = /^#{1,6} +(.+)$/m.exec(markdown.slice(0, HTML_HEAD_BYTES))?.[1] ?? "";
  // The headings of these kinds are added by our readers.
  if (["pptx", "xlsx", "ods", "csv", "tsv", "image"].includes(document.kind)) return null;
  return heading === "" ? null : cleanTitle(heading);
}

async function readOwnTitle({ kind, bytes, entries }: CheckedDocument): Promise<string | null> {
  if (kind === "html")
    return /<title[^<>]*>([^<]*)<\/title>/i.exec(decodeText(bytes.subarray(0, HTML_HEAD_BYTES)))?.[1] ?? null;
  const part = entries.find(({ name, size }) => TITLE_PART.test(name) && size <= MAX_PART_BYTES);
  if (part === undefined) return null;
  const xml = Buffer.from(await readEntry(part)).toString("utf8");
  return /<(?:[a-z]+:)?title(?:\s[^<>]*)?>([^<]*)</.exec(xml)?.[1] ?? null;
}

function cleanTitle(text: string): string {
  return text
    .replaceAll(/&(?:#(\d{1,7})|([a-z]{2,5}));/g, (whole, code: string | undefined, name: string | undefined) =>
      code === undefined
        ? (getOwn(ENTITIES, name ?? "") ?? whole)
        : String.fromCodePoint(Math.min(Number(code), 0x10ffff)),
    )
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, MAX_TITLE_CHARACTERS);
}
