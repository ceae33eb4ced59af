/** The words for the states, the sources and the contents of codebases. */
import type { Codebase } from "../../api/types.generated.ts";
import { count } from "../../ui/amounts.ts";
import type { Tone } from "../../ui/badge.tsx";

type Status = Codebase["status"];
type SkipReason = keyof Codebase["skipped"];

export const CODEBASE_STATE_WORDS: Readonly<Record<Status, { readonly word: string; readonly tone: Tone }>> = {
  queued: { word: "Waiting", tone: "plain" },
  indexing: { word: "Indexing", tone: "info" },
  ready: { word: "Ready", tone: "good" },
  failed: { word: "Failed", tone: "danger" },
};

/** True until it is ready or has failed. */
export function isUnderWay({ status }: Pick<Codebase, "status">): boolean {
  return status === "queued" || status === "indexing";
}

/** Where the code comes from, in one line. */
export function describeSource(source: Codebase["source"]): string {
  if ("git" in source) return source.ref === undefined ? source.git : `${source.git} at ${source.ref}`;
  return "project" in source ? `Files of the project ${source.project}` : "An uploaded ZIP file";
}

const SKIP_WORDS: Readonly<Record<SkipReason, string>> = {
  binary: "not text",
  too_large: "over 1 MB",
  ignored: "named by a .gitignore",
  denied: "denied by pattern, such as .env",
  secret: "may hold a secret",
  link: "links",
};

/** How many files were skipped, for each reason that occurred. */
export function describeSkipped(skipped: Codebase["skipped"]): readonly string[] {
  return (Object.keys(SKIP_WORDS) as SkipReason[]).flatMap((reason) => {
    const number = skipped[reason] ?? 0;
    return number === 0 ? [] : [`${count(number)} ${SKIP_WORDS[reason]}`];
  });
}

/** All files that were skipped. */
export function countSkipped(skipped: Codebase["skipped"]): number {
  return Object.values(skipped).reduce((sum, number) => sum + number, 0);
}

/** What a search can find in it; null before the first index. */
export function describeIndex({ files, symbols, indexed_at }: Codebase): string | null {
  if (indexed_at === null) return null;
  const words = (number: number, one: string, many: string): string => `${count(number)} ${number === 1 ? one : many}`;
  return `${words(files, "file", "files")}, ${words(symbols, "symbol", "symbols")}`;
}

/** How searches find code in it. */
export function describeSearch({ embedder }: Pick<Codebase, "embedder">): string {
  return embedder === null ? "By names and words" : "By names, words and meaning";
}

/** Whether searches have an index of it that lacks vectors. */
export function lacksVectors({ embedder, indexed_at }: Pick<Codebase, "embedder" | "indexed_at">): boolean {
  return embedder === null && indexed_at !== null;
}

/** A commit as people write it. */
export function shortCommit(commit: string): string {
  return commit.slice(0, 10);
}
