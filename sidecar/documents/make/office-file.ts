/** An office file as its parts, and as bytes that depend on nothing but them. */
import { strFromU8, strToU8, unzipSync, type Zippable, zipSync } from "fflate";
import { plainText } from "./plain-text.ts";

export type OfficeParts = Map<string, Uint8Array>;

/** What a document says of itself, as plain text. */
export interface OfficeAbout {
  readonly title?: string | undefined;
  readonly author?: string | undefined;
  readonly subject?: string | undefined;
  readonly language?: string | undefined;
}

export const CORE_PART = "docProps/core.xml";
/** The first moment that an archive can name. Its entries carry it, so that the same parts give the same bytes. */
const ENTRY_TIME = new Date(1980, 0, 1);
const PACKED_ALREADY = /\.(?:png|jpe?g|gif)$/i;

export function openOffice(bytes: Uint8Array): OfficeParts {
  return new Map(Object.entries(unzipSync(bytes)));
}

export function closeOffice(parts: OfficeParts): Uint8Array {
  const entries = [...parts].map(([name, bytes]): [string, Zippable[string]] => [
    name,
    [bytes, { level: PACKED_ALREADY.test(name) ? 0 : 6, mtime: ENTRY_TIME }],
  ]);
  return zipSync(Object.fromEntries(entries));
}

/** Changes the text of a part; one that is not there stays away. */
export function changePart(parts: OfficeParts, name: string, change: (text: string) => string): void {
  const part = parts.get(name);
  if (part !== undefined) parts.set(name, strToU8(change(strFromU8(part))));
}

export function setPart(parts: OfficeParts, name: string, text: string): void {
  parts.set(name, strToU8(text));
}

const OUTWARD = /<Relationship\b[^>]*\bTargetMode\s*=\s*(["'])External\1[^>]*>/g;
const IS_LINK = /\bType\s*=\s*(["'])[^"']*\/hyperlink\1/;

/**
 * Lets no part of the document be fetched from elsewhere when somebody opens it, such as a template or a picture that came
 * as an address with the template. Links, which wait for a click, stay.
 */
export function closeToOutside(parts: OfficeParts): void {
  for (const name of [...parts.keys()].filter((one) => one.endsWith(".rels"))) {
    changePart(parts, name, (text) =>
      text.replaceAll(OUTWARD, (relationship) =>
        IS_LINK.test(relationship)
          ? relationship
          : relationship.replace(/\bTarget\s*=\s*("[^"]*"|'[^']*')/, 'Target="about:blank"'),
      ),
    );
  }
}

/** The properties of the document (ECMA-376 part 2, 11.1), which hold its dates. */
export function coreProperties({ title, author, subject, language }: OfficeAbout, nowMs: number): string {
  const at = `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
  const element = (name: string, text: string | undefined) =>
    text === undefined || text === "" ? "" : `<${name}>${escapeXml(text)}</${name}>`;
  const date = (name: string) => `<dcterms:${name} xsi:type="dcterms:W3CDTF">${at}</dcterms:${name}>`;
  return [
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>',
    '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"',
    ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"',
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">',
    element("dc:title", title),
    element("dc:subject", subject),
    element("dc:creator", author),
    element("dc:language", language),
    date("created"),
    date("modified"),
    "</cp:coreProperties>",
  ].join("");
}

/** Text as XML has it. */
export function escapeXml(text: string): string {
  return plainText(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
