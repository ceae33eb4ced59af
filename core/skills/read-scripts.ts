/** Reads the scripts of a skill: those that its head declares, checked against its files, or all that it has. */
import { findScripts } from "./find-scripts.ts";
import type { HeadEntry, HeadNode, SkillNote } from "./head.ts";
import { findInterpreter } from "./interpreter.ts";
import { type PackedFile, formatUntrusted } from "./package.ts";
import { MAX_DESCRIPTION, SCRIPTS_FOLDER, SKILL_FILE, type SkillScript } from "./skill.ts";

/** Longest time limit of a script; the operator's limit applies too. */
const MAX_SCRIPT_SECONDS = 3_600;
const MAX_SCRIPTS = 50;
const MAX_SCRIPT_NAME = 100;
const SCRIPT_FIELDS = new Set(["name", "description", "timeout", "network", "read_only"]);

interface ReadScripts {
  readonly scripts: readonly SkillScript[];
  readonly problems: readonly SkillNote[];
  readonly warnings: readonly SkillNote[];
}

/** `node` is null without declarations: then every script is one. A declaration is a map or only a name. */
export function readScripts(node: HeadNode | null, files: readonly PackedFile[]): ReadScripts {
  if (node === null) return { scripts: findScripts(files), problems: [], warnings: [] };
  const problems: SkillNote[] = [];
  const warnings: SkillNote[] = [];
  const problem = (line: number, message: string) =>
    problems.push({ file: SKILL_FILE, line, field: "scripts", message: `scripts: ${message}` });
  const inFolder = files.filter(({ path }) => path.startsWith(SCRIPTS_FOLDER));
  const scripts: SkillScript[] = [];
  const declared = listDeclarations(node, problem);
  if (declared.length > MAX_SCRIPTS)
    problem(node.line, `${declared.length} scripts are declared: at most ${MAX_SCRIPTS}`);
  for (const declaration of declared.slice(0, MAX_SCRIPTS)) {
    const script = readScript(declaration, files, problem);
    if (script === null) continue;
    if (scripts.some(({ name }) => name === script.name))
      problem(declaration.line, `${formatUntrusted(script.name)} is declared twice`);
    scripts.push(script);
    for (const { name, line } of declaration.kind === "map" ? declaration.entries : []) {
      if (SCRIPT_FIELDS.has(name)) continue;
      const message = `scripts: ${formatUntrusted(name)} is not a field of a script and is ignored`;
      warnings.push({ file: SKILL_FILE, line, field: "scripts", message });
    }
  }
  const known = new Set(scripts.map(({ path }) => path));
  for (const { path } of inFolder) {
    if (known.has(path) || problems.length > 0) continue;
    const message = "is not declared in scripts, which lists others, so it cannot be run";
    warnings.push({ file: path, line: null, field: null, message });
  }
  return { scripts, problems, warnings };
}

type Report = (line: number, message: string) => void;

/** The declarations. A text is a list of names, and a map has names before their declarations. */
function listDeclarations(node: HeadNode, problem: Report): readonly HeadNode[] {
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
    problem(line, `${formatUntrusted(name)} is a list: a script has name, description, timeout and network`);
    return [];
  });
}

function readScript(node: HeadNode, files: readonly PackedFile[], problem: Report): SkillScript | null {
  if (node.kind === "list") {
    problem(node.line, "an entry is a list: it has to be a name, or name, description, timeout and network");
    return null;
  }
  const fields = new Map(node.kind === "map" ? node.entries.map((entry) => [entry.name, entry]) : []);
  const getText = (field: string): string => {
    const value = fields.get(field)?.value;
    if (value === undefined) return "";
    if (value.kind === "text") return value.text.trim();
    problem(value.line, `${field} is a ${value.kind}: it has to be a text`);
    return "";
  };
  const given = node.kind === "text" ? node.text.trim() : getText("name");
  if (given === "" || given.length > MAX_SCRIPT_NAME) {
    problem(node.line, given === "" ? "name is missing" : `a name has at most ${MAX_SCRIPT_NAME} characters`);
    return null;
  }
  const name = given.replace(/^\.?\/?scripts\//, "");
  const description = getText("description");
  if (Array.from(description).length > MAX_DESCRIPTION)
    problem(node.line, `the description of ${formatUntrusted(name)} has more than ${MAX_DESCRIPTION} characters`);
  const timeoutS = parseSeconds(getText("timeout"), fields.get("timeout")?.line ?? node.line, problem);
  const isOn = (field: string) => parseSwitch(field, getText(field), fields.get(field)?.line ?? node.line, problem);
  const network = isOn("network");
  const readOnly = isOn("read_only") ? { readOnly: true } : {};
  const path = findPath(name, node.line, files, problem);
  return path === null ? null : { name, path, description, timeoutS, network, ...readOnly };
}

function parseSeconds(text: string, line: number, problem: Report): number | null {
  if (text === "") return null;
  const seconds = /^\d+s?$/.test(text) ? Number.parseInt(text, 10) : Number.NaN;
  if (seconds >= 1 && seconds <= MAX_SCRIPT_SECONDS) return seconds;
  problem(line, `timeout is ${JSON.stringify(formatUntrusted(text))}: seconds, from 1 to ${MAX_SCRIPT_SECONDS}`);
  return null;
}

function parseSwitch(field: string, text: string, line: number, problem: Report): boolean {
  if (/^true$/i.test(text)) return true;
  if (text !== "" && !/^false$/i.test(text))
    problem(line, `${field} is ${JSON.stringify(formatUntrusted(text))}: it has to be true or false`);
  return false;
}

/** The file of a script, with or without its extension in the name, below `scripts/` or by its whole path. */
function findPath(name: string, line: number, files: readonly PackedFile[], problem: Report): string | null {
  const exact =
    files.find(({ path }) => path === `${SCRIPTS_FOLDER}${name}`) ?? files.find(({ path }) => path === name);
  const alike = files.filter(({ path }) => path.replace(/\.[^./]*$/, "") === `${SCRIPTS_FOLDER}${name}`);
  const file = exact ?? (alike.length === 1 ? alike[0] : undefined);
  if (file === undefined || file.path === SKILL_FILE) {
    const why =
      alike.length > 1 ? `could be ${alike.map(({ path }) => path).join(" or ")}` : `is not in ${SCRIPTS_FOLDER}`;
    problem(line, `${formatUntrusted(name)} ${why}`);
    return null;
  }
  const interpreter = findInterpreter(file.path, file.bytes);
  if (!interpreter.ok) problem(line, `${file.path} ${interpreter.why}`);
  return file.path;
}
