/** A place in code as a model reads it. */
import { quoteText } from "../../core/knowledge/render-source.ts";

interface CodeResult {
  readonly file: string;
  readonly codebase: string;
  readonly symbol: string | null;
  readonly kind: string | null;
  readonly signature: string | null;
  readonly start_line: number;
  readonly end_line: number;
  readonly code: string;
}

/** Where it is, and then its code, each line marked, so that no text can look like another result or like an end. */
export function formatCodeResult(result: CodeResult, index: number): string {
  const { file, codebase, symbol, kind, signature, start_line: start, end_line: end, code } = result;
  const head = [`[${index + 1}] ${codebase}`, `lines ${start}-${end}`, ...(kind === null ? [] : [kind])].join(" · ");
  const text = [file, ...(symbol === null ? [] : [`${symbol}: ${signature ?? ""}`]), code].join("\n");
  return `${head}\n${quoteText(text)}`;
}
