import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalisePath } from "../../../core/sandbox/canonical-path.ts";
import { judgeForm, judgeNewPath, judgePath } from "../../../core/sandbox/path.ts";
import type { SandboxRules } from "../../../core/sandbox/rules.ts";

const OPEN: SandboxRules = { allowedPaths: null, deniedPatterns: [], extensions: ["*"], allowWrite: true };

function codeOf(raw: string, rules: SandboxRules = OPEN, intent: "read" | "write" | "list" = "read"): string {
  const judged = judgePath(raw, rules, intent, "filename");
  return judged.ok ? "ok" : judged.error.code;
}

describe("the form of a path", () => {
  it.each([
    "a",
    "notes/plan.md",
    "a b/c d.txt",
    ".hidden",
    "...",
    "..a",
    "a..",
    "%2e%2e%2fetc%2fpasswd",
    "~root",
    "C:file",
    "日本/語.txt",
    "👩‍🚀.png",
    "a".repeat(1_024),
  ])("accepts %j unchanged", (raw) => {
    expect(judgePath(raw, OPEN, "read")).toEqual({ ok: true, value: raw });
  });

  it.each(["..", "../a", "a/../b", "a/..", "/..", "/workspace/../x", "sandbox:/../x", "./../a", "a/../../b"])(
    "says of %j that it leads outside the sandbox",
    (raw) => {
      expect(judgePath(raw, OPEN, "read", "filename")).toEqual({
        ok: false,
        error: { code: "sandbox_denied", message: `File access denied by sandbox: ${raw}`, field: "filename" },
      });
    },
  );

  it.each([
    ["an empty text", ""],
    ["the root", "."],
    ["the root with a slash", "/"],
    ["the root of the scheme", "sandbox:/"],
    ["a backslash", "a\\b"],
    ["a backslash that climbs", "..\\..\\etc"],
    ["NUL", "a\0.txt"],
    ["a line feed", "a\nb"],
    ["DEL", "a\u007fb"],
    ["a control character of the upper half", "a\u0085b"],
    ["a lone surrogate", "a\ud800b"],
    ["1,025 bytes", "a".repeat(1_025)],
    ["1,025 bytes in fewer characters", "é".repeat(513)],
  ])("rejects %s and names the field", (_, raw) => {
    const judged = judgePath(raw, OPEN, "read", "filename");
    expect(judged).toMatchObject({ ok: false, error: { code: "invalid_input", field: "filename" } });
  });

  it.each([
    ["./a.md", "a.md"],
    ["/a.md", "a.md"],
    ["//a.md", "a.md"],
    ["notes/", "notes"],
    ["notes//a.md", "notes/a.md"],
    ["notes/./a.md", "notes/a.md"],
    ["/workspace/a.md", "a.md"],
    ["//workspace//a.md", "a.md"],
    ["/workspace/workspace/a.md", "workspace/a.md"],
    ["workspace/a.md", "workspace/a.md"],
    ["/workspaces/a.md", "workspaces/a.md"],
    ["sandbox:/a.md", "a.md"],
    ["sandbox:///a.md", "a.md"],
    ["sandbox:/workspace/a.md", "a.md"],
    ["./sandbox:/workspace/a.md", "a.md"],
    ["sandbox:a.md", "sandbox:a.md"],
    ["sandbox:", "sandbox:"],
    ["/etc/passwd", "etc/passwd"],
    ["/nota\u0300s/", "not\u00e0s"],
  ])("canonicalises %j to %j", (raw, path) => {
    expect(judgePath(raw, OPEN, "read")).toEqual({ ok: true, value: path });
  });

  it.each(["", ".", "/", "./", "//", "/workspace", "/workspace/", "sandbox:/", "sandbox:/workspace/", "/./"])(
    "reads %j as the root",
    (raw) => {
      expect(judgePath(raw, OPEN, "list")).toEqual({ ok: true, value: "" });
    },
  );

  it("canonicalises once: the canonical form is its own canonical form", () => {
    const segment = fc.constantFrom("", ".", "..", "sandbox:", "workspace", "a", "e\u0301");
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 8 }), (segments) => {
        const once = canonicalisePath(segments.join("/"));
        expect(canonicalisePath(once)).toBe(once);
      }),
      { numRuns: 5_000 },
    );
  });

  it.each(["./a", "/a", "a/", "a//b", "a/./b", ""])("does not clean %j where a stored path is expected", (raw) => {
    expect(judgeForm(raw).ok).toBe(false);
  });

  it.each([
    ["sandbox:/a", "a"],
    ["sandbox:/workspace/a", "a"],
    ["./a", "a"],
    ["a//b/", "a/b"],
    ["cafe\u0301", "caf\u00e9"],
  ])("stores no file at %j, which names %j", (raw, path) => {
    expect(canonicalisePath(raw)).toBe(path);
    expect(judgeNewPath(raw)).toMatchObject({ ok: false, error: { code: "invalid_input", field: "path" } });
    expect(judgeNewPath(path)).toEqual({ ok: true, value: path });
  });

  it("finds a file that an earlier release stored at sandbox:/a", () => {
    expect(judgeForm("sandbox:/a")).toEqual({ ok: true, value: "sandbox:/a" });
  });

  it.each([`${"./".repeat(5_000)}..`, `/work/${"x".repeat(5_000)}`, `denied/${"x".repeat(900)}`])(
    "quotes at most the start of a long path",
    (raw) => {
      const judged = judgePath(raw, { ...OPEN, deniedPatterns: ["denied"] }, "read");
      expect(judged).toMatchObject({ ok: false, error: { code: "sandbox_denied" } });
      expect(judged.ok ? 0 : judged.error.message.length).toBeLessThan(600);
      const form = judgeForm(`/${raw}`);
      expect(form.ok ? 0 : form.error.message.length).toBeLessThan(600);
    },
  );

  it("returns the path in NFC", () => {
    expect(judgePath("cafe\u0301.txt", OPEN, "read")).toEqual({ ok: true, value: "caf\u00e9.txt" });
  });

  it("reads the empty text as the root only for directories", () => {
    expect(codeOf("", OPEN, "list")).toBe("ok");
    expect(codeOf("", OPEN, "write")).toBe("invalid_input");
  });

  it("never accepts a segment of dots, an empty one, or a forbidden character", () => {
    const segment = fc.oneof(
      fc.constantFrom("..", ".", "", "a", "\\", "\0", "b.txt", "...", "\u0007", "\udc00"),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 6 }), (segments) => {
        const judged = judgePath(segments.join("/"), OPEN, "read");
        if (!judged.ok) return;
        const parts = judged.value.split("/");
        expect(parts.some((part) => part === "" || part === "." || part === "..")).toBe(false);
        expect(judged.value).not.toMatch(/[\\\p{Cc}]/u);
        expect(judged.value.isWellFormed()).toBe(true);
        expect(judgePath(judged.value, OPEN, "read")).toEqual(judged);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("the start of a search", () => {
  it.each([
    ["", ""],
    [".", ""],
    ["./", ""],
    ["a", "a"],
    ["a/", "a"],
    ["a/b/", "a/b"],
    ["a//", "a"],
    ["./a", "a"],
    ["/a/", "a"],
    ["/", ""],
  ])("%j is %j", (raw, path) => {
    expect(judgePath(raw, OPEN, "list")).toEqual({ ok: true, value: path });
  });

  it.each(["..", "../", "a/../", "\\", "a\0"])("%j is rejected", (raw) => {
    expect(judgePath(raw, OPEN, "list").ok).toBe(false);
  });
});

/** Where programs see the sandbox. */
const WORK = "/work";

describe("a path that only programs see", () => {
  it.each([
    [`${WORK}/notes/a.md`, "programs see the sandbox at /work: write notes/a.md"],
    ["/skill/pdf/scripts/x.py", "read a file of a skill with load_skill"],
  ])("is refused with the reason: %s", (path, reason) => {
    const judged = judgePath(path, OPEN, "read");
    expect(judged).toMatchObject({ ok: false, error: { code: "sandbox_denied", field: "path" } });
    expect(judged.ok ? "" : judged.error.message).toContain(`File access denied by sandbox: ${path} (`);
    expect(judged.ok ? "" : judged.error.message).toContain(reason);
  });

  it.each([WORK, `${WORK}/`, `/${WORK}`, `/.${WORK}`, `${WORK}/.`])("is refused in the spelling %s", (path) => {
    expect(judgePath(path, OPEN, "list", "cwd")).toEqual({
      ok: false,
      error: {
        code: "sandbox_denied",
        message: `File access denied by sandbox: ${path} (programs see the sandbox at ${WORK}: write .)`,
        field: "cwd",
      },
    });
  });

  it("is a name in the sandbox without its slash, or with more letters", () => {
    for (const path of ["skill/x.md", "sandbox:/work/x.md", "/skills/x.md", "/tmp/test.txt"])
      expect(judgePath(path, OPEN, "read").ok, path).toBe(true);
  });
});
