/** The OpenAPI document of the Worker, for programs that check it or write from it. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

const MAX_DOCUMENT_BYTES = 16 * 1_048_576;

/** Reads the document as JSON text. A process of its own: its sources are of another TypeScript project, with the runtime's globals. */
export function readApiDocument(): string {
  const program = join(import.meta.dirname, "print-api-document.mjs");
  return execFileSync(process.execPath, [program], { maxBuffer: MAX_DOCUMENT_BYTES }).toString();
}
