/**
 * Finds what runs a script of a skill: the program of its first line (`#!`), else the one of its extension. Public
 * skills name programs by many paths, so the first line's program is looked up by its name.
 */
import { getOwn } from "../base/own-field.ts";

/** Longest first line in bytes. */
const MAX_SHEBANG_BYTES = 200;
const MAX_SHEBANG_WORDS = 10;

const BY_EXTENSION: Readonly<Record<string, readonly [string, ...string[]]>> = {
  py: ["python3"],
  js: ["node"],
  mjs: ["node"],
  cjs: ["node"],
  ts: ["node"],
  mts: ["node"],
  cts: ["node"],
  sh: ["bash"],
  bash: ["bash"],
};

/** Programs of first lines that the cage has under another name, or whose scripts another program runs as well. */
const BY_PROGRAM: Readonly<Record<string, string>> = {
  python: "python3",
  uv: "python3",
  nodejs: "node",
  bun: "node",
  deno: "node",
  tsx: "node",
  "ts-node": "node",
};

/** The program and its options that run a script, before the script's path; or why none does. */
export type Interpreter =
  | { readonly ok: true; readonly argv: readonly [string, ...string[]] }
  | { readonly ok: false; readonly why: string };

/** Whether a file is a script by its first line or its extension. */
export function isScript(path: string, bytes: Uint8Array): boolean {
  return startsWithShebang(bytes) || findByExtension(path) !== undefined;
}

/** Finds the interpreter of a script. `why` completes a sentence that begins with the script's path. */
export function findInterpreter(path: string, bytes: Uint8Array): Interpreter {
  if (startsWithShebang(bytes)) return readShebang(bytes);
  const argv = findByExtension(path);
  if (argv !== undefined) return { ok: true, argv };
  const known = Object.keys(BY_EXTENSION).map((extension) => `.${extension}`);
  return {
    ok: false,
    why: `begins with no #! line (such as #!/usr/bin/env python3) and has none of the extensions ${known.join(", ")}, so nothing says what runs it`,
  };
}

function startsWithShebang(bytes: Uint8Array): boolean {
  return bytes[0] === 0x23 && bytes[1] === 0x21;
}

function findByExtension(path: string): readonly [string, ...string[]] | undefined {
  const extension = /\.([A-Za-z]+)$/.exec(path.slice(path.lastIndexOf("/") + 1))?.[1];
  return extension === undefined ? undefined : getOwn(BY_EXTENSION, extension.toLowerCase());
}

function readShebang(bytes: Uint8Array): Interpreter {
  const end = bytes.subarray(0, MAX_SHEBANG_BYTES).indexOf(0x0a);
  if (end < 0 && bytes.length > MAX_SHEBANG_BYTES)
    return { ok: false, why: `has a first line with more than ${MAX_SHEBANG_BYTES} bytes` };
  const line = new TextDecoder().decode(bytes.subarray(2, end < 0 ? bytes.length : end));
  const hasCarriageReturn = line.endsWith("\r");
  const words = line.trim().split(/\s+/).slice(0, MAX_SHEBANG_WORDS);
  const [path = "", ...options] = words;
  if (!path.startsWith("/")) return { ok: false, why: "has a first line without a program's full path" };
  const own = getProgram(path) === "env" ? options.filter((word) => !/^(?:-S|-i|--)$/.test(word)) : [path, ...options];
  const [program = "", ...rest] = own.filter((word) => !/^[A-Za-z_]\w*=/.test(word));
  const name = getProgram(program);
  if (name === "") return { ok: false, why: "has a first line that names no program" };
  const replaced = getOwn(BY_PROGRAM, name);
  const argv: readonly [string, ...string[]] =
    replaced === undefined ? [name, ...rest] : name === "python" ? [replaced, ...rest] : [replaced];
  // Python and node read such files, and shells do not.
  if (hasCarriageReturn && argv[0] !== "python3" && argv[0] !== "node")
    return { ok: false, why: "has Windows line endings (CR LF), with which its lines name other programs" };
  return { ok: true, argv };
}

function getProgram(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
