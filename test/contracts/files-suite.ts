/** What every `FilesPort` does. Runs in Node for the fake and in workerd for the object with its bucket. */
import { describe, expect, it } from "vitest";
import type { Result } from "../../core/errors.ts";
import type { FilesPort } from "../../core/ports.ts";

const MAX = 1_000_000;
const bytesOf = (text: string) => new TextEncoder().encode(text);
const bytesOfStream = async (stream: ReadableStream<Uint8Array>) =>
  new Uint8Array(await new Response(stream).arrayBuffer());
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

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
      expect(read.entry).toEqual(written);
      expect(valueOf(await files.stat("a/b/data.bin"))).toEqual(written);
    });

    it("streams a file, byte for byte and with the same facts as it is read with", async () => {
      const files = await open();
      const bytes = new Uint8Array(300_000).map((_, index) => (index * 7) % 256);
      const written = valueOf(await files.write("a/big.bin", bytes, freshKey()));
      const opened = valueOf(await files.open("a/big.bin"));
      expect(opened.entry).toEqual(written);
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

    it("keeps an empty file", async () => {
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

    it("keeps the content type that a writer gives, and finds one by name where none is given", async () => {
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

    it("shares the bytes of equal files and keeps them apart as files", async () => {
      const files = await open();
      valueOf(await files.write("a.txt", bytesOf("same"), freshKey()));
      valueOf(await files.write("b.txt", bytesOf("same"), freshKey()));
      valueOf(await files.write("a.txt", bytesOf("other"), freshKey()));
      expect(textOf(valueOf(await files.read("b.txt", MAX)).bytes)).toBe("same");
      valueOf(await files.write("c.txt", bytesOf("same"), freshKey()));
      expect(textOf(valueOf(await files.read("c.txt", MAX)).bytes)).toBe("same");
    });
  });
}
