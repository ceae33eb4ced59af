/** What every reader of documents does, whatever is behind it. */
import { describe, expect, it } from "vitest";
import { failed, ok } from "../../../core/base/errors.ts";
import { type DocumentsPort, type DocumentToRead, MAX_DOCUMENT_BYTES } from "../../../core/ports/documents.ts";

/** A document of these bytes. */
export function documentOf(
  name: string,
  content: string | Uint8Array,
  more: Partial<DocumentToRead> = {},
): DocumentToRead {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content.slice();
  return {
    name,
    size: bytes.length,
    open: () => Promise.resolve(ok(new Blob([bytes]).stream())),
    pages: null,
    withImages: false,
    signal: new AbortController().signal,
    ...more,
  };
}

export function documentsContract(
  name: string,
  open: () => Promise<{ documents: DocumentsPort; close(): Promise<void> }>,
): void {
  describe(`documents: ${name}`, () => {
    it("reads text unchanged, and names its kind", async () => {
      const { documents, close } = await open();
      const read = await documents.read(documentOf("a folder/größe.md", "# Größe\n\ntext\n"));
      expect(read).toMatchObject(
        ok({ kind: "markdown", title: "Größe", markdown: "# Größe\n\ntext\n", images: [], warnings: [] }),
      );
      await close();
    });

    it("returns no pictures unless requested", async () => {
      const { documents, close } = await open();
      const read = await documents.read(documentOf("a.md", "hello"));
      const files = [];
      if (read.ok) for await (const file of read.value.imageFiles) files.push(file);
      expect([read.ok, files]).toEqual([true, []]);
      await close();
    });

    it("returns pieces with offsets in its Markdown, if they are requested", async () => {
      const { documents, close } = await open();
      const markdown = "# Größe\n\nFirst.\n\n# Other\n\nSecond.\n";
      const read = await documents.read(documentOf("a.md", markdown, { withPieces: true, withImages: true }));
      if (!read.ok) throw new Error(read.error.message);
      const { pieces, imageFiles } = read.value;
      expect(pieces).toMatchObject([
        { kind: "text", heading: ["Größe"], page: null, text: "First." },
        { kind: "text", heading: ["Other"], page: null, text: "Second." },
      ]);
      for (const { start, end, text } of pieces) expect(read.value.markdown.slice(start, end)).toBe(text);
      const names = [];
      for await (const { name: own } of imageFiles) names.push(own);
      expect(names).toEqual([]);
      const plain = await documents.read(documentOf("a.md", markdown));
      expect(plain).toMatchObject({ ok: true, value: { pieces: [] } });
      await close();
    });

    it.each([
      ["is empty", documentOf("a.docx", ""), "invalid_input"],
      ["is no document", documentOf("a.docx", new Uint8Array([1, 2, 0, 4, 0, 0, 7])), "unsupported_media"],
      ["is too large", documentOf("a.md", "x", { size: MAX_DOCUMENT_BYTES + 1 }), "too_large"],
      ["was given up", documentOf("a.md", "hello", { signal: AbortSignal.abort() }), "timeout"],
    ])("refuses one that %s", async (_what, document, code) => {
      const { documents, close } = await open();
      expect(await documents.read(document)).toMatchObject({ ok: false, error: { code } });
      await close();
    });

    it("passes on why a document could not be opened", async () => {
      const { documents, close } = await open();
      const gone = documentOf("a.md", "hello", { open: () => Promise.resolve(failed("not_found", "It is gone.")) });
      expect(await documents.read(gone)).toMatchObject({
        ok: false,
        error: { code: "not_found", message: "It is gone." },
      });
      await close();
    });
  });
}
