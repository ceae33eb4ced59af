/** The names of files between the job and the process in its cage, below the work folder. */
export const WORK = "/work";
export const REPOSITORY = "repository";
export const ARCHIVE = "source.zip";
export const KNOWN = "known.json";
export const QUESTION = "question.json";
export const FACTS = "facts.json";
/** Its files are lines of JSON, one indexed file each. */
export const PARTS = "parts";

/** What the process in the cage is asked. */
export interface ReadQuestion {
  readonly source: "git" | "zip" | "files";
  readonly commit: string | null;
  readonly denied: readonly string[];
  /** False after an attempt at which the parser ended the process. */
  readonly withSymbols: boolean;
}

/** The process's answer if it cannot read the source. */
export interface ReadRefusal {
  readonly code: "invalid_input" | "too_large";
  readonly message: string;
}
