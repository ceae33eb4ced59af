/** The words for the states and contents of documents. */
import type { Document } from "../../api/types.generated.ts";
import { count } from "../../ui/amounts.ts";
import type { Tone } from "../../ui/badge.tsx";

type Status = Document["status"];

export const DOCUMENT_STATE_WORDS: Readonly<Record<Status, { readonly word: string; readonly tone: Tone }>> = {
  queued: { word: "Waiting", tone: "plain" },
  reading: { word: "Reading", tone: "info" },
  embedding: { word: "Indexing", tone: "info" },
  ready: { word: "Ready", tone: "good" },
  failed: { word: "Failed", tone: "danger" },
};

/** True until it is ready or has failed. */
export function isUnderWay({ status }: Pick<Document, "status">): boolean {
  return status !== "ready" && status !== "failed";
}

const PIECE_WORDS = [
  ["text", "passage", "passages"],
  ["table", "table", "tables"],
  ["formula", "formula", "formulas"],
  ["image", "picture", "pictures"],
] as const;

/** What a search can find in it; null for nothing. */
export function describePieces(pieces: Document["pieces"]): string | null {
  const parts = PIECE_WORDS.flatMap(([kind, one, many]) => {
    const number = pieces[kind];
    return number === 0 ? [] : [`${count(number)} ${number === 1 ? one : many}`];
  });
  return parts.length === 0 ? null : parts.join(", ");
}

/** What a search can find in it, in a cell of the list: unknown until it was read. */
export function describeContents({ status, shown_version: shown, pieces }: Document): string | null {
  return describePieces(pieces) ?? (status === "ready" || shown !== null ? "Nothing" : null);
}

/** True for a document that was read and has nothing that a search can find, such as scanned pages. */
export function isEmpty({ status, pieces }: Pick<Document, "status" | "pieces">): boolean {
  return status === "ready" && describePieces(pieces) === null;
}

const WARNING_WORDS: ReadonlyMap<string, string> = new Map([
  ["formulas_not_read", "Formulas of this format are not read, so a search for formulas does not find them."],
]);

/** A warning in a sentence. It may begin with a code; one without words of its own stays as the server wrote it. */
export function explainWarning(warning: string): string {
  return WARNING_WORDS.get(toCode(warning)) ?? warning;
}

/** Warnings of what this document lacks. That formulas are not read holds for each document of its format, also for one without any. */
export function findLosses(warnings: readonly string[]): readonly string[] {
  return warnings.filter((warning) => !WARNING_WORDS.has(toCode(warning)));
}

function toCode(warning: string): string {
  return warning.split(":")[0] ?? "";
}
