/** A codebase and its files as requests and readers give them. */
import { createHash } from "node:crypto";
import { cutChunks } from "../../../core/codebases/chunks.ts";
import type { IndexedFile } from "../../../core/codebases/indexed-file.ts";
import { findLanguage } from "../../../core/codebases/languages.ts";
import { listWords } from "../../../core/codebases/names.ts";
import type { NewCodebase } from "../../../core/ports/codebases.ts";
import { newId } from "./rows.ts";

export function noneSkipped() {
  return { binary: 0, too_large: 0, ignored: 0, denied: 0, secret: 0, link: 0 };
}

export function newCodebase(name = "shop", users: Partial<NewCodebase> = {}): NewCodebase {
  const source = { git: "https://code.example.com/shop.git" };
  return {
    id: newId("codebase"),
    name,
    source,
    agents: ["coder"],
    projects: null,
    people: null,
    every: null,
    dueAt: null,
    ...users,
  };
}

/** A file with a function of each of these names, one on each line. */
export function fileOf(path: string, text: string, symbols: readonly string[] = []): IndexedFile {
  return {
    path,
    hash: createHash("sha256").update(text).digest("hex"),
    language: findLanguage(path).name,
    size: text.length,
    lines: text.split("\n").length,
    symbols: symbols.map((name, index) => ({
      name,
      kind: "function",
      signature: `function ${name}()`,
      doc: "",
      start_line: index + 1,
      end_line: index + 1,
      calls: ["send"],
    })),
    chunks: cutChunks(text, new Set()).map((chunk) => ({
      start_line: chunk.startLine,
      end_line: chunk.endLine,
      text: chunk.text,
      words: [...listWords(chunk.text)],
    })),
  };
}
