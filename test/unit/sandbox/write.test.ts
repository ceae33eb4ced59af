import { describe, expect, it } from "vitest";
import type { FileEntry } from "../../../core/ports/files.ts";
import {
  listParents,
  getParent,
  createEntry,
  judgeDirectory,
  judgeRemoval,
  judgeWrite,
  SANDBOX_MAX_BYTES,
  SANDBOX_MAX_DIRECTORIES,
  SANDBOX_MAX_FILES,
  type WriteSituation,
  type SandboxWrite,
} from "../../../core/sandbox/write.ts";

const write: SandboxWrite = { key: "k", path: "a/b.txt", size: 10, hash: "00" };
const empty: WriteSituation = {
  present: null,
  isDirectory: false,
  fileAbove: null,
  backup: null,
  totals: { files: 0, bytes: 0 },
};
const present: FileEntry = {
  path: "a/b.txt",
  size: 100,
  hash: "11",
  contentType: "text/plain",
  modifiedAt: 0,
  version: 3,
  mode: 0o600,
};

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

  it("fits up to the last file, and a replacement adds no file", () => {
    expect(codeOf({}, { totals: { files: SANDBOX_MAX_FILES - 1, bytes: 0 } })).toBe("ok");
    expect(codeOf({}, { totals: { files: SANDBOX_MAX_FILES, bytes: 0 } })).toBe("quota_exceeded");
    expect(codeOf({}, { totals: { files: SANDBOX_MAX_FILES, bytes: 100 }, present })).toBe("ok");
  });

  it("separates files from directories", () => {
    expect(codeOf({}, { isDirectory: true })).toBe("conflict");
    expect(codeOf({}, { fileAbove: "a" })).toBe("conflict");
  });

  it("requires the expected version", () => {
    expect(codeOf({ ifVersion: 3 }, { present })).toBe("ok");
    expect(codeOf({ ifVersion: 2 }, { present })).toBe("conflict");
    expect(codeOf({ ifVersion: 0 }, {})).toBe("ok");
    expect(codeOf({ ifVersion: 0 }, { present })).toBe("conflict");
  });
});

describe("a write with a backup", () => {
  const nothing = { present: null, isDirectory: false };
  const backupPath = "a/b.txt.bak";
  const full = { files: SANDBOX_MAX_FILES, bytes: 100 };

  it("counts the backup as a file with its bytes, only when something is replaced", () => {
    const totals = { files: 1, bytes: 100 };
    const after = judgeWrite({ ...write, backupPath }, { ...empty, present, backup: nothing, totals });
    expect(after).toEqual({ ok: true, value: { files: 2, bytes: 110 } });
    const first = judgeWrite({ ...write, backupPath }, { ...empty, backup: nothing });
    expect(first).toEqual({ ok: true, value: { files: 1, bytes: 10 } });
  });

  it("counts what the backup replaces", () => {
    const before = { ...present, path: backupPath, size: 30 };
    const totals = { files: 2, bytes: 130 };
    const backup = { present: before, isDirectory: false };
    const after = judgeWrite({ ...write, backupPath }, { ...empty, present, backup, totals });
    expect(after).toEqual({ ok: true, value: { files: 2, bytes: 110 } });
  });

  it("is rejected when the backup does not fit, or its path is a directory", () => {
    expect(codeOf({ backupPath }, { present, backup: nothing, totals: full })).toBe("quota_exceeded");
    expect(codeOf({}, { present, totals: full })).toBe("ok");
    const totals = { files: 2, bytes: SANDBOX_MAX_BYTES - 9 };
    expect(codeOf({ backupPath }, { present, backup: nothing, totals })).toBe("quota_exceeded");
    const backup = { present: null, isDirectory: true };
    expect(codeOf({ backupPath }, { present, backup })).toBe("conflict");
    expect(codeOf({ backupPath }, { backup })).toBe("ok");
  });
});

describe("the entry of a write", () => {
  const at = { now: 7, lastVersion: 3 };

  it("has the next version, and retains the file's mode unless another is given", () => {
    expect(createEntry(write, { ...at, present })).toMatchObject({ version: 4, mode: 0o600, modifiedAt: 7 });
    expect(createEntry(write, { ...at, present: null })).toMatchObject({ version: 4, mode: 0o644 });
    expect(createEntry({ ...write, mode: 0o755 }, { ...at, present })).toMatchObject({ mode: 0o755 });
  });
});

describe("a directory", () => {
  const nowhere = { present: null, isDirectory: false, fileAbove: null, made: 0 };
  const judged = (change: Partial<typeof nowhere | { present: FileEntry; fileAbove: string }>) => {
    const result = judgeDirectory("a/b", { ...nowhere, ...change });
    return result.ok ? result.value : result.error.code;
  };

  it("is created where nothing exists, unless a file is in the way", () => {
    expect(judged({})).toBe(true);
    expect(judged({ isDirectory: true })).toBe(false);
    expect(judged({ present })).toBe("conflict");
    expect(judged({ fileAbove: "a" })).toBe("conflict");
  });

  it("has a quota, which an existing one does not affect", () => {
    expect(judged({ made: SANDBOX_MAX_DIRECTORIES - 1 })).toBe(true);
    expect(judged({ made: SANDBOX_MAX_DIRECTORIES })).toBe("quota_exceeded");
    expect(judged({ made: SANDBOX_MAX_DIRECTORIES, isDirectory: true })).toBe(false);
  });
});

describe("a removal", () => {
  const judged = (situation: { present?: FileEntry; isDirectory?: boolean; isEmpty?: boolean }, ifVersion?: number) => {
    const removal = { path: "a/b.txt", ...(ifVersion === undefined ? {} : { ifVersion }) };
    const result = judgeRemoval(removal, { present: null, isDirectory: false, isEmpty: true, ...situation });
    return result.ok ? result.value : result.error.code;
  };

  it("accepts a file at the expected version, and an empty directory", () => {
    expect(judged({ present })).toBe("file");
    expect(judged({ present }, 3)).toBe("file");
    expect(judged({ present }, 2)).toBe("conflict");
    expect(judged({ isDirectory: true })).toBe("directory");
    expect(judged({ isDirectory: true, isEmpty: false })).toBe("conflict");
    expect(judged({})).toBe("not_found");
  });
});

describe("directoryOf", () => {
  it.each([
    ["a", null],
    ["a/b", "a"],
    ["a/b/c.txt", "a/b"],
  ])("of %j is %j", (path, directory) => {
    expect(getParent(path)).toBe(directory);
  });
});

describe("directoriesAbove", () => {
  it.each([
    ["a", []],
    ["a/b", ["a"]],
    ["a/b/c.txt", ["a", "a/b"]],
  ])("of %j are %j", (path, directories) => {
    expect(listParents(path)).toEqual(directories);
  });
});
