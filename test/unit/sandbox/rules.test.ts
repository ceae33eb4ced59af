import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fnmatch } from "../../../core/lib/fnmatch.ts";
import { agentConfigSchema, DEFAULT_DENIED_PATTERNS } from "../../../core/agents/agent.ts";
import type { SandboxRules } from "../../../core/sandbox/rules.ts";
import { checkExtension, isVisibleDirectory, isVisibleFile, judgePath } from "../../../core/sandbox/path.ts";

const OPEN: SandboxRules = { allowedPaths: null, deniedPatterns: [], extensions: ["*"], allowWrite: true };
const DEFAULTS: SandboxRules = { ...OPEN, deniedPatterns: DEFAULT_DENIED_PATTERNS, extensions: null };

function codeOf(raw: string, rules: SandboxRules = OPEN, intent: "read" | "write" | "list" = "read"): string {
  const judged = judgePath(raw, rules, intent, "filename");
  return judged.ok ? "ok" : judged.error.code;
}

describe("allowed paths", () => {
  const rules: SandboxRules = { ...OPEN, allowedPaths: ["/app", "./docs//public/", "sandbox:/workspace/one.txt"] };

  it.each([
    ["app", "ok"],
    ["app/x.txt", "ok"],
    ["app/deep/x.txt", "ok"],
    ["app-evil/x.txt", "sandbox_denied"],
    ["app-evil", "sandbox_denied"],
    ["appx", "sandbox_denied"],
    ["App/x.txt", "sandbox_denied"],
    ["docs/x.txt", "sandbox_denied"],
    ["docs/public/x.txt", "ok"],
    ["docs/publicity/x.txt", "sandbox_denied"],
    ["one.txt", "ok"],
    ["one.txt.bak", "sandbox_denied"],
    ["x/app/y", "sandbox_denied"],
  ])("reading %j: %s", (raw, code) => {
    expect(codeOf(raw, rules)).toBe(code);
  });

  it("lists directories inside an allowed path and its parents, and no others", () => {
    expect(
      ["", "docs", "docs/public", "docs/public/a", "app", "other", "docs/private"].map((path) =>
        codeOf(path, rules, "list"),
      ),
    ).toEqual(["ok", "ok", "ok", "ok", "ok", "sandbox_denied", "sandbox_denied"]);
    expect(isVisibleDirectory("docs", rules)).toBe(true);
    expect(isVisibleFile("docs", rules)).toBe(false);
  });

  it("are canonicalised once for many files", () => {
    let reads = 0;
    const entries = new Proxy(["app"], {
      get(target, key, receiver) {
        if (key === "0") reads += 1;
        return Reflect.get(target, key, receiver) as unknown;
      },
    });
    for (let at = 0; at < 100; at += 1)
      expect(isVisibleFile(`app/${at}`, { ...OPEN, allowedPaths: entries })).toBe(true);
    expect(reads).toBe(1);
  });

  it("allow nothing when the list is empty, and everything when it contains the root", () => {
    expect(codeOf("a", { ...OPEN, allowedPaths: [] })).toBe("sandbox_denied");
    for (const top of ["", "/", ".", "/workspace", "sandbox:/"])
      expect(codeOf("a", { ...OPEN, allowedPaths: [top] })).toBe("ok");
    expect(codeOf("a", { ...OPEN, allowedPaths: [".."] })).toBe("sandbox_denied");
  });
});

