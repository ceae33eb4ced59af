import { beforeEach, describe, expect, it } from "vitest";
import type { FilesPort } from "../../../core/ports/files.ts";
import type { ToolPorts } from "../../../core/ports/tool-ports.ts";
import readDocument from "../../../tools/documents/read-document.ts";
import { fakeFiles } from "../../fakes/files.ts";
import { DEFAULT_RULES, OPEN_RULES, runTool } from "../run-tool.ts";

let files: FilesPort;

async function put(path: string, text: string, mode?: number): Promise<void> {
  const written = await files.write(path, new TextEncoder().encode(text), {
    key: path,
    ...(mode === undefined ? {} : { mode }),
  });
  expect(written.ok).toBe(true);
}

beforeEach(() => {
  files = fakeFiles();
});

async function read(
  given: Record<string, unknown>,
  more: Parameters<typeof runTool>[3] = {},
  ports: Partial<ToolPorts> = {},
) {
  return await runTool(readDocument, given, { files, ...ports }, more);
}

describe("read_document", () => {
  it.each(["a.eml", "a.ods", "a.ipynb", "a.png", "a.svg", "a.doc", "a.xls", "a.msg"])(
    "leaves it to the content whether %s can be read",
    async (filename) => {
      await put(filename, "hello");
      expect((await read({ filename })).result).toMatchObject({ content: "hello" });
    },
  );

  it("gives the Markdown, and what the document is", async () => {
    await put("inbox/a.pdf", "# Title\n\none\f two");
    const ran = await read({ filename: "inbox/a.pdf" });
    expect(ran.result).toEqual({
      content: "# Title\n\none\f two",
      path: "inbox/a.pdf",
      format: "pdf",
      title: "Title",
      pages: 2,
      slides: null,
      sheets: null,
      images: [],
      warnings: [],
    });
    expect(ran.output).toBe("# Title\n\none\f two");
  });

  it.each(["filename", "file_path"])("takes %s for the path", async (name) => {
    await put("a.docx", "hello");
    expect((await read({ [name]: "a.docx" })).result).toMatchObject({ content: "hello" });
  });

  it.each([
    ["a file that is not there", { filename: "b.docx" }, "not_found", "path"],
    ["a path that leads out", { filename: "../b.docx" }, "sandbox_denied", "path"],
    ["a file of another type", { filename: "a.zip" }, "unsupported_media", "path"],
    ["pages that are none", { filename: "a.pdf", pages: "all" }, "invalid_input", "pages"],
    ["pages that run backwards", { filename: "a.pdf", pages: "5-2" }, "invalid_input", "pages"],
    ["page 0", { filename: "a.pdf", pages: "0" }, "invalid_input", "pages"],
    ["an empty document", { filename: "empty.docx" }, "invalid_input", "path"],
    ["bytes that are no document", { filename: "binary.docx" }, "unsupported_media", "path"],
    ["a file that nobody may read", { filename: "hidden.docx" }, "permission_denied", "path"],
    ["a folder that leads out", { filename: "a.pdf", images_folder: "../x" }, "sandbox_denied", "images_folder"],
  ])("refuses %s", async (_what, given, code, field) => {
    await put("a.pdf", "hello");
    await put("a.zip", "hello");
    await put("empty.docx", "");
    await put("binary.docx", "a\0b");
    await put("hidden.docx", "x", 0o000);
    expect((await read(given)).failure).toMatchObject({ code, field });
  });

  it("reads the types that an agent lists, and no others", async () => {
    await put("a.docx", "hello");
    await put("a.odd", "hello");
    const rules = { ...DEFAULT_RULES, extensions: [".odd"] };
    expect((await read({ filename: "a.odd" }, { sandbox: rules })).result).toMatchObject({ format: "text" });
    expect((await read({ filename: "a.docx" }, { sandbox: rules })).failure).toMatchObject({ code: "sandbox_denied" });
    expect((await read({ filename: "a.odd" }, { sandbox: OPEN_RULES })).result).toBeDefined();
  });

  it("rejects a file above the size limit of documents, without reading it", async () => {
    await put("a.docx", "hello");
    const huge: FilesPort = {
      ...files,
      async stat(path) {
        const found = await files.stat(path);
        return found.ok ? { ok: true, value: { ...found.value, size: 60 * 1024 * 1024 } } : found;
      },
      open: () => Promise.reject(new Error("it was opened")),
    };
    expect((await read({ filename: "a.docx" }, {}, { files: huge })).failure).toMatchObject({ code: "too_large" });
  });

  it("only names the pictures unless a folder is given", async () => {
    await put("a.docx", "see ![](image1.png) and ![x](other.png)");
    const image = { name: "image1.png", content_type: "image/png", size: 4 };
    const named = await read({ filename: "a.docx" });
    expect(named.result).toMatchObject({ images: [{ ...image, path: null }] });
    const result = await read({ filename: "a.docx", images_folder: "out/my pictures/" });
    expect(result.result).toMatchObject({
      content: "see ![](out/my%20pictures/image1.png) and ![x](other.png)",
      images: [{ ...image, path: "out/my pictures/image1.png" }],
    });
    const found = await files.read("out/my pictures/image1.png", 100);
    expect(found.ok && Array.from(found.value.bytes)).toEqual([0x89, 0x50, 0x4e, 0x47]);
  });

  it("writes no picture without the permission, in document 003's words, or where writing is off", async () => {
    await put("a.docx", "see ![](image1.png)");
    const given = { filename: "a.docx", images_folder: "out" };
    expect((await read(given, { permissions: ["read"] })).failure).toEqual({
      code: "permission_denied",
      message: "Tool requires :write permission but agent only has [:read]",
      field: "images_folder",
    });
    const sandbox = { ...DEFAULT_RULES, allowWrite: false };
    expect((await read(given, { sandbox })).failure).toMatchObject({ code: "sandbox_denied", field: "images_folder" });
    expect(await files.stat("out/image1.png")).toMatchObject({ ok: false });
  });

  it("changes nothing unless it writes pictures", () => {
    const effect = readDocument.effect as (given: object, facts: object) => string;
    expect(effect({ filename: "a" }, {})).toBe("none");
    expect(effect({ filename: "a", images_folder: "b" }, {})).toBe("keyed");
  });
});
