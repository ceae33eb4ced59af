/** What each type of subagent may use: patterns that narrow the tools of the task that dispatches it, and never widen them. */
import { compilePattern, matchesPattern } from "../../core/lib/fnmatch.ts";

/** The types of document 000. */
export const AGENT_TYPES = ["general", "research", "tool-specialist"] as const;

/** Every specialist has these: to read what was shortened for it, and to ask when it is stuck. */
const ALWAYS = ["expand_result", "ask_human"] as const;

/**
 * What research is done with: reading, searching and writing files, and looking things up. Nothing that tells or changes
 * anything outside the sandbox, runs a program or deletes: `http.get` is in, `http_request`, which also posts, is not.
 */
export const RESEARCH_TOOLS: readonly string[] = [
  "read_file",
  "fs.read",
  "read_document",
  "list_directory",
  "find_files",
  "search_in_files",
  "grep",
  // Writing stays in the sandbox; `attach_file` only marks an existing file.
  "write_file",
  "fs.write",
  "create_directory",
  "attach_file",
  // The knowledge tools, and what a tenant names likewise. Patterns: an exact name would be shown in full.
  "search_*",
  "semantic_*",
  "read_source*",
  "memory_search",
  "web_search",
  "http.get",
  // These steer the task itself. A subagent of its own gets no tool that it has not.
  "get_current_datetime",
  "ask_human",
  "expand_result",
  "dispatch_subagent",
];

/** A word with a wildcard and fewer letters than this is punctuation or a bullet rather than a pattern. */
const MIN_PATTERN_LETTERS = 3;
/** Characters of a word that can name tools (an agent's own patterns are no longer), and patterns of a text that are tried. */
const MAX_WORD_CHARACTERS = 200;
const MAX_PATTERNS = 200;

/**
 * The tools of a specialist: those of `tools` that a text names, in their own form or with underscores for dots, or that
 * a fnmatch pattern in it matches. Empty: it names none. Takes time by the length of the text.
 */
export function specialistTools(text: string, tools: readonly string[]): string[] {
  const byForm = new Map(tools.flatMap((tool) => formsOf(tool).map((form) => [form, tool] as const)));
  const named = new Set<string>();
  const patterns = new Set<string>();
  for (const word of wordsOf(text)) {
    const tool = byForm.get(word);
    if (tool !== undefined) named.add(tool);
    else if (isPattern(word) && patterns.size < MAX_PATTERNS) patterns.add(word);
  }
  for (const pattern of [...patterns].map(compilePattern)) {
    for (const tool of tools) if (formsOf(tool).some((form) => matchesPattern(form, pattern))) named.add(tool);
  }
  return named.size === 0 ? [] : [...new Set([...named, ...ALWAYS])];
}

/** Every run of characters that a name or a pattern can have, and without the marks of a sentence around it. */
function* wordsOf(text: string): Generator<string> {
  // Markdown's emphasis stands around a word; as a pattern it would match every tool that holds the word.
  for (const [word] of text.replaceAll("**", " ").matchAll(/[\w.*?![\]-]+/g)) {
    if (word.length > MAX_WORD_CHARACTERS) continue;
    yield word;
    yield word.replaceAll(/^[.[]+|[.?!\]]+$/g, "");
  }
}

function formsOf(tool: string): string[] {
  return tool.includes(".") ? [tool, tool.replaceAll(".", "_")] : [tool];
}

function isPattern(word: string): boolean {
  return /[*?]/.test(word) && (word.match(/[A-Za-z]/g) ?? []).length >= MIN_PATTERN_LETTERS;
}
