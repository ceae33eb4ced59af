/** Where a new codebase comes from, as the form has it. */

export type SourceKind = "git" | "zip" | "project";

export interface SourceDraft {
  readonly kind: SourceKind;
  readonly git: string;
  /** Empty: the repository's own branch. */
  readonly ref: string;
  /** The name of a secret; empty: none. */
  readonly secret: string;
  readonly file: File | null;
  readonly project: string;
}

export const NEW_SOURCE: SourceDraft = { kind: "git", git: "", ref: "", secret: "", file: null, project: "" };

/** Of an archive, packed (`core/codebases/limits.ts`). */
const MAX_ZIP_BYTES = 25 * 1024 ** 2;

/** What is wrong before anything is sent, by the API's name of the field. */
export function findSourceFault({ kind, git, file, project }: SourceDraft): Readonly<Record<string, string>> {
  if (kind === "git") return git.trim() === "" ? { "source.git": "Enter the address of a repository." } : {};
  if (kind === "project") return project.trim() === "" ? { "source.project": "Choose a project." } : {};
  if (file === null) return { "source.zip": "Choose a ZIP file." };
  return file.size > MAX_ZIP_BYTES ? { "source.zip": "The file is larger than 25 MB." } : {};
}

/** A name that the source suggests, in the API's form; empty without one. */
export function suggestName({ kind, git, file, project }: SourceDraft): string {
  const path = URL.parse(git.trim())?.pathname ?? "";
  const words = kind === "git" ? (path.split("/").findLast((part) => part !== "") ?? "") : (file?.name ?? "");
  return (kind === "project" ? project : words.replace(/\.(?:git|zip)$/i, ""))
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+/, "")
    .slice(0, 64);
}
