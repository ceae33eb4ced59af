/** Parses a search request into clauses, each of which may need a different tool. */
import { toTerms } from "./words.ts";

/** The most characters and clauses of a request, and terms of a clause. */
const MAX_REQUEST = 2_000;
const MAX_CLAUSES = 12;
const MAX_TERMS = 40;

/** A part of a request: its terms, each once, in order. */
export interface Clause {
  readonly terms: readonly string[];
}

const ADDRESS = /https?:\/\/\S+/gi;
/** A file, by its extension or the folders before it. */
const PATH = /(?<![\w/.])(?:~?\/)?(?:[\w.-]{1,100}\/){0,20}[\w-]{1,100}(?:\.([a-z][a-z0-9]{1,4}))?(?![\w/])/gi;
const BETWEEN_CLAUSES =
  /(?<=[.?!;:])\s+|\n+|,?\s+(?:and then|then|after that|finally|additionally|also|moreover|furthermore|as well as|and|or)\s+|,\s+/i;

/** Kinds of files by extension, in the words of tools. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ["md", "markdown file"],
  ["txt", "text file"],
  ["log", "text file"],
  ["docx", "word document file"],
  ["doc", "word document file"],
  ["xlsx", "excel sheet file"],
  ["xls", "excel sheet file"],
  ["csv", "csv file"],
  ["pptx", "powerpoint presentation ppt file"],
  ["ppt", "powerpoint presentation ppt file"],
  ["pdf", "pdf file"],
  ["png", "image file"],
  ["jpg", "image file"],
  ["jpeg", "image file"],
  ["gif", "image file"],
  ["svg", "image file"],
  ["mp3", "audio file"],
  ["wav", "audio file"],
  ["mp4", "video file"],
  ["mov", "video file"],
  ["json", "json file"],
  ["yaml", "yaml file"],
  ["xml", "xml file"],
  ["html", "html file"],
  ["py", "python code file"],
  ["js", "javascript code file"],
  ["zip", "zip archive file"],
]);

/**
 * Returns the clauses of a request that have terms. A path counts only as its kind of file; its words and those of a
 * URL are ignored.
 */
export function readRequest(request: string): Clause[] {
  const plain = request.slice(0, MAX_REQUEST).replaceAll(ADDRESS, " url ").replaceAll(PATH, getPathKind);
  const clauses: Clause[] = [];
  for (const part of plain.split(BETWEEN_CLAUSES)) {
    const terms = [...new Set(toTerms(part))].slice(0, MAX_TERMS);
    if (terms.length > 0) clauses.push({ terms });
    if (clauses.length === MAX_CLAUSES) break;
  }
  return clauses;
}

function getPathKind(path: string, extension: string | undefined): string {
  const kind = KINDS.get(extension?.toLowerCase() ?? "");
  if (kind !== undefined) return ` ${kind} `;
  return /^~?\//.test(path) ? " directory file " : path;
}
