/** What every `FilesPort` does with changes that happen together. Runs in Node for the fake and in workerd for the object. */
import { describe, expect, it } from "vitest";
import type { Result } from "../../../core/base/errors.ts";
import type { FilesPort } from "../../../core/ports/files.ts";
import { MAX_CHANGES } from "../../../core/sandbox/change-set.ts";
import type { FileChange } from "../../../core/sandbox/file-change.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const write = (path: string, text: string, ifVersion = 0, mode?: number): FileChange => ({
  kind: "write",
  path,
  bytes: bytesOf(text),
  ifVersion,
  ...(mode === undefined ? {} : { mode }),
});
const remove = (path: string, ifVersion: number): FileChange => ({ kind: "remove", path, ifVersion });

let keys = 0;
const freshKey = () => ({ key: `set-${(keys += 1)}` });

function codeOf(result: Result<unknown>): string {
  return result.ok ? "ok" : result.error.code;
}

/** Every file with its text. */
async function textsOf(files: FilesPort): Promise<Record<string, string>> {
  const page = await files.walk("", null, 1_000);
  if (!page.ok) throw new Error(page.error.message);
  const texts = page.value.files.map(async (entry): Promise<[string, string]> => {
    const bytes = await files.readEntry(entry);
    return [entry.path, bytes.ok ? new TextDecoder().decode(bytes.value) : bytes.error.code];
  });
  return Object.fromEntries(await Promise.all(texts));
}

/** `open` gives an empty sandbox each time. */
export function filesChangesContract(name: string, open: () => FilesPort | Promise<FilesPort>): void {
  const start = async (given: Record<string, string>) => {
    const files = await open();
    for (const [path, text] of Object.entries(given)) await files.write(path, bytesOf(text), freshKey());
    return files;
  };

  describe(`changes that happen together: ${name}`, () => {
    it("writes, replaces and removes files at once, and remembers what was there", async () => {
      const files = await start({ "a.txt": "one", "b/c.txt": "two" });
      const changes = [write("a.txt", "new", 1, 0o755), write("d/e.txt", "made"), remove("b/c.txt", 1)];
      expect(codeOf(await files.apply(changes, freshKey()))).toBe("ok");
      expect(await textsOf(files)).toEqual({ "a.txt": "new", "d/e.txt": "made" });
      expect(await files.stat("a.txt")).toMatchObject({ value: { version: 2, mode: 0o755 } });
      expect(await files.versions("a.txt")).toMatchObject({ value: [{ version: 2 }, { version: 1 }] });
      expect(await files.versions("b/c.txt")).toMatchObject({ value: [{ version: 1, isCurrent: false }] });
      expect(await files.list("b")).toMatchObject({ ok: true, value: [] });
    });

    it("makes them once for a key, whatever was written since", async () => {
      const files = await start({ "a.txt": "one" });
      const key = freshKey();
      expect(codeOf(await files.apply([write("a.txt", "two", 1)], key))).toBe("ok");
      await files.write("a.txt", bytesOf("three"), freshKey());
      expect(codeOf(await files.apply([write("a.txt", "two", 1)], key))).toBe("ok");
      expect(await textsOf(files)).toEqual({ "a.txt": "three" });
    });

    it.each<[string, FileChange]>([
      ["a file that was written meanwhile", write("a.txt", "x", 1)],
      ["a file that is there after all", write("b/c.txt", "x")],
      ["a file that is gone", write("gone.txt", "x", 1)],
      ["the removal of a file that was written meanwhile", remove("a.txt", 1)],
      ["the removal of a file that is gone", remove("gone.txt", 1)],
      ["a file where a directory is", write("b", "x")],
      ["a file inside a file", write("a.txt/x", "x")],
    ])("changes nothing when one of them is %s, and names it", async (_what, change) => {
      const files = await start({ "a.txt": "one", "b/c.txt": "two" });
      await files.write("a.txt", bytesOf("meanwhile"), freshKey());
      const before = await textsOf(files);
      const refused = await files.apply([write("new.txt", "x"), change], freshKey());
      expect(refused).toMatchObject({ ok: false, error: { code: "conflict", fields: [{ field: change.path }] } });
      expect(refused).toMatchObject({ error: { message: expect.stringContaining(change.path) } });
      expect(await textsOf(files)).toEqual(before);
    });

    it("lets a file replace a directory that the same changes empty, and the reverse", async () => {
      const files = await start({ "a/b/c.txt": "one", "d.txt": "two" });
      await files.makeDirectory("a/empty", freshKey());
      const changes = [remove("a/b/c.txt", 1), write("a", "file"), remove("d.txt", 1), write("d.txt/e.txt", "inside")];
      expect(codeOf(await files.apply(changes, freshKey()))).toBe("ok");
      expect(await textsOf(files)).toEqual({ a: "file", "d.txt/e.txt": "inside" });
      expect(await files.list("")).toMatchObject({ value: [{ name: "a", kind: "file" }, { kind: "directory" }] });
    });

    it("refuses a path twice, a path that no sandbox has, and too many", async () => {
      const files = await start({});
      const twice = [write("a.txt", "1"), write("a.txt", "2")];
      expect(codeOf(await files.apply(twice, freshKey()))).toBe("invalid_input");
      for (const path of ["../a", "/a", "a//b", "", "a\0b", "e\u0301", "sandbox:/a"]) {
        expect(["invalid_input", "sandbox_denied"]).toContain(
          codeOf(await files.apply([write(path, "x")], freshKey())),
        );
      }
      const many = Array.from({ length: MAX_CHANGES + 1 }, (_, index) => write(`many/${index}`, ""));
      expect(codeOf(await files.apply(many, freshKey()))).toBe("too_large");
      expect(await textsOf(files)).toEqual({});
      expect(codeOf(await files.apply([], freshKey()))).toBe("ok");
    });

    it("counts what it changed against the quota", async () => {
      const files = await start({ "a.txt": "one", "b.txt": "two" });
      const changes = [write("a.txt", "a longer text", 1), remove("b.txt", 1), write("c.txt", "three")];
      expect(codeOf(await files.apply(changes, freshKey()))).toBe("ok");
      expect(await files.list("")).toMatchObject({ value: [{ size: 13 }, { size: 5 }] });
      expect(codeOf(await files.apply([remove("a.txt", 2), remove("c.txt", 1)], freshKey()))).toBe("ok");
      expect(await textsOf(files)).toEqual({});
    });
  });
}
