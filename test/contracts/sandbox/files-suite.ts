/** What every `FilesPort` does. Runs in Node for the fake and in workerd for the object with its bucket. */
import { describe, expect, it } from "vitest";
import type { Result } from "../../../core/base/errors.ts";
import type { FilesPort } from "../../../core/ports/files.ts";
import { valueOf } from "../value-of.ts";

const MAX = 1_000_000;
const bytesOf = (text: string) => new TextEncoder().encode(text);
const bytesOfStream = async (stream: ReadableStream<Uint8Array>) =>
  new Uint8Array(await new Response(stream).arrayBuffer());
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function codeOf(result: Result<unknown>): string {
  return result.ok ? "ok" : result.error.code;
}

let keys = 0;
const freshKey = () => ({ key: `write-${(keys += 1)}` });

/** `open` gives an empty sandbox each time. */
export function filesContract(name: string, open: () => FilesPort | Promise<FilesPort>): void {
  describe(`files: ${name}`, () => {
    it("gives back what was written, byte for byte, with its facts", async () => {
      const files = await open();
      const bytes = new Uint8Array([0, 255, 10, 13, 239, 187, 191]);
      const written = valueOf(await files.write("a/b/data.bin", bytes, freshKey()));
      expect(written).toMatchObject({
        path: "a/b/data.bin",
        size: 7,
        version: 1,
        contentType: "application/octet-stream",
      });
      expect(written.hash).toMatch(/^[0-9a-f]{64}$/);
      const read = valueOf(await files.read("a/b/data.bin", MAX));
      expect([...read.bytes]).toEqual([...bytes]);
      expect(written).toEqual({ ...read.entry, isNew: true, backup: null });
      expect(valueOf(await files.stat("a/b/data.bin"))).toEqual(read.entry);
    });

    it("streams a file, byte for byte and with the same facts as it is read with", async () => {
      const files = await open();
      const bytes = new Uint8Array(300_000).map((_, index) => (index * 7) % 256);
      const written = valueOf(await files.write("a/big.bin", bytes, freshKey()));
      const opened = valueOf(await files.open("a/big.bin"));
      expect(written).toMatchObject(opened.entry);
      expect(await bytesOfStream(opened.stream)).toEqual(bytes);
    });

    it("streams the version that was there when it was opened, and an empty file as nothing", async () => {
      const files = await open();
      valueOf(await files.write("a.txt", bytesOf("one"), freshKey()));
      const first = valueOf(await files.open("a.txt"));
      valueOf(await files.write("a.txt", new Uint8Array(), freshKey()));
      expect(textOf(await bytesOfStream(first.stream))).toBe("one");
      expect(await bytesOfStream(valueOf(await files.open("a.txt")).stream)).toHaveLength(0);
    });

    it("stores an empty file", async () => {
      const files = await open();
      valueOf(await files.write("empty.txt", new Uint8Array(), freshKey()));
      expect(valueOf(await files.read("empty.txt", MAX)).bytes).toHaveLength(0);
    });

    it("replaces a file and counts its versions", async () => {
      const files = await open();
      valueOf(await files.write("a.txt", bytesOf("one"), freshKey()));
      const second = valueOf(await files.write("a.txt", bytesOf("two and more"), freshKey()));
      expect(second.version).toBe(2);
      expect(textOf(valueOf(await files.read("a.txt", MAX)).bytes)).toBe("two and more");
    });

    it("applies a write once for a key, whatever was written since", async () => {
      const files = await open();
      const key = freshKey();
      const first = valueOf(await files.write("a.txt", bytesOf("one"), key));
      valueOf(await files.write("a.txt", bytesOf("two"), freshKey()));
      expect(valueOf(await files.write("a.txt", bytesOf("one"), key))).toEqual(first);
      expect(textOf(valueOf(await files.read("a.txt", MAX)).bytes)).toBe("two");
    });

    it("applies one of two writes at once with one key", async () => {
      const files = await open();
      const key = freshKey();
      const both = await Promise.all([
        files.write("a.txt", bytesOf("x"), key),
        files.write("a.txt", bytesOf("x"), key),
      ]);
      expect(both.map((result) => valueOf(result).version)).toEqual([1, 1]);
    });

    it("refuses a write to another version than the one that is there", async () => {
      const files = await open();
      valueOf(await files.write("a.txt", bytesOf("one"), { ...freshKey(), ifVersion: 0 }));
      expect(codeOf(await files.write("a.txt", bytesOf("two"), { ...freshKey(), ifVersion: 0 }))).toBe("conflict");
      expect(codeOf(await files.write("b.txt", bytesOf("two"), { ...freshKey(), ifVersion: 1 }))).toBe("conflict");
      expect(valueOf(await files.write("a.txt", bytesOf("two"), { ...freshKey(), ifVersion: 1 })).version).toBe(2);
    });

    it("stores the writer's content type, or else derives one from the name", async () => {
      const files = await open();
      expect(valueOf(await files.write("a.md", bytesOf("#"), freshKey())).contentType).toBe(
        "text/markdown; charset=utf-8",
      );
      const given = { ...freshKey(), contentType: "application/x-own" };
      expect(valueOf(await files.write("a.md", bytesOf("#"), given)).contentType).toBe("application/x-own");
    });

    it("says that a file is not there, and that one is too large", async () => {
      const files = await open();
      expect(await files.read("no.txt", MAX)).toMatchObject({
        error: { code: "not_found", message: "File not found: no.txt" },
      });
      expect(await files.open("no.txt")).toMatchObject({
        error: { code: "not_found", message: "File not found: no.txt" },
      });
      expect(await files.stat("no.txt")).toMatchObject({ error: { code: "not_found" } });
      valueOf(await files.write("big.txt", bytesOf("12345"), freshKey()));
      expect(await files.read("big.txt", 4)).toMatchObject({
        error: { code: "too_large", message: "File too large: 5 bytes" },
      });
      expect((await files.read("big.txt", 5)).ok).toBe(true);
    });

    it("has no file where a directory is, and no directory where a file is", async () => {
      const files = await open();
      valueOf(await files.write("a/b/c.txt", bytesOf("x"), freshKey()));
      expect(codeOf(await files.write("a", bytesOf("x"), freshKey()))).toBe("conflict");
      expect(codeOf(await files.write("a/b", bytesOf("x"), freshKey()))).toBe("conflict");
      expect(codeOf(await files.write("a/b/c.txt/d.txt", bytesOf("x"), freshKey()))).toBe("conflict");
      expect(codeOf(await files.write("a/b/c.txt/d/e/f.txt", bytesOf("x"), freshKey()))).toBe("conflict");
      expect(codeOf(await files.stat("a/b"))).toBe("not_found");
      valueOf(await files.write("a/b-c.txt", bytesOf("x"), freshKey()));
      valueOf(await files.write("a/b0", bytesOf("x"), freshKey()));
    });

    it("lists what is directly inside, sorted by code point", async () => {
      const files = await open();
      for (const path of [
        "b.txt",
        "a/x.txt",
        "a/y/z.txt",
        "a-b.txt",
        "a0",
        "é.md",
        "\u{1F600}.md",
        "\uFF5E.md",
        "B.txt",
      ]) {
        valueOf(await files.write(path, bytesOf(path), freshKey()));
      }
      const top = valueOf(await files.list(""));
      expect(top.map(({ name }) => name)).toEqual([
        "B.txt",
        "a",
        "a-b.txt",
        "a0",
        "b.txt",
        "é.md",
        "\uFF5E.md",
        "\u{1F600}.md",
      ]);
      expect(top.find(({ name }) => name === "a")).toMatchObject({ path: "a", kind: "directory", size: 7 + 9 });
      expect(valueOf(await files.list("a")).map(({ path, kind }) => [path, kind])).toEqual([
        ["a/x.txt", "file"],
        ["a/y", "directory"],
      ]);
    });

    it("knows the topmost directory when it is empty, and no other empty one", async () => {
      const files = await open();
      expect(valueOf(await files.list(""))).toEqual([]);
      expect(await files.list("no")).toMatchObject({
        error: { code: "not_found", message: "Directory not found: no" },
      });
      valueOf(await files.write("a.txt", bytesOf("x"), freshKey()));
      expect(codeOf(await files.list("a.txt"))).toBe("not_found");
    });

    it("judges the form of a path again", async () => {
      const files = await open();
      for (const path of ["../a", "/a", "a//b", "a/./b", "a\\b", "a\0b", "", "a/"]) {
        expect(["invalid_input", "sandbox_denied"]).toContain(
          codeOf(await files.write(path, bytesOf("x"), freshKey())),
        );
        expect(["invalid_input", "sandbox_denied"]).toContain(codeOf(await files.read(path, MAX)));
        expect(["invalid_input", "sandbox_denied"]).toContain(codeOf(await files.open(path)));
        if (path !== "") expect(["invalid_input", "sandbox_denied"]).toContain(codeOf(await files.list(path)));
      }
      expect(valueOf(await files.list(""))).toEqual([]);
    });

    it("shares the bytes of equal files, which stay separate files", async () => {
      const files = await open();
      valueOf(await files.write("a.txt", bytesOf("same"), freshKey()));
      valueOf(await files.write("b.txt", bytesOf("same"), freshKey()));
      valueOf(await files.write("a.txt", bytesOf("other"), freshKey()));
      expect(textOf(valueOf(await files.read("b.txt", MAX)).bytes)).toBe("same");
      valueOf(await files.write("c.txt", bytesOf("same"), freshKey()));
      expect(textOf(valueOf(await files.read("c.txt", MAX)).bytes)).toBe("same");
    });

    it("stores the replaced file under its backup path, or does neither", async () => {
      const files = await open();
      const put = (text: string, more: object = {}) =>
        files.write("a.txt", bytesOf(text), { ...freshKey(), backupPath: "a.txt.bak", ...more });
      const textAt = async (path: string) => textOf(valueOf(await files.read(path, MAX)).bytes);
      expect(valueOf(await put("one"))).toMatchObject({ isNew: true, backup: null });
      expect(codeOf(await files.stat("a.txt.bak"))).toBe("not_found");
      const key = { key: "backed-up" };
      const second = valueOf(await put("two", key));
      expect(second).toMatchObject({ isNew: false, backup: "a.txt.bak", version: 2 });
      expect([await textAt("a.txt"), await textAt("a.txt.bak")]).toEqual(["two", "one"]);
      expect(valueOf(await put("two", key))).toEqual(second);
      expect(await textAt("a.txt.bak")).toBe("one");
      valueOf(await put("three"));
      expect([await textAt("a.txt"), await textAt("a.txt.bak")]).toEqual(["three", "two"]);
      valueOf(await files.write("b.txt", bytesOf("b"), freshKey()));
      valueOf(await files.makeDirectory("b.txt.bak", freshKey()));
      const refused = await files.write("b.txt", bytesOf("new"), { ...freshKey(), backupPath: "b.txt.bak" });
      expect([codeOf(refused), await textAt("b.txt")]).toEqual(["conflict", "b"]);
    });

    it("stores a mode, which is 0644 by default", async () => {
      const files = await open();
      expect(valueOf(await files.write("a.sh", bytesOf("1"), freshKey())).mode).toBe(0o644);
      expect(valueOf(await files.write("a.sh", bytesOf("2"), { ...freshKey(), mode: 0o755 })).mode).toBe(0o755);
      expect(valueOf(await files.write("a.sh", bytesOf("3"), freshKey())).mode).toBe(0o755);
    });

    it("makes directories, which are there while they are empty", async () => {
      const files = await open();
      expect(valueOf(await files.makeDirectory("a/b", freshKey()))).toEqual({ made: true });
      expect(valueOf(await files.makeDirectory("a/b", freshKey()))).toEqual({ made: false });
      expect(valueOf(await files.makeDirectory("a", freshKey()))).toEqual({ made: false });
      expect(valueOf(await files.list(""))).toMatchObject([{ name: "a", kind: "directory", size: 0 }]);
      expect(valueOf(await files.list("a"))).toMatchObject([{ path: "a/b", kind: "directory", size: 0 }]);
      expect(valueOf(await files.list("a/b"))).toEqual([]);
      expect(valueOf(await files.walk("a/b", null, 10))).toEqual({ files: [], next: null });
      expect(codeOf(await files.write("a/b", bytesOf("x"), freshKey()))).toBe("conflict");
      valueOf(await files.write("a/b/c.txt", bytesOf("x"), freshKey()));
      expect(codeOf(await files.makeDirectory("a/b/c.txt", freshKey()))).toBe("conflict");
      expect(codeOf(await files.makeDirectory("a/b/c.txt/d", freshKey()))).toBe("conflict");
      expect(valueOf(await files.list("a/b"))).toMatchObject([{ name: "c.txt", kind: "file" }]);
    });

    it("removes a file once for a key, and retains its directory", async () => {
      const files = await open();
      const key = freshKey();
      valueOf(await files.write("a/b.txt", bytesOf("one"), freshKey()));
      expect(valueOf(await files.remove("a/b.txt", key))).toEqual({ kind: "file" });
      expect(codeOf(await files.stat("a/b.txt"))).toBe("not_found");
      expect(valueOf(await files.list("a"))).toEqual([]);
      valueOf(await files.write("a/b.txt", bytesOf("two"), freshKey()));
      expect(valueOf(await files.remove("a/b.txt", key))).toEqual({ kind: "file" });
      expect(textOf(valueOf(await files.read("a/b.txt", MAX)).bytes)).toBe("two");
      expect(codeOf(await files.remove("a/b.txt", { ...freshKey(), ifVersion: 1 }))).toBe("conflict");
      expect(codeOf(await files.remove("no.txt", freshKey()))).toBe("not_found");
    });

    it("removes a directory only when it is empty", async () => {
      const files = await open();
      valueOf(await files.write("a/b/c.txt", bytesOf("x"), freshKey()));
      expect(codeOf(await files.remove("a", freshKey()))).toBe("conflict");
      expect(codeOf(await files.remove("a/b", freshKey()))).toBe("conflict");
      valueOf(await files.remove("a/b/c.txt", freshKey()));
      expect(valueOf(await files.remove("a/b", freshKey()))).toEqual({ kind: "directory" });
      expect(valueOf(await files.list("a"))).toEqual([]);
      valueOf(await files.remove("a", freshKey()));
      expect(valueOf(await files.list(""))).toEqual([]);
    });

    it("walks over all files below a directory by the code points of their paths, page by page", async () => {
      const files = await open();
      const paths = [
        "B.txt",
        "a-b.txt",
        "a/x.txt",
        "a/y/z.txt",
        "a/\uFF5E.md",
        "a/\u{1F600}.md",
        "a0",
        "b.txt",
        "é.md",
      ];
      for (const path of paths.toReversed()) valueOf(await files.write(path, bytesOf(path), freshKey()));
      valueOf(await files.makeDirectory("a/empty", freshKey()));
      const walked = async (directory: string, limit: number) => {
        const found: string[] = [];
        for (let after: string | null = null; ; ) {
          const page: { files: readonly { path: string }[]; next: string | null } = valueOf(
            await files.walk(directory, after, limit),
          );
          expect(page.files.length).toBeLessThanOrEqual(limit);
          found.push(...page.files.map(({ path }) => path));
          if (page.next === null) return found;
          expect(page.next).toBe(found.at(-1));
          after = page.next;
        }
      };
      for (const limit of [1, 2, 3, 9, 10]) {
        expect(await walked("", limit)).toEqual(paths);
        expect(await walked("a", limit)).toEqual(paths.filter((path) => path.startsWith("a/")));
      }
      expect(codeOf(await files.walk("no", null, 10))).toBe("not_found");
      expect(codeOf(await files.walk("b.txt", null, 10))).toBe("not_found");
      const [entry] = valueOf(await files.walk("a/y", null, 1)).files;
      expect(entry).toEqual(valueOf(await files.stat("a/y/z.txt")));
    });

    it("reads the bytes of an entry as they were, whatever was written since", async () => {
      const files = await open();
      valueOf(await files.write("a.txt", bytesOf("one"), freshKey()));
      const entry = valueOf(await files.stat("a.txt"));
      valueOf(await files.write("a.txt", bytesOf("two"), freshKey()));
      valueOf(await files.remove("a.txt", freshKey()));
      expect(textOf(valueOf(await files.readEntry(entry)))).toBe("one");
    });

    it("remembers the last versions of a file, over its deletion", async () => {
      const files = await open();
      for (let i = 1; i <= 12; i += 1) valueOf(await files.write("a.txt", bytesOf("x".repeat(i)), freshKey()));
      const listFiles = async () =>
        valueOf(await files.versions("a.txt")).map(({ version, size, isCurrent }) => [version, size, isCurrent]);
      const earlier = [11, 10, 9, 8, 7, 6, 5, 4, 3].map((version) => [version, version, false]);
      expect(await listFiles()).toEqual([[12, 12, true], ...earlier, [2, 2, false]]);
      valueOf(await files.remove("a.txt", freshKey()));
      expect(await listFiles()).toEqual([[12, 12, false], ...earlier]);
      expect(valueOf(await files.write("a.txt", bytesOf("new"), freshKey()))).toMatchObject({
        version: 13,
        isNew: true,
      });
      expect(codeOf(await files.versions("no.txt"))).toBe("not_found");
      const opened = valueOf(await files.open("a.txt", 5));
      expect([opened.entry.version, textOf(await bytesOfStream(opened.stream))]).toEqual([5, "xxxxx"]);
      expect(opened.entry).not.toHaveProperty("isCurrent");
      expect(codeOf(await files.open("a.txt", 1))).toBe("not_found");
    });

    it("brings a version back as a new one, once for a key", async () => {
      const files = await open();
      const key = freshKey();
      valueOf(await files.write("a.txt", bytesOf("one"), { ...freshKey(), contentType: "text/x-one", mode: 0o600 }));
      valueOf(await files.write("a.txt", bytesOf("two"), { ...freshKey(), mode: 0o644 }));
      const restored = valueOf(await files.restore("a.txt", 1, key));
      expect(restored).toMatchObject({ version: 3, size: 3, contentType: "text/x-one", mode: 0o600, isNew: false });
      expect(textOf(valueOf(await files.read("a.txt", MAX)).bytes)).toBe("one");
      valueOf(await files.write("a.txt", bytesOf("four"), freshKey()));
      expect(valueOf(await files.restore("a.txt", 1, key))).toEqual(restored);
      expect(textOf(valueOf(await files.read("a.txt", MAX)).bytes)).toBe("four");
      valueOf(await files.remove("a.txt", freshKey()));
      expect(valueOf(await files.restore("a.txt", 2, freshKey()))).toMatchObject({ version: 5, isNew: true });
      expect(textOf(valueOf(await files.read("a.txt", MAX)).bytes)).toBe("two");
      expect(codeOf(await files.restore("a.txt", 99, freshKey()))).toBe("not_found");
      expect(codeOf(await files.restore("no.txt", 1, freshKey()))).toBe("not_found");
      expect(codeOf(await files.restore("a.txt", 1, { ...freshKey(), ifVersion: 1 }))).toBe("conflict");
    });

    it("stores nothing at a path that a caller writes for another", async () => {
      const files = await open();
      const path = "sandbox:/a.txt";
      const refused = [
        await files.write(path, bytesOf("x"), freshKey()),
        await files.write("b.txt", bytesOf("x"), { ...freshKey(), backupPath: path }),
        await files.makeDirectory(path, freshKey()),
      ];
      expect(refused.map(codeOf)).toEqual(["invalid_input", "invalid_input", "invalid_input"]);
      expect(codeOf(await files.remove(path, freshKey()))).toBe("not_found");
      expect(valueOf(await files.list(""))).toEqual([]);
    });

    it("judges the form of a path for every change", async () => {
      const files = await open();
      for (const path of ["../a", "/a", "a//b", "a/./b", "a\\b", "a\0b", "", "a/"]) {
        const refused = await Promise.all([
          files.makeDirectory(path, freshKey()),
          files.remove(path, freshKey()),
          files.versions(path),
          files.restore(path, 1, freshKey()),
          files.write("a.txt", bytesOf("x"), { ...freshKey(), backupPath: path }),
          ...(path === "" ? [] : [files.walk(path, null, 10)]),
        ]);
        for (const result of refused) expect(["invalid_input", "sandbox_denied"]).toContain(codeOf(result));
      }
      expect(valueOf(await files.list(""))).toEqual([]);
    });
  });
}
