/** The adapter with the real sidecar, over loopback, and the fake in memory: one contract. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseEgressAllow } from "../../../adapters/egress/address.ts";
import { openDocuments } from "../../../adapters/sidecar/documents.ts";
import { failed, type Result } from "../../../core/base/errors.ts";
import type { DocumentsPort } from "../../../core/ports/documents.ts";
import { makeSidecar } from "../../../sidecar/app.ts";
import { failDocument } from "../../../sidecar/documents/death.ts";
import type { Converters } from "../../../sidecar/documents/read.ts";
import { fakeDocuments } from "../../fakes/documents.ts";
import { closeServer, listenOnLoopback, findUnusedPort } from "../../mock-servers/listen.ts";
import { documentOf, documentsContract } from "./suite.ts";
import { connectSidecar } from "../../../adapters/sidecar/sidecar.ts";
import { defineReadJob } from "../../../sidecar/documents/read-job.ts";
import { makeSystemEgress } from "../../../sidecar/egress.ts";

documentsContract("the fake in memory", () =>
  Promise.resolve({ documents: fakeDocuments(), close: () => Promise.resolve() }),
);
documentsContract("the adapter and the sidecar", () => overLoopback());

/** With these engines in place of pandoc and of the reader's process. */
async function overLoopback(
  converters?: Converters,
): Promise<{ documents: DocumentsPort; folder: string; close(): Promise<void> }> {
  const secret = randomBytes(32).toString("hex");
  const folder = mkdtempSync(join(tmpdir(), "otto-documents-"));
  const isolation = async () => ({ level: "none", reason: "Nothing runs here." }) as const;
  const server = makeSidecar(secret, makeSystemEgress(parseEgressAllow("")), {
    kinds: [defineReadJob(converters)],
    folder,
    isolation,
  });
  const url = `http://127.0.0.1:${await listenOnLoopback(server, 0)}`;
  const close = async () => {
    await closeServer(server);
    rmSync(folder, { recursive: true, force: true });
  };
  return { documents: openDocuments(connectSidecar(url, secret), "t1"), folder, close };
}

function fixture(name: string): Uint8Array {
  return readFileSync(new URL(`../../sidecar/__fixtures__/documents/${name}`, import.meta.url));
}

it("the sidecar returns a document's text and pictures, and stores nothing", async () => {
  const { documents, folder, close } = await overLoopback();
  const read = await documents.read(documentOf("slides.pptx", fixture("slides.pptx"), { withImages: true }));
  if (!read.ok) throw new Error(read.error.message);
  const { kind, units, images, markdown, imageFiles } = read.value;
  const files = [];
  for await (const { name, bytes } of imageFiles)
    files.push([name, bytes.length, String.fromCharCode(...bytes.slice(1, 4))]);
  expect({ kind, units }).toEqual({ kind: "pptx", units: { name: "slides", total: 2, read: 2 } });
  expect(images).toEqual([{ name: "image-2-1.png", contentType: "image/png", size: 70 }]);
  expect(files).toEqual([["image-2-1.png", 70, "PNG"]]);
  expect(markdown).toContain("![a pixel](image-2-1.png)");
  await expect.poll(() => readdirSync(folder), { timeout: 20_000 }).toEqual([]);
  await close();
});

it("the sidecar reads the requested pages", async () => {
  const { documents, close } = await overLoopback();
  const read = await documents.read(documentOf("a.pdf", fixture("report.pdf"), { pages: { first: 2, last: 2 } }));
  expect(read).toMatchObject({ ok: true, value: { units: { total: 2, read: 1 } } });
  expect(read.ok && read.value.markdown).toContain("# Second page");
  await close();
});

it.each<[string, Result<never>, object]>([
  [
    "that was ended twice is worth another try",
    failDocument({ cause: "outside" }, "read"),
    { code: "upstream_failed", retryAfterMs: 1_000 },
  ],
  [
    "that had no free user is worth another try",
    failed("rate_limited", "Taken.", { retryAfterMs: 2_000 }),
    { code: "rate_limited", retryAfterMs: 2_000 },
  ],
  [
    "that broke down is not",
    failDocument({ cause: "crash" }, "read"),
    { code: "invalid_input", retryAfterMs: undefined },
  ],
])("a converter %s, as the sidecar says", async (_, failure, expected) => {
  const { documents, close } = await overLoopback({ convert: async () => failure, readInProcess: async () => failure });
  const read = await documents.read(documentOf("a.docx", fixture("report.docx")));
  if (read.ok) throw new Error("it was read");
  expect({ retryAfterMs: undefined, ...read.error }).toMatchObject({ ...expected, happened: "no" });
  await close();
});

it("without a sidecar, and with one that does not answer, a document was not read", async () => {
  const none = await openDocuments(null, "t1").read(documentOf("a.md", "x"));
  expect(none).toMatchObject({ ok: false, error: { code: "not_available", happened: "no" } });
  const silent = connectSidecar(`http://127.0.0.1:${await findUnusedPort()}`, "s".repeat(32), 0);
  const lost = await openDocuments(silent, "t1").read(documentOf("a.md", "x"));
  expect(lost).toMatchObject({ ok: false, error: { code: "upstream_failed" } });
});
