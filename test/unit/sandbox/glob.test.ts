import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fnmatch } from "../../../core/lib/fnmatch.ts";
import { matchesGlob, parseGlob } from "../../../core/sandbox/glob.ts";

function matches(path: string, glob: string): boolean {
  const parsed = parseGlob(glob);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return matchesGlob(path.split("/"), parsed.value);
}

/** The rules again, implemented the slow way. */
function matchesSlowly(names: readonly string[], parts: readonly string[]): boolean {
  const [part, ...rest] = parts;
  if (part === undefined) return names.length === 0;
  if (part !== "**") return names[0] !== undefined && fnmatch(names[0], part) && matchesSlowly(names.slice(1), rest);
  if (rest.length === 0) return names.length > 0;
  return names.some((_, index) => matchesSlowly(names.slice(index), rest));
}

describe("a glob", () => {
  it.each([
    ["a.py", "*.py", true],
    ["src/a.py", "*.py", false],
    ["a.py", "**/*.py", true],
    ["src/a.py", "**/*.py", true],
    ["src/lib/a.py", "**/*.py", true],
    ["a.txt", "**/*", true],
    ["a/b/c.txt", "**/*", true],
    ["a/b/c.txt", "**", true],
    ["src/a/b.ts", "src/**", true],
    ["src/a.ts", "src/**", true],
    ["src", "src/**", false],
    ["src/a/b/c.ts", "src/**/c.ts", true],
    ["src/c.ts", "src/**/c.ts", true],
    ["lib/src/c.ts", "src/**/c.ts", false],
    ["a/x/b/y/c", "a/**/b/**/c", true],
    ["a/b/c", "a/**/b/**/c", true],
    ["a/c/b", "a/**/b/**/c", false],
    ["a/b", "**/**/b", true],
    ["b", "**/**/b", true],
    ["src/lib/a.ts", "src/*/a.ts", true],
    ["src/a.ts", "src/*/a.ts", false],
    ["src/x/y/a.ts", "src/*/a.ts", false],
    ["axb/c", "a**b/c", true],
    ["a/x/b/c", "a**b/c", false],
    ["a1.txt", "a[0-9].txt", true],
    ["ax.txt", "a[!0-9].txt", true],
    ["a1.txt", "a[!0-9].txt", false],
    ["a/b.txt", "a?b.txt", false],
    ["ab.txt", "?b.txt", true],
    [".hidden", "*", true],
    ["a/.hidden/b", "**/b", true],
    ["A.PY", "*.py", false],
    ["{a,b}.txt", "{a,b}.txt", true],
    ["a.txt", "{a,b}.txt", false],
    ["[.txt", "[.txt", true],
    ["notes/a.md", "./notes//*.md", true],
    ["notes/a.md", "/workspace/notes/*.md", true],
    ["caf\u00e9.txt", "cafe\u0301.txt", true],
    ["\u{1F600}.txt", "?.txt", true],
  ])("on %j: %j is %j", (path, glob, expected) => {
    expect(matches(path, glob)).toBe(expected);
  });

  it.each([
    ["", "invalid_input"],
    ["../*", "sandbox_denied"],
    ["a/../*", "sandbox_denied"],
    ["**/..", "sandbox_denied"],
    ["./", "invalid_input"],
    ["/", "invalid_input"],
    ["a\\*", "invalid_input"],
    ["a\0", "invalid_input"],
    ["\ud800", "invalid_input"],
    ["a\nb", "invalid_input"],
    ["x".repeat(1_001), "invalid_input"],
  ])("that is %j is rejected: %s", (glob, code) => {
    expect(parseGlob(glob)).toMatchObject({ ok: false, error: { code, field: "glob" } });
  });

  it("matches by its rules, for any path and any glob", () => {
    const name = fc.string({ unit: fc.constantFrom("a", "b", ".", "é"), minLength: 1, maxLength: 4 });
    const part = fc.oneof(
      { weight: 2, arbitrary: fc.constant("**") },
      {
        weight: 3,
        arbitrary: fc.string({ unit: fc.constantFrom("a", "b", "*", "?", "[ab]"), minLength: 1, maxLength: 3 }),
      },
    );
    const real = (segments: readonly string[]) => !segments.some((one) => one === "." || one === "..");
    fc.assert(
      fc.property(
        fc.array(name, { minLength: 1, maxLength: 6 }).filter(real),
        fc.array(part, { minLength: 1, maxLength: 5 }).filter(real),
        (names, parts) => {
          expect(matches(names.join("/"), parts.join("/"))).toBe(matchesSlowly(names, parts));
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it("handles a path of 500 segments and a glob of 320 with stars everywhere", () => {
    const glob = `${"**/a/".repeat(160)}b`;
    expect(matches("a/".repeat(500).slice(0, -1), glob)).toBe(false);
    expect(matches(`${"a/".repeat(500)}b`, glob)).toBe(true);
  });
});
