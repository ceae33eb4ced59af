/** Reads the project's decisions as documents, cut by the rule for Markdown. */
import { readdirSync, readFileSync } from "node:fs";
import { cutDocument } from "../../sidecar/documents/cut/cut.ts";
import type { SearchedDocument } from "./add-documents.ts";

const FOLDER = new URL("../../docs/decisions/", import.meta.url);
const TITLE = /^#\s+(.+)$/m;

/** Returns the decisions up to a number, by their number. */
export function readDecisions(last: number): ReadonlyMap<number, SearchedDocument> {
  const names = readdirSync(FOLDER).filter((name) => Number.parseInt(name, 10) <= last);
  return new Map(names.map((name) => [Number.parseInt(name, 10), readDecision(name)]));
}

function readDecision(name: string): SearchedDocument {
  const markdown = readFileSync(new URL(name, FOLDER), "utf8");
  const pieces = cutDocument(markdown, "markdown", new Set()).filter(({ kind }) => kind !== "formula");
  return {
    title: TITLE.exec(markdown)?.[1] ?? name,
    pieces: pieces.map(({ heading, text }) => ({ heading, text })),
  };
}
