/**
 * The default programs of the fake cage. It runs `/bin/sh -c` with a small part of the shell: commands joined by `;` and `&&`, words in
 * single or double quotes, `> file`, `>&2`, and the commands below. Any other program is not found.
 */
import { notSent, ok, type Result } from "../../core/base/errors.ts";
import type { ScriptFile, ScriptRequest, ScriptRun, WrittenByScript } from "../../core/ports/scripts.ts";

const NOT_FOUND = 127;
const USUAL_MODE = 0o644;

interface FileInMemory {
  readonly mode: number;
  readonly text: string;
}

/** The state of a command. */
interface Place {
  readonly request: ScriptRequest;
  readonly files: Map<string, FileInMemory>;
  readonly links: Set<string>;
  readonly skill: ReadonlyMap<string, FileInMemory>;
  waitedMs: number;
}

interface Said {
  readonly out?: string;
  readonly error?: string;
  readonly code?: number;
  /** Exits the shell. */
  readonly exits?: boolean;
}

type Command = (args: readonly string[], place: Place) => Said;

const COMMANDS: Readonly<Record<string, Command>> = {
  echo: (args) => ({ out: `${args.join(" ")}\n` }),
  true: () => ({}),
  false: () => ({ code: 1 }),
  pwd: (_args, { request }) => ({ out: `${request.cwd === "" ? "/work" : `/work/${request.cwd}`}\n` }),
  exit: ([code = "0"]) => ({ code: Number(code), exits: true }),
  printenv: ([name = ""], { request }) => {
    const value = request.env[name];
    return value === undefined ? { code: 1 } : { out: `${value}\n` };
  },
  cat: ([path = ""], place) => {
    const found = findFile(path, place);
    return found === undefined ? { error: `cat: ${path}: No such file or directory\n`, code: 1 } : { out: found.text };
  },
  rm: ([path = ""], place) => {
    const is = place.files.delete(within(path, place));
    return is ? {} : { error: `rm: cannot remove '${path}': No such file or directory\n`, code: 1 };
  },
  chmod: ([mode = "", path = ""], place) => {
    const found = findFile(path, place);
    if (found !== undefined) place.files.set(within(path, place), { ...found, mode: Number.parseInt(mode, 8) });
    return {};
  },
  ln: ([, , path = ""], place) => {
    place.links.add(within(path, place));
    return {};
  },
  sleep: ([seconds = "0"], place) => {
    place.waitedMs += Number(seconds) * 1_000;
    return {};
  },
};

/** Runs once, like `ScriptsPort`. */
export async function runInMemory(request: ScriptRequest): Promise<Result<ScriptRun>> {
  if (request.signal.aborted) return notSent("timeout", "It was cancelled.");
  const [files, skill] = [await taken(request.files), await taken(request.skill)];
  if (!files.ok) return files;
  if (!skill.ok) return skill;
  const before = new Map(files.value);
  const place = { request, files: files.value, links: new Set<string>(), skill: skill.value, waitedMs: 0 };
  return ok(makeRun(place, runShell(place), before));
}

async function taken(files: readonly ScriptFile[]): Promise<Result<Map<string, FileInMemory>>> {
  const held = new Map<string, FileInMemory>();
  for (const { path, mode, open } of files.map((file) => ({ ...file, open: () => file.open() }))) {
    const opened = await open();
    if (!opened.ok) return opened;
    held.set(path, { mode, text: await new Response(opened.value).text() });
  }
  return ok(held);
}

function runShell(place: Place): Required<Omit<Said, "exits">> {
  const [shell, option, text = ""] = place.request.argv;
  if (shell !== "/bin/sh" || option !== "-c") return { out: "", error: `${shell}: not found\n`, code: NOT_FOUND };
  const all = { out: "", error: "", code: 0 };
  for (const [, line = "", joint = ""] of text.matchAll(/((?:'[^']*'|"[^"]*"|[^;&'"]|>&2)+)(&&|;|$)/g)) {
    const { out = "", error = "", code = 0, exits = false } = runCommand(line, place);
    all.out += out;
    all.error += error;
    all.code = code;
    if (exits || place.waitedMs > place.request.timeoutMs || (joint === "&&" && code !== 0)) break;
  }
  return all;
}

function runCommand(line: string, place: Place): Said {
  const [, text = "", to = ""] = /^(.*?)(?:>\s*(&2|\S+)\s*)?$/s.exec(line.trim()) ?? [];
  const [name = "", ...args] = [...text.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? "",
  );
  const command: Command = COMMANDS[name] ?? (() => ({ error: `${name}: not found\n`, code: NOT_FOUND }));
  const said = command(args, place);
  if (to === "&2") return { ...said, out: "", error: (said.out ?? "") + (said.error ?? "") };
  if (to === "") return said;
  const path = within(to, place);
  place.files.set(path, { mode: place.files.get(path)?.mode ?? USUAL_MODE, text: said.out ?? "" });
  return { ...said, out: "" };
}

function within(path: string, { request }: Place): string {
  if (path.startsWith("/work/")) return path.slice("/work/".length);
  return request.cwd === "" ? path : `${request.cwd}/${path}`;
}

function findFile(path: string, place: Place): FileInMemory | undefined {
  return path.startsWith("/skill/")
    ? place.skill.get(path.slice("/skill/".length))
    : place.files.get(within(path, place));
}

function makeRun(
  place: Place,
  said: { readonly out: string; readonly error: string; readonly code: number },
  before: ReadonlyMap<string, FileInMemory>,
): ScriptRun {
  const { request, files, links, waitedMs } = place;
  const timedOut = waitedMs > request.timeoutMs;
  const [out, error] = [cut(said.out, request.maxOutputBytes), cut(said.error, request.maxOutputBytes)];
  const changed = [...files].filter(([path, file]) => {
    const known = before.get(path);
    return known?.text !== file.text || known.mode !== file.mode;
  });
  const written = changed.map(([path, { mode, text }]): WrittenByScript => {
    const bytes = new TextEncoder().encode(text);
    return { path, mode, size: bytes.length, bytes };
  });
  const isTooMuch = written.reduce((sum, { size }) => sum + size, 0) > request.maxChangedBytes;
  const why = `More than ${request.maxChangedBytes} bytes were written, so no change was saved.`;
  return {
    exitCode: timedOut ? null : said.code,
    signal: timedOut ? "SIGKILL" : null,
    timedOut,
    stdout: out.text,
    stderr: timedOut ? `${error.text}\nIt took longer than ${request.timeoutMs} ms.\n` : error.text,
    truncated: out.truncated || error.truncated,
    durationMs: waitedMs,
    written: isTooMuch ? [] : written,
    removed: isTooMuch ? [] : [...before.keys()].filter((path) => !files.has(path)),
    refused: [
      ...(isTooMuch ? written.map(({ path }) => ({ path, why })) : []),
      ...[...links].map((path) => ({ path, why: "It is a link." })),
    ],
  };
}

function cut(text: string, maxBytes: number): { readonly text: string; readonly truncated: boolean } {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return { text, truncated: false };
  return { text: new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true }), truncated: true };
}
