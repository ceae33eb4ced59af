/** Character references of HTML: the common names, and every number. */
import { getOwn } from "../base/own-field.ts";

const NAMES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};
const MAX_CODE_POINT = 0x10ffff;

/** Decodes character references; leaves unknown ones unchanged. */
export function decodeEntities(html: string): string {
  return html.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,6}));/g, readEntity);
}

/** Escapes text for HTML, between tags or in an attribute's quotes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

function readEntity(whole: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return getOwn(NAMES, name.toLowerCase()) ?? whole;
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  const isText = code > 0 && code <= MAX_CODE_POINT && (code < 0xd800 || code > 0xdfff);
  return isText ? String.fromCodePoint(code) : whole;
}
