/** Reads and writes office files. Equal parts give equal bytes. */
import { strFromU8, strToU8, unzipSync, type Zippable, zipSync } from "fflate";
import { removeInvalid } from "./plain-text.ts";

export type OfficeParts = Map<string, Uint8Array>;

/** A document's properties, as plain text. */
export interface OfficeAbout {
  readonly title?: string | undefined;
  readonly author?: string | undefined;
  readonly subject?: string | undefined;
  readonly language?: string | undefined;
}

export const CORE_PART = "docProps/core.xml";
/** The modification time of all entries, so that equal parts give equal bytes. It is the earliest that zip supports. */
const ENTRY_TIME = new Date(1980, 0, 1);
const COMPRESSED = /\.(?:png|jpe?g|gif)$/i;

export function openOffice(bytes: Uint8Array): OfficeParts {
  return new Map(Object.entries(unzipSync(bytes)));
}

export function closeOffice(parts: OfficeParts): Uint8Array {
  const entries = [...parts].map(([name, bytes]): [string, Zippable[string]] => [
    name,
    [bytes, { level: COMPRESSED.test(name) ? 0 : 6, mtime: ENTRY_TIME }],
  ]);
  return zipSync(Object.fromEntries(entries));
}

/** Changes the text of a part if it exists. */
export function changePart(parts: OfficeParts, name: string, change: (text: string) => string): void {
  const part = parts.get(name);
  if (part !== undefined) parts.set(name, strToU8(change(strFromU8(part))));
}

export function setPart(parts: OfficeParts, name: string, text: string): void {
  parts.set(name, strToU8(text));
}

const EXTERNAL = /<Relationship\b[^>]*\bTargetMode\s*=\s*(["'])External\1[^>]*>/g;
const IS_LINK = /\bType\s*=\s*(["'])[^"']*\/hyperlink\1/;

/**
 * Removes external targets that an office program would fetch on opening, such as a template's remote pictures. Links stay, since they
 * need a click.
 */
export function removeExternalTargets(parts: OfficeParts): void {
  for (const name of [...parts.keys()].filter((one) => one.endsWith(".rels"))) {
    changePart(parts, name, (text) =>
      text.replaceAll(EXTERNAL, (relationship) =>
        IS_LINK.test(relationship)
          ? relationship
          : relationship.replace(/\bTarget\s*=\s*("[^"]*"|'[^']*')/, 'Target="about:blank"'),
      ),
    );
  }
}

/** Builds the document's core properties (ECMA-376 part 2, 11.1), including its dates. */
export function buildCoreProperties({ title, author, subject, language }: OfficeAbout, nowMs: number): string {
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

/** Escapes a text for XML. */
export function escapeXml(text: string): string {
  return removeInvalid(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
