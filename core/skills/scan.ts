/**
 * What in a skill's files is worth a look before anybody trusts it: programs that reach for the network, the environment or
 * files outside the work folder, and characters that cannot be seen. It warns and forbids nothing: the cage that scripts
 * run in does that. Every pattern here takes time by the length of the line.
 */
import { getOwn } from "../base/own-field.ts";
import { findHiddenCharacters } from "./hidden-characters.ts";
import { hasShebang, type PackedFile } from "./package.ts";
import { type Habit, HABITS, type Language, type Reach } from "./scan-habits.ts";
import type { Scan, ScanFinding } from "./scan-finding.ts";
import type { SkillScript } from "./skill.ts";

const MAX_FINDINGS = 200;
/** Bytes that are looked at, of one file and of a package: what is larger is told and not looked through. */
const MAX_SCANNED_FILE = 1_000_000;
const MAX_SCANNED = 4_000_000;
/** Of one file: one file cannot fill the list. */
const MAX_OF_A_FILE = 50;

const BY_ENDING: Readonly<Record<string, Language>> = {
  py: "python",
  pyw: "python",
  sh: "shell",
  bash: "shell",
  zsh: "shell",
  js: "node",
  mjs: "node",
  cjs: "node",
  ts: "node",
  mts: "node",
  cts: "node",
  jsx: "node",
  tsx: "node",
};
/** Endings of other languages in which programs are written. */
const OTHER_CODE = new Set([
  "rb",
  "pl",
  "pm",
  "php",
  "lua",
  "r",
  "go",
  "rs",
  "java",
  "kt",
  "ps1",
  "bat",
  "cmd",
  "awk",
  "tcl",
  "jl",
  "swift",
  "c",
  "cc",
  "cpp",
]);

/** Looks through every file that is text. `scripts` are those that the skill declares. */
export function scanSkill(files: readonly PackedFile[], scripts: readonly SkillScript[]): Scan {
  const findings: ScanFinding[] = [];
  let isCut = false;
  let scanned = 0;
  for (const file of files) {
    const isTooMuch = file.size > MAX_SCANNED_FILE || scanned + file.size > MAX_SCANNED;
    if (isTooMuch && languageOf(file, "") !== null) findings.push({ ...UNREAD, file: file.path });
    if (isTooMuch) continue;
    scanned += file.size;
    const text = textOf(file.bytes);
    if (text === null) continue;
    const script = scripts.find(({ path }) => path === file.path);
    const found = [...findHiddenCharacters(file.path, text), ...programFindings(file, text, script)];
    isCut ||= found.length > MAX_OF_A_FILE;
    findings.push(...found.slice(0, MAX_OF_A_FILE));
  }
  return { findings: findings.slice(0, MAX_FINDINGS), isCut: isCut || findings.length > MAX_FINDINGS };
}

/** A program that is not looked through could do anything. */
const UNREAD: Omit<ScanFinding, "file"> = {
  line: null,
  field: null,
  kind: "made_code",
  message: "is too large to be looked through",
};

/** The text of a file; null when it is none. */
function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function programFindings(file: PackedFile, text: string, script: SkillScript | undefined): ScanFinding[] {
  const language = languageOf(file, text);
  if (language === null) return [];
  const findings: ScanFinding[] = [];
  let line = 0;
  for (const content of text.split("\n")) {
    line += 1;
    if (isComment(content, language, line)) continue;
    const seen = new Set<Reach>();
    for (const habit of HABITS) {
      if (seen.has(habit.reach) || !habit.languages.includes(language) || !habit.pattern.test(content)) continue;
      if (habit.except?.test(content) === true) continue;
      seen.add(habit.reach);
      findings.push({ file: file.path, line, field: null, kind: habit.reach, message: sayHabit(habit, script) });
    }
  }
  return findings;
}

function sayHabit({ reach, why }: Habit, script: SkillScript | undefined): string {
  if (reach !== "network" || script === undefined) return why;
  return script.network
    ? `${why}; the script asks for the network`
    : `${why}; the script does not ask for the network, and will not have it`;
}

function languageOf({ path, bytes }: PackedFile, text: string): Language | null {
  if (hasShebang(bytes)) {
    const first = text.slice(0, 200).split("\n")[0] ?? "";
    if (/python/.test(first)) return "python";
    if (/\b(?:node|deno|bun|tsx)\b/.test(first)) return "node";
    if (/\b(?:sh|bash|dash|zsh|ksh)\b/.test(first)) return "shell";
    return "other";
  }
  const ending = /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  return getOwn(BY_ENDING, ending) ?? (OTHER_CODE.has(ending) ? "other" : null);
}

function isComment(line: string, language: Language, number: number): boolean {
  const start = line.trimStart();
  if (number === 1 && start.startsWith("#!")) return true;
  return language === "node" ? start.startsWith("//") : language !== "other" && start.startsWith("#");
}
