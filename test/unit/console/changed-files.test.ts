import { describe, expect, it } from "vitest";
import { changedFiles } from "../../../web/src/pages/skills/changed-files.ts";

const files = (hashes: Record<string, string>) => Object.entries(hashes).map(([path, hash]) => ({ path, hash }));

describe("files of two versions", () => {
  it("are distinguished by their content, SKILL.md first", () => {
    const before = files({ "SKILL.md": "1", "a.py": "1", "gone.md": "1", "same.md": "1" });
    const after = files({ "SKILL.md": "2", "a.py": "2", "new.md": "1", "same.md": "1" });
    expect(changedFiles(before, after)).toEqual([
      { path: "SKILL.md", kind: "changed" },
      { path: "a.py", kind: "changed" },
      { path: "gone.md", kind: "removed" },
      { path: "new.md", kind: "added" },
    ]);
    expect(changedFiles(before, before)).toEqual([]);
  });
});
