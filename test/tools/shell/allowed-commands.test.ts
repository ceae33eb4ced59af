/** What the command policy admits, run by the system's own shell among programs that only write down how they were started. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { judgeCommand } from "../../../core/lib/shell/command-policy.ts";
import { readCommand, type Segment } from "../../../core/lib/shell/read-command.ts";

const ALLOWED = ["git", "ls"];
const PROGRAMS = [...ALLOWED, "rm", "cat", "sh", "gitfoo"];

let top: string;
let [work, records] = ["", ""];

beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), "otto-policy-"));
  [work, records] = [join(top, "work"), join(top, "records")];
  mkdirSync(join(top, "bin"));
  mkdirSync(work);
  for (const program of PROGRAMS) {
    const path = join(top, "bin", program);
    writeFileSync(path, `#!/bin/sh\nprintf '%s\\0' "\${0##*/}" "$@" > "$RECORDS/$$"\n`);
    chmodSync(path, 0o755);
  }
});

afterAll(() => rmSync(top, { recursive: true, force: true }));

/** Runs a command; gives the words of every program that was started, sorted, and the files that it left. `-f`: without globs. */
function startedBy(command: string, ...flags: readonly "-f"[]) {
  rmSync(records, { recursive: true, force: true });
  mkdirSync(records);
  const env = { PATH: join(top, "bin"), RECORDS: records };
  spawnSync("/bin/sh", [...flags, "-c", command], { cwd: work, env, timeout: 10_000 });
  const started = readdirSync(records).map((name) =>
    readFileSync(join(records, name), "utf8").split("\0").slice(0, -1),
  );
  return { started: sorted(started), left: readdirSync(work) };
}

/** What a shell starts when every program ends well: a pipeline behind `||` is left out. Globs are left as they stand: `.?` is `..` in every folder. */
function expectedOf(segments: readonly Segment[]): string[][] {
  const started: string[][] = [];
  let isLeftOut = false;
  for (const { joint, words } of segments) {
    if (joint !== "|") isLeftOut = joint === "||";
    if (!isLeftOut) started.push(words.map((word) => word.map(({ text }) => text).join("")));
  }
  return sorted(started);
}

function sorted(rows: string[][]): string[][] {
  return rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

const piece = fc.oneof(
  fc.constantFrom(
    ...Array.from("'\"\\$`;|&<>(){}[]*?!~#=-^%,:@+ ab1"),
    "\\'",
    "''",
    '""',
    "[a-c]",
    "rm",
    "日",
    "\u0081\u0088",
  ),
  fc.string({ maxLength: 3 }),
);
const word = fc.oneof(
  fc.array(piece, { maxLength: 6 }).map((parts) => parts.join("")),
  fc.string({ maxLength: 8 }).map((text) => `'${text.replaceAll("'", "")}'`),
  fc.string({ maxLength: 8 }).map((text) => `"${text.replaceAll(/["\\$`]/g, "\\$&")}"`),
);
const segment = fc
  .tuple(fc.constantFrom("git", "ls", "'git'", "g\\it", "rm", "gitfoo", "./git"), fc.array(word, { maxLength: 4 }))
  .map(([program, words]) => [program, ...words].join(" "));
const command = fc
  .array(fc.tuple(segment, fc.constantFrom(" | ", "&&", " || ", ";", "; ", "\n", " & ")), {
    minLength: 1,
    maxLength: 3,
  })
  .map((parts) => parts.map(([text, joint], index) => (index === parts.length - 1 ? text : text + joint)).join(""));

describe("a real shell, given what was judged", () => {
  it("starts listed programs only, each with exactly the words that were judged", () => {
    let admitted = 0;
    fc.assert(
      fc.property(command, (given) => {
        const judged = judgeCommand(given, ALLOWED);
        const read = readCommand(given);
        if (!judged.ok || !read.ok) return;
        admitted += 1;
        expect(startedBy(judged.value, "-f")).toEqual({ started: expectedOf(read.value), left: [] });
      }),
      { numRuns: 4_000, endOnFailure: true, examples: [["'git' .? .*"]] },
    );
    expect(admitted).toBeGreaterThan(100);
  }, 120_000);

  it.each([
    "git; rm -rf .",
    "gitfoo",
    "git $(rm x)",
    "git\nrm x",
    "git > out",
    "git `rm x`",
    "git & rm x",
    "./git",
    "/bin/rm x",
  ])("is never given %j", (hostile) => {
    expect(judgeCommand(hostile, ALLOWED).ok).toBe(false);
  });

  it("finds files by unquoted globs, and none by quoted ones", () => {
    writeFileSync(join(work, "a.md"), "");
    writeFileSync(join(work, "b.md"), "");
    const judged = judgeCommand("git add *.md '*.md' [a]?md \\*", ALLOWED);
    const { started } = startedBy(judged.ok ? judged.value : "");
    rmSync(join(work, "a.md"));
    rmSync(join(work, "b.md"));
    expect(started).toEqual([["git", "add", "a.md", "b.md", "*.md", "a.md", "*"]]);
  });
});
