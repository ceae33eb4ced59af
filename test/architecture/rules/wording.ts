/** What a line of the repository may not say. */
import { findRefusedPhrases } from "./phrases.ts";
import { isCode, lineAt, type SourceFile, type Violation } from "./source-tree.ts";

interface Ban {
  readonly pattern: RegExp;
  readonly message: string;
}

const BANS: readonly Ban[] = [
  { pattern: /\b(TODO|FIXME|XXX|HACK)\b/g, message: "finish it, or open an issue" },
  {
    pattern: /(?<![\w.:/~-])\/(home|root|Users|work|mnt)\/[\w.-]+/g,
    message: "names a folder of one machine",
  },
];

const CODE_BANS: readonly Ban[] = [
  { pattern: /\.only\(/g, message: "runs alone and hides the others" },
  {
    pattern: /\.(skip|todo)\((?!\s*["'`][^"'`]*\(.*because .*\)["'`])/g,
    message: "a skip says (because …) in its name",
  },
  {
    pattern: /\.(skipIf|runIf)\(.*?\)\((?!\s*["'`][^"'`]*\(.*because .*\)["'`])/g,
    message: "a skip says (because …) in its name",
  },
  { pattern: /(oxlint|eslint)-disable(?!.* -- \S)/g, message: "a disabled rule says why, after ` -- `" },
  { pattern: /biome-ignore(?!.*: \S)/g, message: "an ignored rule says why" },
  { pattern: /@ts-(ignore|nocheck)/g, message: "use @ts-expect-error with a reason" },
  { pattern: /@ts-expect-error(?! \S)/g, message: "an expected type error says why" },
];

/** The rules themselves, and the violations that their tests plant. */
const PLANTS = /^test\/architecture\//;

/** Unfinished work, machine paths, skips or disabled rules without a reason, and refused phrases. */
export function wordingViolations(files: readonly SourceFile[]): Violation[] {
  return files.flatMap((file) => {
    if (PLANTS.test(file.path) || file.path === "package-lock.json" || file.path === "LICENSE") return [];
    const bans = isCode(file.path) ? [...BANS, ...CODE_BANS] : BANS;
    const found = bans.flatMap(({ pattern, message }) =>
      [...file.text.matchAll(pattern)].map((match) => ({ match, message })),
    );
    const refused = findRefusedPhrases(file).map((match) => ({ match, message: "say it plainly (docs/glossary.md)" }));
    return [...found, ...refused].map(({ match, message }) => ({
      path: file.path,
      line: lineAt(file.text, match.index),
      message: `“${match[0].trim()}”: ${message}`,
    }));
  });
}