describe("denied patterns", () => {
  it.each([
    ".env",
    ".env.local",
    ".ENV",
    "app/.env",
    "a/b/.env.production",
    ".env.d/values.txt",
    "my.secret",
    "a/b/my.SECRET",
    "id.key",
    "certs/id.pem",
    ".git/config",
    "repo/.git/objects/ab/cd",
    "repo/.git",
    "secrets.json",
    "a/Secrets.yaml",
    "secrets.d/x.txt",
  ])("deny %j by default", (raw) => {
    expect(judgePath(raw, DEFAULTS, "read", "filename")).toMatchObject({
      error: { code: "sandbox_denied", message: `File access denied by sandbox: ${raw}`, field: "filename" },
    });
    expect(codeOf(raw, DEFAULTS, "write")).toBe("sandbox_denied");
  });

  it.each(["env", "my.env", "secret.txt", "keys.txt", ".gitignore", "git/config", "secrets", "a/key/b.txt"])(
    "do not deny %j by default",
    (raw) => {
      expect(codeOf(raw, DEFAULTS)).toBe("ok");
    },
  );

  it.each([
    ["private", "private/x/y.txt", true],
    ["private", "a/private/y.txt", true],
    ["/private", "private/y.txt", true],
    ["./a//b/", "a/b/c.txt", true],
    ["/workspace/a/*.txt", "a/c.txt", true],
    ["sandbox:/a/b", "a/b", true],
    ["/", "anything", true],
    ["a/private", "a/private/y.txt", true],
    ["a/private", "b/a/private/y.txt", false],
    ["a/*/c", "a/b/c", true],
    ["a/*/c", "a/b/b/c", false],
    ["a/**/c", "a/c", true],
    ["a/**/c", "a/b/b/c/d", true],
    ["**", "anything", true],
    ["*", "anything", true],
    ["**/*.log", "a/b/.log", true],
    ["a/[!x]*", "a/yes", true],
    ["a/[!x]*", "a/x1", false],
    ["a?c", "abc", true],
    ["a?c/d", "a/c/d", false],
  ])("%j on %j: denied is %j", (pattern, path, denied) => {
    expect(codeOf(path, { ...OPEN, deniedPatterns: [pattern] })).toBe(denied ? "sandbox_denied" : "ok");
  });

  it("name the path as it was written", () => {
    for (const raw of ["/etc/passwd", "/workspace/app/../x", "sandbox:/other"])
      expect(judgePath(raw, { ...OPEN, allowedPaths: ["/app"] }, "read")).toMatchObject({
        error: { code: "sandbox_denied", message: `File access denied by sandbox: ${raw}` },
      });
  });

  it.each(["", "."])("deny nothing for the pattern %j, which names no file", (pattern) => {
    expect(codeOf("a/b", { ...OPEN, deniedPatterns: [pattern] })).toBe("ok");
  });

  it.each(["", "."])("cannot hold %j in an agent's configuration", (pattern) => {
    const given = { name: "a", instructions: "", tools: [], permissions: [], sandbox: { denied_patterns: [pattern] } };
    const parsed = agentConfigSchema.safeParse(given);
    expect(parsed.error?.issues).toMatchObject([
      { path: ["sandbox", "denied_patterns", 0], message: "name files, such as **/*.key, or write / for every file" },
    ]);
  });

  it("take precedence over allowed paths", () => {
    expect(codeOf("app/.env", { ...DEFAULTS, allowedPaths: ["app"] })).toBe("sandbox_denied");
  });
});

describe("writing and file types", () => {
  it("uses the document's message when writing is disabled", () => {
    expect(judgePath("a.txt", { ...OPEN, allowWrite: false }, "write")).toMatchObject({
      error: { code: "sandbox_denied", message: "Write access is disabled (allow_write=False)." },
    });
    expect(codeOf("a.txt", { ...OPEN, allowWrite: false }, "read")).toBe("ok");
  });

  it.each([
    ["a.txt", true],
    ["A.TXT", true],
    ["a.md", true],
    ["a.tar.json", true],
    ["a.exe", false],
    ["a", false],
    [".txt", false],
    ["a.txt/b", false],
    ["a.txt.exe", false],
    ["atxt", false],
  ])("the types of document 000 accept %j: %j", (path, taken) => {
    const extensions = [".txt", ".md", ".json"];
    expect(checkExtension(path, { ...DEFAULTS, extensions }, "filename").ok).toBe(taken);
  });

  it("accept a type with or without its dot, and any type for a star", () => {
    expect(checkExtension("a.csv", { ...OPEN, extensions: ["CSV"] }).ok).toBe(true);
    expect(checkExtension("a", { ...OPEN, extensions: ["*"] }).ok).toBe(true);
    expect(checkExtension("a", { ...OPEN, extensions: [] }).ok).toBe(false);
    expect(checkExtension("a", { ...OPEN, extensions: [""] }).ok).toBe(false);
  });
});

