import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { csvRows } from "../../../web/src/pages/task/files/csv-rows.ts";
import { extensionOf, fileKind, textOf } from "../../../web/src/pages/task/files/file-kind.ts";
import { foldersOf, nameOf } from "../../../web/src/pages/task/files/file-tree.ts";

describe("the rows of a CSV file", () => {
  it.each([
    [
      "a,b\nc,d",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      "a,b\r\nc,d\r\n",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      "a;b,c;d\n1;2;3",
      [
        ["a", "b,c", "d"],
        ["1", "2", "3"],
      ],
    ],
    [
      "a\tb\n1\t2",
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    [
      '"a, b","say ""hi"""\n"two\nlines",x',
      [
        ["a, b", 'say "hi"'],
        ["two\nlines", "x"],
      ],
    ],
    [
      "\ufeffname,age\nÄnne,3",
      [
        ["name", "age"],
        ["Änne", "3"],
      ],
    ],
    [
      "a,,\n,b,",
      [
        ["a", "", ""],
        ["", "b", ""],
      ],
    ],
    ["a,", [["a", ""]]],
    ["\n\na,b\n\n", [["a", "b"]]],
    ['"open,b\nc', [["open,b\nc"]]],
    ['"a"x,b', [["a", "b"]]],
    ["", []],
    ["alone", [["alone"]]],
  ])("of %j", (text, rows) => {
    expect(csvRows(text, 100)).toEqual({ rows, isCut: false });
  });

  it("stop at the most that are wanted", () => {
    expect(csvRows("a\nb\nc", 2)).toEqual({ rows: [["a"], ["b"]], isCut: true });
    expect(csvRows("a\nb", 2).isCut).toBe(false);
  });

  it("are what was written, whatever the fields hold", () => {
    const field = fc.string({ unit: fc.constantFrom(...Array.from('a,;"\n\r é')) });
    const rows = fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(rows, (all) => {
        const written = all.map((row) => row.map((value) => `"${value.replaceAll('"', '""')}"`).join(",")).join("\r\n");
        expect(csvRows(written, 100).rows).toEqual(all);
      }),
    );
  });

  it("come to an end for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('a,"\n\r')) }), (text) => {
        expect(csvRows(text, 1000).rows.flat().join("").length).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});

describe("the kind of a file", () => {
  it.each([
    ["notes/plan.md", "Markdown", "markdown"],
    ["data.CSV", "CSV", "csv"],
    ["page.html", "HTML", "text"],
    ["logo.svg", "SVG image", "image"],
    ["a.b/Makefile", "File", "text"],
    [".env", "File", "text"],
    ["report.final.pdf", "PDF", "pdf"],
    ["archive.tar.gz", "Archive", "none"],
  ])("%s is %s and shown as %s", (path, word, view) => {
    expect(fileKind(path)).toMatchObject({ word, view });
  });

  it("takes the ending of the last part of a path only", () => {
    expect(extensionOf("v1.2/readme")).toBe("");
    expect(extensionOf("v1.2/readme.TXT")).toBe("txt");
    expect(extensionOf("constructor")).toBe("");
    expect(fileKind("x.constructor").word).toBe("File");
  });

  it.each([
    ["UTF-8", [0xc3, 0xa9, 0x61], "éa"],
    ["UTF-8 cut within a character", [0x61, 0xc3], "a\ufffd"],
    ["UTF-16 by its mark", [0xff, 0xfe, 0x61, 0x00], "a"],
    ["UTF-16 the other way", [0xfe, 0xff, 0x00, 0x61], "a"],
    ["bytes with a zero", [0x61, 0x00, 0x62], null],
    ["bytes of no encoding", [0xff, 0xd8, 0xff, 0xe1, 0x80], null],
    ["nothing", [], ""],
  ])("reads %s", (_, bytes, text) => {
    expect(textOf(Uint8Array.from(bytes))).toBe(text);
  });
});

describe("files as folders", () => {
  it("are listed below their folders, in the order of their names", () => {
    const files = ["b.txt", "a/10.txt", "a/9.txt", "a/deep/x.txt", "B.txt"].map((path) => ({ path }));
    expect(foldersOf(files)).toEqual({
      name: "",
      path: "",
      files: [{ path: "b.txt" }, { path: "B.txt" }],
      folders: [
        {
          name: "a",
          path: "a/",
          files: [{ path: "a/9.txt" }, { path: "a/10.txt" }],
          folders: [{ name: "deep", path: "a/deep/", files: [{ path: "a/deep/x.txt" }], folders: [] }],
        },
      ],
    });
    expect(nameOf("a/deep/x.txt")).toBe("x.txt");
    expect(nameOf("x.txt")).toBe("x.txt");
  });
});
