/** The scripts that a skill declares, against the files that are there. */
import type { HeadEntry, HeadNode, SkillNote } from "./head.ts";
import { hasShebang, type PackedFile, shown } from "./package.ts";
import { MAX_DESCRIPTION, SCRIPTS_FOLDER, SKILL_FILE, type SkillScript } from "./skill.ts";

/** What a script may ask for: the operator's limit holds beside it. */
const MAX_SCRIPT_SECONDS = 3_600;
const MAX_SCRIPTS = 50;
const MAX_SCRIPT_NAME = 100;
/** Bytes of a first line that says by what a script is run. */
const MAX_SHEBANG_BYTES = 200;
const SCRIPT_FIELDS = new Set(["name", "description", "timeout", "network", "read_only"]);

interface ReadScripts {
  readonly scripts: readonly SkillScript[];
  readonly problems: readonly SkillNote[];
  readonly warnings: readonly SkillNote[];
}

/** `node` null: none are declared. A declaration is a map, or only a name. */
export function readScripts(node: HeadNode | null, files: readonly PackedFile[]): ReadScripts {
  const problems: SkillNote[] = [];
  const warnings: SkillNote[] = [];
  const problem = (line: number, message: string) =>
    problems.push({ file: SKILL_FILE, line, field: "scripts", message: `scripts: ${message}` });
  const inFolder = files.filter(({ path }) => path.startsWith(SCRIPTS_FOLDER));
  const scripts: SkillScript[] = [];
  const declared = declarations(node, problem);
  if (declared.length > MAX_SCRIPTS)
    problem(node?.line ?? 1, `${declared.length} are declared: at most ${MAX_SCRIPTS}`);
  for (const declaration of declared.slice(0, MAX_SCRIPTS)) {
    const script = scriptOf(declaration, inFolder, problem);
    if (script === null) continue;
    if (scripts.some(({ name }) => name === script.name))
      problem(declaration.line, `${shown(script.name)} is declared twice`);
    scripts.push(script);
    for (const { name, line } of declaration.kind === "map" ? declaration.entries : []) {
      if (SCRIPT_FIELDS.has(name)) continue;
      const message = `scripts: ${shown(name)} is no field of a script: it means nothing here`;
      warnings.push({ file: SKILL_FILE, line, field: "scripts", message });
    }
  }
  const known = new Set(scripts.map(({ path }) => path));
  for (const { path } of inFolder) {
    if (known.has(path) || problems.length > 0) continue;
    const message = "is not declared in scripts, so that it cannot be run";
    warnings.push({ file: path, line: null, field: null, message });
  }
  return { scripts, problems, warnings };
}

type Report = (line: number, message: string) => void;

/** A list of declarations; a text is a list of names, and a map has the names of scripts before their declarations. */
function declarations(node: HeadNode | null, problem: Report): readonly HeadNode[] {
  if (node === null) return [];
  if (node.kind === "list") return node.items;
  if (node.kind === "text")
    return node.text
      .split(/[\s,]+/)
      .filter((name) => name !== "")
      .map((text) => ({ kind: "text", line: node.line, text }));
  return node.entries.flatMap(({ name, line, value }): HeadNode[] => {
    const own: HeadEntry = { name: "name", line, value: { kind: "text", line, text: name } };
    if (value.kind === "map") return [{ kind: "map", line, entries: [own, ...value.entries] }];
    if (value.kind === "text") return [{ kind: "map", line, entries: [own, { name: "description", line, value }] }];
    problem(line, `${shown(name)} is a list: a script has name, description, timeout and network`);
    return [];
  });
}

function scriptOf(node: HeadNode, files: readonly PackedFile[], problem: Report): SkillScript | null {
  if (node.kind === "list") {
    problem(node.line, "an entry is a list: it has to be a name, or name, description, timeout and network");
    return null;
  }
  const fields = new Map(node.kind === "map" ? node.entries.map((entry) => [entry.name, entry]) : []);
  const textOf = (field: string): string => {
    const value = fields.get(field)?.value;
    if (value === undefined) return "";
    if (value.kind === "text") return value.text.trim();
    problem(value.line, `${field} is a ${value.kind}: it has to be a text`);
    return "";
  };
  const given = node.kind === "text" ? node.text.trim() : textOf("name");
  if (given === "" || given.length > MAX_SCRIPT_NAME) {
    problem(node.line, given === "" ? "name is missing" : `a name has at most ${MAX_SCRIPT_NAME} characters`);
    return null;
  }
  const name = given.replace(/^\.?\/?scripts\//, "");
  const description = textOf("description");
  if (Array.from(description).length > MAX_DESCRIPTION)
    problem(node.line, `the description of ${shown(name)} has more than ${MAX_DESCRIPTION} characters`);
  const timeoutS = secondsOf(textOf("timeout"), fields.get("timeout")?.line ?? node.line, problem);
  const isOn = (field: string) => switchOf(field, textOf(field), fields.get(field)?.line ?? node.line, problem);
  const network = isOn("network");
  const readOnly = isOn("read_only") ? { readOnly: true } : {};
  const path = pathOf(name, node.line, files, problem);
  return path === null ? null : { name, path, description, timeoutS, network, ...readOnly };
}

function secondsOf(text: string, line: number, problem: Report): number | null {
  if (text === "") return null;
  const seconds = /^\d+s?$/.test(text) ? Number.parseInt(text, 10) : Number.NaN;
  if (seconds >= 1 && seconds <= MAX_SCRIPT_SECONDS) return seconds;
  problem(line, `timeout is ${JSON.stringify(shown(text))}: seconds, from 1 to ${MAX_SCRIPT_SECONDS}`);
  return null;
}

function switchOf(field: string, text: string, line: number, problem: Report): boolean {
  if (/^true$/i.test(text)) return true;
  if (text !== "" && !/^false$/i.test(text))
    problem(line, `${field} is ${JSON.stringify(shown(text))}: it has to be true or false`);
  return false;
}

/** The file of a script: of that name, or of that name but for the ending. */
function pathOf(name: string, line: number, files: readonly PackedFile[], problem: Report): string | null {
  const exact = files.find(({ path }) => path === `${SCRIPTS_FOLDER}${name}`);
  const alike = files.filter(({ path }) => path.replace(/\.[^./]*$/, "") === `${SCRIPTS_FOLDER}${name}`);
  const file = exact ?? (alike.length === 1 ? alike[0] : undefined);
  if (file === undefined) {
    const why =
      alike.length > 1 ? `could be ${alike.map(({ path }) => path).join(" or ")}` : `is not in ${SCRIPTS_FOLDER}`;
    problem(line, `${shown(name)} ${why}`);
    return null;
  }
  const why = shebangFault(file.bytes);
  if (why !== null) problem(line, `${file.path} ${why}`);
  return file.path;
}

/** What is wrong with the first line of a script; null: nothing. */
function shebangFault(bytes: Uint8Array): string | null {
  if (!hasShebang(bytes)) return "does not begin with #! and what runs it, e.g. #!/usr/bin/env python3";
  const end = bytes.subarray(0, MAX_SHEBANG_BYTES).indexOf(0x0a);
  const first = new TextDecoder().decode(bytes.subarray(0, end < 0 ? MAX_SHEBANG_BYTES : end));
  if (end < 0 && bytes.length > MAX_SHEBANG_BYTES) return `has a first line of more than ${MAX_SHEBANG_BYTES} bytes`;
  if (first.endsWith("\r")) return "has line ends of Windows (CR LF): its first line names no program then";
  return /^#![ \t]*\/\S/.test(first) ? null : "has a first line that names no program by its whole path";
}
