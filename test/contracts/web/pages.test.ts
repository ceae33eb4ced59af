/** The adapter with the real sidecar, over loopback, and the fake in memory: one contract of rendering pages. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseEgressAllow } from "../../../adapters/egress/address.ts";
import { openPages } from "../../../adapters/sidecar/pages.ts";
import { connectSidecar } from "../../../adapters/sidecar/sidecar.ts";
import type { PagesPort } from "../../../core/ports/pages.ts";
import { makeSidecar } from "../../../sidecar/app.ts";
import { makeSystemEgress } from "../../../sidecar/egress.ts";
import { definePageJob } from "../../../sidecar/web/page-job.ts";
import { makePageRenderer } from "../../../sidecar/web/page-renderer.ts";
import { fakePages } from "../../fakes/pages.ts";
import { closeServer, findUnusedPort, listenOnLoopback } from "../../mock-servers/listen.ts";

const PAGE = {
  html: '<html lang="el"><title>x</title><main><h1>Λιμάνι</h1><p>Ανοίγει στις <a href="six?a=1&amp;b=2">έξι</a>.</p></main></html>',
  url: "https://site.example/a/b",
  format: "markdown",
  signal: new AbortController().signal,
} as const;

describe.each([
  ["the fake in memory", () => Promise.resolve({ pages: fakePages(), folder: null, close: () => Promise.resolve() })],
  ["the adapter and the sidecar", overLoopback],
])("pages: %s", (_, open) => {
  let opened: { readonly pages: PagesPort; readonly folder: string | null; close(): Promise<void> };
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(async () => await opened.close());

  it("have title, language, content and absolute links", async () => {
    expect(await opened.pages.render(PAGE)).toEqual({
      ok: true,
      value: {
        title: "Λιμάνι",
        language: "el",
        format: "markdown",
        isCut: false,
        content: "# Λιμάνι\n\nΑνοίγει στις [έξι](https://site.example/a/six?a=1&b=2).",
      },
    });
    if (opened.folder !== null) await expect.poll(() => readdirSync(opened.folder ?? "")).toEqual([]);
  });

  it("are text when asked, and empty for a page without text", async () => {
    const text = await opened.pages.render({ ...PAGE, format: "text" });
    expect(text).toMatchObject({ ok: true, value: { content: "Λιμάνι\n\nΑνοίγει στις έξι.", format: "text" } });
    expect(await opened.pages.render({ ...PAGE, html: "<script>x</script>" })).toMatchObject({
      ok: true,
      value: { content: "" },
    });
  });

  it("that were cancelled fail without an effect", async () => {
    const failed = await opened.pages.render({ ...PAGE, signal: AbortSignal.abort() });
    expect(failed).toMatchObject({ ok: false, error: { code: "timeout" } });
  });
});

it("without a sidecar, and with one that does not answer, no page is rendered", async () => {
  expect(await openPages(null, "t1").render(PAGE)).toMatchObject({
    ok: false,
    error: { code: "not_available", happened: "no" },
  });
  const silent = connectSidecar(`http://127.0.0.1:${await findUnusedPort()}`, "s".repeat(32), 0);
  expect(await openPages(silent, "t1").render(PAGE)).toMatchObject({
    ok: false,
    error: { code: "upstream_failed", happened: "no" },
  });
});

async function overLoopback() {
  const secret = randomBytes(32).toString("hex");
  const folder = mkdtempSync(join(tmpdir(), "otto-pages-"));
  const isolation = async () => ({ level: "none", reason: "Nothing runs here." }) as const;
  const renderer = makePageRenderer();
  const kinds = [definePageJob(() => renderer)];
  const server = makeSidecar(secret, makeSystemEgress(parseEgressAllow("")), { kinds, folder, isolation });
  const url = `http://127.0.0.1:${await listenOnLoopback(server, 0)}`;
  const close = async () => {
    renderer.close();
    await closeServer(server);
    rmSync(folder, { recursive: true, force: true });
  };
  return { pages: openPages(connectSidecar(url, secret), "t1"), folder, close };
}
