/** Requests for programs, as tests make them. */
import { ok } from "../../../core/base/errors.ts";
import type { ScriptFile, ScriptRequest } from "../../../core/ports/scripts.ts";

export function scriptFile(path: string, text: string, mode = 0o644): ScriptFile {
  const bytes = new TextEncoder().encode(text);
  return { path, size: bytes.length, mode, open: async () => ok(new Blob([bytes]).stream()) };
}

export function shell(command: string, more: Partial<ScriptRequest> = {}): ScriptRequest {
  return {
    argv: ["/bin/sh", "-c", command],
    cwd: "",
    env: {},
    timeoutMs: 20_000,
    maxOutputBytes: 10_000,
    network: null,
    files: [],
    skill: [],
    maxChangedBytes: 1_000_000,
    signal: new AbortController().signal,
    ...more,
  };
}
