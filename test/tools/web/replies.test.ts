/** How the tools that send HTTP requests read a reply, and how they save it. */
import { describe, expect, it } from "vitest";
import { failed, ok } from "../../../core/base/errors.ts";
import { findTouches } from "../../../core/gateway/touches.ts";
import { OWN_KEYED_FOR_MS } from "../../../core/gateway/outcome.ts";
import type { FilesPort } from "../../../core/ports/files.ts";
import type { PagesPort } from "../../../core/ports/pages.ts";
import type { WebPort, WebResponse } from "../../../core/ports/web.ts";
import { MAX_SAVED_BYTES } from "../../../core/web/exchange.ts";
import type { CallFacts, EffectClass, Tool } from "../../../core/tool/tool.ts";
import httpGet from "../../../tools/http/get.ts";
import httpPost from "../../../tools/http/post.ts";
import httpRequest from "../../../tools/web/http-request.ts";
import webSearch from "../../../tools/web/web-search.ts";
import { fakeFiles } from "../../fakes/files.ts";
import { fakeWeb, type OutsideReply, type OutsideRequest } from "../../fakes/web.ts";
import { runTool } from "../run-tool.ts";

const URL_A = "https://site.example/news/a";
const PAGE = `<!doctype html><html lang="de"><head><title>Hafen | Bote</title></head><body><nav><a href="/x">Start</a></nav>
<main><h1>Hafen</h1><p>Der Hafen öffnet um sechs. <a href="plan">Plan</a></p></main></body></html>`;
const MARKDOWN = "# Hafen\n\nDer Hafen öffnet um sechs. [Plan](https://site.example/news/plan)";
const HTML = { "content-type": "text/html; charset=utf-8" };
const TOOLS: readonly (readonly [string, Tool, object])[] = [
  ["http_request", httpRequest, {}],
  ["http.get", httpGet, {}],
  ["http.post", httpPost, { body: {} }],
];

/** A sandbox that can only be written to. */
function writeOnly(): { readonly files: FilesPort; readonly all: FilesPort } {
  const all = fakeFiles(() => 0);
  const refuse = () => {
    throw new Error("this tool reads no files");
  };
  const files = new Proxy(all, { get: (port, name) => (name === "write" ? port.write.bind(port) : refuse) });
  return { files, all };
}

async function call(
  tool: Tool,
  given: object,
  reply: OutsideReply,
  facts: Partial<CallFacts> = {},
  ports: { readonly files?: FilesPort; readonly pages?: PagesPort } = {},
) {
  const received: OutsideRequest[] = [];
  const web = fakeWeb((arrived) => {
    received.push(arrived);
    return reply;
  });
  return { ran: await runTool(tool, { url: URL_A, ...given }, { web, ...ports }, facts), received };
}

describe.each(TOOLS)("%s", (_, tool, more) => {
  it("reads HTML as Markdown, and returns the body as received", async () => {
    const { ran } = await call(tool, more, { headers: HTML, body: PAGE });
    expect(ran.output).toBe(`HTTP 200, text/html; charset=utf-8\n\n[language: de]\n\n${MARKDOWN}`);
    expect(ran.result).toMatchObject({ body: PAGE, body_encoding: "text" });
  });

  it.each([
    ["text", "[language: de]\n\nHafen\n\nDer Hafen öffnet um sechs. Plan"],
    ["raw", PAGE],
  ])("reads it as %s when asked", async (format, expected) => {
    const { ran } = await call(tool, { ...more, format }, { headers: HTML, body: PAGE });
    expect(ran.output).toBe(`HTTP 200, text/html; charset=utf-8\n\n${expected}`);
    expect(ran.result).toMatchObject({ body: PAGE });
  });

  it("reads JSON without its white space, and changes no number and no text", async () => {
    const body = '{\n  "id": 12345678901234567890,\n  "a \\" b": [1.0, "x  y\\\\"]\n}';
    const { ran } = await call(tool, more, { headers: { "content-type": "application/json" }, body });
    expect(ran.output).toBe('HTTP 200, application/json\n\n{"id":12345678901234567890,"a \\" b":[1.0,"x  y\\\\"]}');
    expect(ran.result).toMatchObject({ body });
    const spoiled = await call(tool, more, { headers: { "content-type": "application/json" }, body: '{ "a": ' });
    expect(spoiled.ran.output).toBe('HTTP 200, application/json\n\n{ "a": ');
  });

  it("reads a page that cannot be rendered as received, and says why", async () => {
    const pages: PagesPort = { render: async () => failed("timeout", "Rendering the page took too long.") };
    const { ran } = await call(tool, more, { headers: HTML, body: "<p>x</p>" }, {}, { pages });
    expect(ran.output).toMatch(
      /\n\n\[The page could not be rendered: Rendering the page took too long\. .*\]\n\n<p>x<\/p>$/,
    );
    expect(ran.result).toMatchObject({ body: "<p>x</p>" });
  });

  it("says that a page has no text without its scripts", async () => {
    const { ran } = await call(tool, more, { headers: HTML, body: '<div id="root"></div><script>x</script>' });
    expect(ran.output).toContain("The page has no text without its scripts.");
  });

  it("saves the body as it came, returns where, and reads no file", async () => {
    const { files, all } = writeOnly();
    const body = new Uint8Array([0x25, 0x50, 0x44, 0x46, 0, 255]);
    const reply = { headers: { "content-type": "application/pdf" }, body };
    const { ran } = await call(tool, { ...more, save_as: "in/a.pdf" }, reply, {}, { files });
    expect(ran.result).toMatchObject({ saved: { path: "in/a.pdf", size: 6 }, body: "", truncated: false });
    expect(ran.output).toBe("HTTP 200, application/pdf\n\nSaved 6 bytes to in/a.pdf");
    const read = await all.read("in/a.pdf", 100);
    expect(read.ok && [...read.value.bytes]).toEqual([...body]);
  });

  it("saves more than it reads, up to 50 MB", async () => {
    const large = new Uint8Array(3_000_000);
    const { ran } = await call(tool, { ...more, save_as: "a.bin" }, { body: large });
    expect(ran.result).toMatchObject({ saved: { path: "a.bin", size: large.length } });
    const beyond = await call(tool, { ...more, save_as: "a.bin" }, { body: new Uint8Array(MAX_SAVED_BYTES + 1) });
    expect(beyond.ran.result).toMatchObject({ note: expect.stringContaining("larger than 50 MB"), truncated: true });
    expect(beyond.ran.result).not.toHaveProperty("saved");
  });

  it("saves no error page, and reads it", async () => {
    const { ran } = await call(tool, { ...more, save_as: "a.pdf" }, { status: 404, headers: HTML, body: PAGE });
    expect(ran.result).toMatchObject({ body: PAGE, note: "Nothing was saved, because the status is 404." });
    expect(ran.output).toContain(MARKDOWN);
  });

  it.each<[string, object, Partial<CallFacts>, string]>([
    ["without the permission write", { save_as: "a.pdf" }, { permissions: ["read", "network"] }, "permission_denied"],
    ["outside of the sandbox", { save_as: "../a.pdf" }, {}, "sandbox_denied"],
    ["to a path that the agent may not write", { save_as: "x/.env" }, {}, "sandbox_denied"],
  ])("saves nothing %s, and sends nothing", async (_case, given, facts, code) => {
    const { ran, received } = await call(tool, { ...more, ...given }, {}, facts);
    expect(ran.failure).toMatchObject({ code, field: "save_as" });
    expect(received).toEqual([]);
  });

  it("writes files only with save_as", () => {
    const effect: EffectClass = "keyed";
    expect(findTouches(tool, { save_as: "a" }, effect)).toEqual([{ resource: "files", mode: "write" }]);
    expect(findTouches(tool, {}, "none")).toEqual([]);
  });
});

