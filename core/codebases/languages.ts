/** The language of a file, by its name. */

/** `grammar` is the parser that finds its symbols; null: it is found by its text only. */
export interface Language {
  readonly name: string;
  readonly grammar: Grammar | null;
}

export type Grammar =
  | "bash"
  | "c-sharp"
  | "cpp"
  | "go"
  | "java"
  | "javascript"
  | "php"
  | "powershell"
  | "python"
  | "ruby"
  | "rust"
  | "tsx"
  | "typescript";

/** A language and its file name extensions. C is read by the grammar of C++. */
const LANGUAGES: readonly (readonly [name: string, grammar: Grammar | null, extensions: string])[] = [
  ["bash", "bash", "sh bash"],
  ["csharp", "c-sharp", "cs"],
  ["c", "cpp", "c h"],
  ["cpp", "cpp", "cc cpp cxx hh hpp hxx"],
  ["go", "go", "go"],
  ["java", "java", "java"],
  ["javascript", "javascript", "js mjs cjs jsx"],
  ["php", "php", "php"],
  ["powershell", "powershell", "ps1 psm1"],
  ["python", "python", "py pyi"],
  ["ruby", "ruby", "rb rake"],
  ["rust", "rust", "rs"],
  ["tsx", "tsx", "tsx"],
  ["typescript", "typescript", "ts mts cts"],
  ["css", null, "css scss less"],
  ["elixir", null, "ex exs"],
  ["html", null, "html htm"],
  ["json", null, "json"],
  ["kotlin", null, "kt kts"],
  ["markdown", null, "md markdown"],
  ["scala", null, "scala"],
  ["sql", null, "sql"],
  ["swift", null, "swift"],
  ["toml", null, "toml"],
  ["xml", null, "xml"],
  ["yaml", null, "yml yaml"],
];

const BY_EXTENSION = new Map(
  LANGUAGES.flatMap(([name, grammar, extensions]) =>
    extensions.split(" ").map((extension) => [extension, { name, grammar }] as const),
  ),
);
const TEXT: Language = { name: "text", grammar: null };

export function findLanguage(path: string): Language {
  return BY_EXTENSION.get(getExtension(path)) ?? TEXT;
}

/** Lower case, without the dot; "" for a name without one. */
export function getExtension(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot + 1).toLowerCase();
}

/** Whether `fileType` (an extension such as `.py` or `py`, or a language's name) means this file. */
export function isOfType(path: string, fileType: string): boolean {
  const wanted = fileType
    .trim()
    .toLowerCase()
    .replace(/^(?:\*?\.)+/, "");
  return wanted === getExtension(path) || wanted === findLanguage(path).name;
}

/** The extensions that `fileType` means. */
export function listExtensions(fileType: string): readonly string[] {
  const wanted = fileType
    .trim()
    .toLowerCase()
    .replace(/^(?:\*?\.)+/, "");
  const ofLanguage = [...BY_EXTENSION].filter(([, { name }]) => name === wanted).map(([extension]) => extension);
  return [...new Set([wanted, ...ofLanguage])];
}
