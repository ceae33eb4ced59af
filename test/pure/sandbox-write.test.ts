import { describe, expect, it } from "vitest";
import type { SandboxWrite } from "../../core/objects.ts";
import {
  directoriesAbove,
  judgeWrite,
  SANDBOX_MAX_BYTES,
  SANDBOX_MAX_FILES,
  type WriteSituation,
} from "../../core/sandbox/write.ts";

const write: SandboxWrite = { key: "k", path: "a/b.txt", size: 10, hash: "00" };
const empty: WriteSituation = { present: null, isDirectory: false, fileAbove: null, totals: { files: 0, bytes: 0 } };
const present = { path: "a/b.txt", size: 100, hash: "11", contentType: "text/plain", modifiedAt: 0, version: 3 };

function codeOf(change: Partial<SandboxWrite>, situation: Partial<WriteSituation>): string {
  const judged = judgeWrite({ ...write, ...change }, { ...empty, ...situation });
  return judged.ok ? "ok" : judged.error.code;
}

describe("a write to a sandbox", () => {
  it("fits up to the last byte of the quota, and a smaller file may always replace a larger one", () => {
    const totals = { files: 1, bytes: SANDBOX_MAX_BYTES - 10 };
    expect(codeOf({}, { totals })).toBe("ok");
    expect(codeOf({ size: 11 }, { totals })).toBe("quota_exceeded");
    expect(codeOf({ size: 110 }, { totals, present })).toBe("ok");
    expect(codeOf({ size: 111 }, { totals, present })).toBe("quota_exceeded");
  });

  it("fits up to the last file, and replacing adds none", () => {
    expect(codeOf({}, { totals: { files: SANDBOX_MAX_FILES - 1, bytes: 0 } })).toBe("ok");
    expect(codeOf({}, { totals: { files: SANDBOX_MAX_FILES, bytes: 0 } })).toBe("quota_exceeded");
    expect(codeOf({}, { totals: { files: SANDBOX_MAX_FILES, bytes: 100 }, present })).toBe("ok");
  });

  it("keeps files and directories apart", () => {
    expect(codeOf({}, { isDirectory: true })).toBe("conflict");
    expect(codeOf({}, { fileAbove: "a" })).toBe("conflict");
  });

  it("holds to the version that was asked for", () => {
    expect(codeOf({ ifVersion: 3 }, { present })).toBe("ok");
    expect(codeOf({ ifVersion: 2 }, { present })).toBe("conflict");
    expect(codeOf({ ifVersion: 0 }, {})).toBe("ok");
    expect(codeOf({ ifVersion: 0 }, { present })).toBe("conflict");
  });
});

describe("directoriesAbove", () => {
  it.each([
    ["a", []],
    ["a/b", ["a"]],
    ["a/b/c.txt", ["a", "a/b"]],
  ])("of %j are %j", (path, directories) => {
    expect(directoriesAbove(path)).toEqual(directories);
  });
});