describe("a GET that saves", () => {
  const effect = (tool: Tool, given: object) =>
    (tool.effect as (...of: unknown[]) => string)(given, { idempotentHosts: [] });

  it.each([
    ["http_request", httpRequest],
    ["http.get", httpGet],
  ])("by %s is keyed by its call", (_, tool) => {
    const given = { url: URL_A, method: "GET" };
    expect([effect(tool, given), effect(tool, { ...given, save_as: "a" })]).toEqual(["none", "keyed"]);
    const { keyedForMs } = tool;
    const lifetime =
      typeof keyedForMs === "function" ? keyedForMs(given as never, { idempotentHosts: [] } as never) : keyedForMs;
    expect(lifetime).toBe(OWN_KEYED_FOR_MS);
  });

  it("fails when the file cannot be written; a POST has happened, and says so", async () => {
    const files = { ...fakeFiles(() => 0), write: async () => failed("quota_exceeded", "The sandbox is full.") };
    const got = await call(httpGet, { save_as: "a" }, { body: "x" }, {}, { files });
    expect(got.ran.failure).toMatchObject({ code: "quota_exceeded", field: "save_as" });
    const posted = await call(httpPost, { save_as: "a", body: "" }, { body: "x" }, {}, { files });
    expect(posted.ran.result).toMatchObject({ body: "x", note: "The body was not saved: The sandbox is full." });
  });

  it.each<[string, Partial<WebResponse>, FilesPort]>([
    ["a saved file", {}, fakeFiles(() => 0)],
    ["a status of an error", { status: 404 }, fakeFiles(() => 0)],
    ["a body that was cut", { truncated: true }, fakeFiles(() => 0)],
    ["a full sandbox", {}, { ...fakeFiles(() => 0), write: async () => failed("quota_exceeded", "It is full.") }],
  ])("releases the memory of its body after %s", async (_, reply, files) => {
    let released = 0;
    const body = new TextEncoder().encode("x");
    const received = { status: 200, headers: [], body, truncated: false, url: URL_A, durationMs: 1, ...reply };
    const web: WebPort = {
      ...fakeWeb(() => ({})),
      request: async () => ok({ ...received, release: () => (released += 1) }),
    };
    await runTool(httpGet, { url: URL_A, save_as: "a" }, { web, files });
    expect(released).toBe(1);
  });

  it("is a GET: a HEAD has no body", async () => {
    const { ran } = await call(httpRequest, { method: "HEAD", save_as: "a" }, {});
    expect(ran.failure).toMatchObject({ code: "invalid_input", field: "save_as" });
  });
});

describe("the headers of a request", () => {
  it("ask for text that a model reads, unless the caller asks for something else", async () => {
    const accept = async (tool: Tool, given: object) => (await call(tool, given, {})).received[0]?.headers["accept"];
    expect(await accept(httpGet, {})).toMatch(/^text\/markdown, text\/html;q=0\.9, .*\*\/\*;q=0\.8$/);
    expect(await accept(httpRequest, { method: "DELETE" })).toMatch(/^application\/json, /);
    expect(await accept(httpGet, { headers: { Accept: "image/png" } })).toBe("image/png");
  });
});

it("web_search says how to open a result", () => {
  expect(webSearch.summary).toContain("Open one with http_request.");
});