describe("an agent's rules, for any path", () => {
  const name = fc.string({ unit: fc.constantFrom("a", "b", "B", "."), minLength: 1, maxLength: 3 });
  const real = (segments: readonly string[]) => !segments.some((one) => one === "." || one === "..");
  const path = fc.array(name, { minLength: 1, maxLength: 5 }).filter(real);
  const part = fc.oneof(
    fc.constant("**"),
    fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), minLength: 1, maxLength: 2 }),
  );
  const pattern = fc.array(part, { minLength: 1, maxLength: 4 });

  /** A denied pattern, implemented the slow way: it matches the path or a directory above it. */
  function isDeniedSlowly(names: readonly string[], parts: readonly string[]): boolean {
    const [first, ...rest] = parts;
    if (first === undefined) return true;
    if (first === "**")
      return isDeniedSlowly(names, rest) || (names.length > 0 && isDeniedSlowly(names.slice(1), parts));
    return names[0] !== undefined && fnmatch(names[0].toLowerCase(), first) && isDeniedSlowly(names.slice(1), rest);
  }

  it("deny exactly what a pattern matches and everything below it", () => {
    fc.assert(
      fc.property(path, pattern, (names, parts) => {
        const rules = { ...OPEN, deniedPatterns: [parts.join("/")] };
        const anywhere = parts.length === 1 ? ["**", ...parts] : parts;
        expect(isVisibleFile(names.join("/"), rules)).toBe(!isDeniedSlowly(names, anywhere));
      }),
      { numRuns: 3_000 },
    );
  });

  it("allow what is inside an allowed path by full segments, and list its parents", () => {
    fc.assert(
      fc.property(path, path, (names, root) => {
        const rules = { ...OPEN, allowedPaths: [root.join("/")] };
        const isInside = root.every((one, index) => names[index] === one);
        expect(isVisibleFile(names.join("/"), rules)).toBe(isInside);
        for (const intent of ["read", "write"] as const)
          expect(judgePath(names.join("/"), rules, intent).ok).toBe(isInside);
        const isOnTheWay = names.every((one, index) => root[index] === one);
        expect(judgePath(names.join("/"), rules, "list").ok).toBe(isInside || isOnTheWay);
      }),
      { numRuns: 2_000 },
    );
  });

  it("apply to the parents of everything they show", () => {
    fc.assert(
      fc.property(path, pattern, path, (names, parts, root) => {
        const rules = { ...OPEN, deniedPatterns: [parts.join("/")], allowedPaths: [root.join("/")] };
        if (!isVisibleFile(names.join("/"), rules)) return;
        for (let end = 1; end < names.length; end += 1) {
          expect(judgePath(names.slice(0, end).join("/"), rules, "list").ok).toBe(true);
        }
      }),
    );
  });
});

describe("a list of extensions", () => {
  it("applies to every text tool, and is absent by default", () => {
    expect(checkExtension("a.py", { ...OPEN, extensions: null }).ok).toBe(true);
    expect(checkExtension("a.py", { ...OPEN, extensions: [".md"] })).toMatchObject({
      error: { code: "sandbox_denied", message: "File access denied by sandbox: a.py (allowed file types: .md)" },
    });
    expect(checkExtension("a.MD", { ...OPEN, extensions: [".md"] }).ok).toBe(true);
  });
});
