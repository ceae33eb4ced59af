/**
 * Scans a skill's files for what a person should read before trusting it: access to the network, the environment or
 * files outside the work folder, and invisible characters. It only warns; the scripts' cage enforces limits. Every
 * pattern takes time linear in the line.
 */
import { getOwn } from "../base/own-field.ts";
import { findHiddenCharacters } from "./hidden-characters.ts";
import { hasShebang, type PackedFile } from "./package.ts";
import { type Habit, HABITS, type Language, type Reach } from "./scan-habits.ts";
import type { Scan, ScanFinding } from "./scan-finding.ts";
import type { SkillScript } from "./skill.ts";

const MAX_FINDINGS = 200;
/** Limits of the scan in bytes, of a file and of a package. Larger files are reported as unread. */
const MAX_SCANNED_FILE = 1_000_000;
const MAX_SCANNED = 4_000_000;
/** Findings of one file, so that one file cannot fill the list. */
const MAX_FILE_FINDINGS = 50;

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
/** Extensions of other programming languages. */
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

/** Scans every text file. `scripts` are the declared ones. */
export function scanSkill(files: readonly PackedFile[], scripts: readonly SkillScript[]): Scan {
  const findings: ScanFinding[] = [];
  let isCut = false;
  let scanned = 0;
  for (const file of files) {
    const isTooMuch = file.size > MAX_SCANNED_FILE || scanned + file.size > MAX_SCANNED;
    if (isTooMuch && findLanguage(file, "") !== null) findings.push({ ...UNREAD, file: file.path });
    if (isTooMuch) continue;
    scanned += file.size;
    const text = decodeText(file.bytes);
    if (text === null) continue;
    const script = scripts.find(({ path }) => path === file.path);
    const found = [...findHiddenCharacters(file.path, text), ...scanProgram(file, text, script)];
    isCut ||= found.length > MAX_FILE_FINDINGS;
    findings.push(...found.slice(0, MAX_FILE_FINDINGS));
  }
  return { findings: findings.slice(0, MAX_FINDINGS), isCut: isCut || findings.length > MAX_FINDINGS };
}

/** An unread program could do anything. */
const UNREAD: Omit<ScanFinding, "file"> = {
  line: null,
  field: null,
  kind: "made_code",
  message: "is too large to scan",
};

/** The text of a file; null for other content. */
function decodeText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function scanProgram(file: PackedFile, text: string, script: SkillScript | undefined): ScanFinding[] {
  const language = findLanguage(file, text);
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
      findings.push({ file: file.path, line, field: null, kind: habit.reach, message: describeHabit(habit, script) });
    }
  }
  return findings;
}

function describeHabit({ reach, why }: Habit, script: SkillScript | undefined): string {
  if (reach !== "network" || script === undefined) return why;
  return script.network
    ? `${why}; the script asks for the network`
    : `${why}; the script does not ask for the network, and will not get it`;
}

function findLanguage({ path, bytes }: PackedFile, text: string): Language | null {
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
