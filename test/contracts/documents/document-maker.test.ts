/** The port that makes documents: in memory, and by a sidecar on loopback with its real engines. One contract. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseEgressAllow } from "../../../adapters/egress/address.ts";
import { openDocuments } from "../../../adapters/sidecar/documents.ts";
import type { DocumentMaker, DocumentToMake, MakeRequest } from "../../../core/documents/make.ts";
import { makeSidecar } from "../../../sidecar/app.ts";
import { failDocument } from "../../../sidecar/documents/death.ts";
import { fakeDocuments } from "../../fakes/documents.ts";
import { openWorkshop, png } from "../../sidecar/documents/made.ts";
import { closeServer, listenOnLoopback, findUnusedPort } from "../../mock-servers/listen.ts";
import { connectSidecar } from "../../../adapters/sidecar/sidecar.ts";
import { defineMakeJob } from "../../../sidecar/documents/make/make-job.ts";
import { makeSystemEgress } from "../../../sidecar/egress.ts";

const secret = randomBytes(32).toString("hex");
const folder = mkdtempSync(join(tmpdir(), "otto-makers-"));
const workshop = openWorkshop();
let server: Server;
let url = "";

beforeAll(async () => {
  const isolation = async () => ({ level: "none", reason: "Nothing runs here." }) as const;
  const jobs = { kinds: [defineMakeJob(workshop.engines)], folder: join(folder, "jobs"), isolation };
  server = makeSidecar(secret, makeSystemEgress(parseEgressAllow("")), jobs);
  url = `http://127.0.0.1:${await listenOnLoopback(server, 0)}`;
});

afterAll(async () => {
  await closeServer(server);
  workshop.close();
  rmSync(folder, { recursive: true, force: true });
});

function request(document: DocumentToMake, more: Partial<MakeRequest> = {}): MakeRequest {
  const signal = new AbortController().signal;
  return { document, images: [], template: null, nowMs: Date.UTC(2026, 10, 21), signal, ...more };
}

const DOCUMENTS: readonly DocumentToMake[] = [
  { format: "docx", markdown: "# Hello\n\n![a](a.png) ![b](b.png)" },
  { format: "pdf", markdown: "# Hello\n\n![a](a.png) ![b](b.png)", page_size: "letter" },
  { format: "pptx", content: { markdown: "# Hello\n\ntext ![b](b.png)\n" } },
  { format: "pptx", content: { slides: [{ title: "Hello", image: "a.png" }, { text: "![b](b.png)" }] } },
];
const SHEETS: DocumentToMake = { format: "xlsx", content: { sheets: [{ name: "A", rows: [["b", 1, null]] }] } };

describe.each([
  ["in memory", (): DocumentMaker => fakeDocuments()],
  ["by the sidecar", (): DocumentMaker => openDocuments(connectSidecar(url, secret), "ten_1")],
])("documents made %s", (_name, open) => {
  it.each(DOCUMENTS)("are $format, with the images that are there and a word on the others", async (document) => {
    const images = [
      { path: "a.png", bytes: png(4, 4) },
      { path: "b.png", why: "there is no such file" },
    ];
    const made = await open().make(request(document, { images }));
    if (!made.ok) expect.fail(made.error.message);
    expect(made.value.bytes.length).toBeGreaterThan(0);
    expect(made.value.warnings).toEqual(["The image b.png is not in the document: there is no such file."]);
  });

  it("are the same bytes when one call makes them again", async () => {
    const [one, other] = [await open().make(request(SHEETS)), await open().make(request(SHEETS))];
    expect(one).toEqual(other);
  });

  it("are given up with their call", async () => {
    const made = await open().make(request(SHEETS, { signal: AbortSignal.abort() }));
    expect(made).toMatchObject({ ok: false, error: { code: "timeout" } });
  });
});

describe("the sidecar", () => {
  it("that breaks off in the middle has changed nothing", async () => {
    const dying = createServer((incoming, outgoing) => {
      incoming.resume();
      if (incoming.method === "GET") outgoing.end("{}");
      else incoming.once("end", () => outgoing.destroy());
    });
    const maker = openDocuments(
      connectSidecar(`http://127.0.0.1:${await listenOnLoopback(dying, 0)}`, secret),
      "ten_1",
    );
    const error = { code: "upstream_failed", retryAfterMs: 1_000, happened: "no" };
    expect(await maker.make(request(SHEETS))).toMatchObject({ ok: false, error });
    await closeServer(dying);
  });

  it("whose engine was ended twice says that another try may succeed", async () => {
    const failure = failDocument({ cause: "outside" }, "made");
    const engines = { ...workshop.engines, maker: async () => failure };
    const isolation = async () => ({ level: "none", reason: "Nothing runs here." }) as const;
    const jobs = { kinds: [defineMakeJob(engines)], folder: join(folder, "ended"), isolation };
    const killed = makeSidecar(secret, makeSystemEgress(parseEgressAllow("")), jobs);
    const maker = openDocuments(
      connectSidecar(`http://127.0.0.1:${await listenOnLoopback(killed, 0)}`, secret),
      "ten_1",
    );
    const error = { code: "upstream_failed", retryAfterMs: 1_000, happened: "no" };
    expect(await maker.make(request(SHEETS))).toMatchObject({ ok: false, error });
    await closeServer(killed);
  });

  it("rejects an invalid template and one of another kind, and stores nothing", async () => {
    const maker = openDocuments(connectSidecar(url, secret), "ten_1");
    const docx = await maker.make(request({ format: "docx", markdown: "x" }));
    if (!docx.ok) expect.fail(docx.error.message);
    const templates: [Uint8Array, string][] = [
      [new TextEncoder().encode("no archive"), "unsupported_media"],
      [docx.value.bytes.subarray(0, 2_000), "invalid_input"],
      [docx.value.bytes, "unsupported_media"],
    ];
    for (const [template, code] of templates) {
      const made = await maker.make(request({ format: "pptx", content: { markdown: "# A" } }, { template }));
      expect(made).toMatchObject({ ok: false, error: { code, field: "template" } });
    }
    expect(await maker.make(request({ format: "docx", markdown: "x" }, { template: docx.value.bytes }))).toMatchObject({
      ok: true,
    });
    await expect.poll(() => readdirSync(join(folder, "jobs")), { timeout: 20_000 }).toEqual([]);
  });

  it("that is unavailable is reported, and nothing was started", async () => {
    const gone = openDocuments(connectSidecar(`http://127.0.0.1:${await findUnusedPort()}`, secret, 0), "ten_1");
    expect(await gone.make(request(SHEETS))).toMatchObject({
      ok: false,
      error: { code: "upstream_failed", happened: "no" },
    });
    const none = openDocuments(null, "ten_1");
    expect(await none.make(request(SHEETS))).toMatchObject({
      ok: false,
      error: { code: "not_available", happened: "no" },
    });
  });
});
