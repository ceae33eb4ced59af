/** Hostile and broken HTML in the caged process: bounded in time and memory, with a clear result. */
import { afterAll, describe, expect, it } from "vitest";
import { makePageRenderer, PAGE_LIMITS } from "../../../sidecar/web/page-renderer.ts";
import { MAX_PAGE_BYTES } from "../../../sidecar/web/render-page.ts";

const MB = 1_000_000;
/** The pool's limit, the start of a process, and a busy machine. */
const MAX_MS = PAGE_LIMITS.timeoutMs + 20_000;
const TEXT = "<h1>Harbour</h1><p>The harbour opens at six.</p>";

const renderer = makePageRenderer({ ...PAGE_LIMITS, processes: 1 });
afterAll(() => renderer.close());

async function render(html: string, format: "markdown" | "text" = "markdown") {
  const signal = new AbortController().signal;
  return await renderer.render({
    tenant: "t1",
    html: Buffer.from(html),
    format,
    url: "https://site.example/a/b",
    signal,
  });
}

async function read(html: string) {
  const done = await render(html);
  if (!done.ok) throw new Error(done.error.message);
  return done.value;
}

function fill(piece: string, bytes: number): string {
  return piece.repeat(Math.floor(bytes / piece.length));
}

const HOSTILE: readonly (readonly [string, string])[] = [
  ["a million open elements", fill("<b>", 1.9 * MB)],
  ["elements that close in the wrong order", fill("<a><b><i></a></b></i>", 1.9 * MB)],
  ["tables within tables", fill("<table><tr><td>", 1.9 * MB)],
  ["lists within lists", fill("<ul><li>x", 1.9 * MB)],
  ["quotes within quotes", `${fill("<blockquote>", 30_000)}x${fill("</blockquote>", 30_000)}`],
  ["an attribute of two megabytes", `<p class="${fill("a ", 1.9 * MB)}">x</p>`],
  ["half a million attributes", `<p ${Array.from({ length: 200_000 }, (_, at) => `a${at}`).join(" ")}>x</p>`],
  ["a style of two megabytes", `<p style="${fill("display :", 1.9 * MB)}">x</p>`],
  ["an address of two megabytes", `<a href="/${fill("%41", 1.9 * MB)}">x</a>`],
  ["two megabytes of spaces in a text", `<p>x${" \u00a0".repeat(400_000)}x</p>`],
  ["line ends in a preformatted block", `<pre>${fill("\n", 1.9 * MB)}x</pre>`],
  [
    "a cell that spans a million columns",
    fill('<table><tr><td colspan="1000000" rowspan="1000000">x</td></tr></table>', MB),
  ],
  ["rows of cells that reach down", `<table>${fill('<tr><td rowspan="99">x</td><td>y</td></tr>', MB)}</table>`],
  ["headings only", fill("<h1>x</h1>", MB)],
  ["links only", fill('<a href="/x">x</a> ', MB)],
  ["an unclosed comment", `<p>x</p><!--${fill("-", 1.9 * MB)}`],
  ["an unclosed tag", `<p>x</p><${fill("a", 1.9 * MB)}`],
  ["ampersands", `<p>${fill("&am", 1.9 * MB)}</p>`],
  ["marks of Markdown", `<p>${fill("*_`[](", 1.9 * MB)}</p>`],
  ["marks of the private area", `<table><tr><td>${fill("\uE000\uE001\uE002", 100_000)}</td><td>x</td></tr></table>`],
  ["classes that look like noise", fill('<div class="comment share related"><p>x, y, z</p></div>', 1.9 * MB)],
  ["NUL and control characters", fill("<p>\u0000\u0001\u0008x</p>", MB)],
];

describe("hostile HTML", () => {
  it.each(HOSTILE)(
    "%s",
    async (_, html) => {
      const from = performance.now();
      const done = await render(html);
      expect(performance.now() - from).toBeLessThan(MAX_MS);
      if (!done.ok) expect(["timeout", "too_large", "invalid_input"]).toContain(done.error.code);
      // The next page is read, on this process or on its successor.
      expect((await read(TEXT)).content).toBe("# Harbour\n\nThe harbour opens at six.");
    },
    2 * MAX_MS,
  );

  it("of any depth is read, and of too many elements as text", async () => {
    const deep = await read(`${fill("<div>", 100_000)}${TEXT}`);
    expect(deep).toMatchObject({ format: "markdown", content: "# Harbour\n\nThe harbour opens at six." });
    const many = await read(`${TEXT}${fill("<b>x</b>", 0.5 * MB)}`);
    expect(many.format).toBe("text");
    expect(many.content.startsWith("Harbour\nThe harbour opens at six.\nxxx")).toBe(true);
  });

  it("over 2 MB is read as text, and without what no reader sees", async () => {
    const { content, format } = await read(`${TEXT}<script>hidden()</script>${fill("<p>One line.</p>\n", 2.1 * MB)}`);
    expect(format).toBe("text");
    expect(content.startsWith("Harbour\nThe harbour opens at six.\nOne line.\n")).toBe(true);
    expect(content).not.toContain("hidden");
  });

  it("reads text behind a preformatted block of a part that is left out", async () => {
    const { content } = await read(`<nav><pre>x</pre></nav><p>One   two</p>${fill("<p>One line.</p>\n", 2.1 * MB)}`);
    expect(content.startsWith("One two\nOne line.\n")).toBe(true);
  });

  it("beyond the largest size is refused before it is parsed", async () => {
    const done = await render("x".repeat(MAX_PAGE_BYTES + 1));
    expect(done).toMatchObject({ ok: false, error: { code: "too_large" } });
  });

  it("has no link that runs or that leads within the page", async () => {
    const { content } = await read(
      `${TEXT}<p><a href="javascript:alert(1)">run</a> <a href="data:text/html,x">data</a> <a href="#top">top</a> <a href="../c?d=1&amp;e=2">up</a></p>`,
    );
    expect(content).toContain("run data top [up](https://site.example/c?d=1&e=2)");
    expect(content).not.toMatch(/javascript:|data:text/);
  });

  it("resolves links by the page's base", async () => {
    const { content } = await read(`<base href="/docs/">${TEXT}<p><a href="next">next</a></p>`);
    expect(content).toContain("[next](https://site.example/docs/next)");
  });
});

describe("a page without text", () => {
  it.each(["", "<html></html>", '<div id="root"></div><script src="/app.js"></script>', "<!-- x -->"])(
    "%j is empty",
    async (html) => {
      expect((await read(html)).content).toBe("");
    },
  );
});

const TOLD = {
  script: new URL("../__fixtures__/converters/told.ts", import.meta.url),
  nodeFlags: [],
  dataBytes: 900_000_000,
  memoryMb: 450,
  maxAnswerBytes: 1_000_000,
};

describe("a tenant whose pages never end", () => {
  it("does not keep another tenant's page from being rendered", async () => {
    const shared = makePageRenderer({ ...PAGE_LIMITS, processes: 2, timeoutMs: 6_000 }, TOLD);
    const page = { format: "text", url: "", signal: new AbortController().signal } as const;
    try {
      const hostile = Array.from({ length: 6 }, async () => {
        return await shared.render({ ...page, tenant: "hostile", html: Buffer.from("hang") });
      });
      const honest = await shared.render({ ...page, tenant: "honest", html: Buffer.from("hello") });
      expect(honest).toMatchObject({ ok: true, value: { content: "hello" } });
      for (const one of await Promise.all(hostile))
        expect(one).toMatchObject({ ok: false, error: { code: expect.stringMatching(/^(?:timeout|rate_limited)$/) } });
      expect(await shared.render({ ...page, tenant: "hostile", html: Buffer.from("hello") })).toMatchObject({
        ok: true,
      });
    } finally {
      shared.close();
    }
  });

  it("gives up its place in the queue with its caller", async () => {
    const shared = makePageRenderer({ ...PAGE_LIMITS, processes: 1, timeoutMs: 6_000 }, TOLD);
    const caller = new AbortController();
    const page = { tenant: "t1", format: "text", url: "" } as const;
    try {
      const first = shared.render({ ...page, html: Buffer.from("wait 500"), signal: new AbortController().signal });
      const second = shared.render({ ...page, html: Buffer.from("hello"), signal: caller.signal });
      caller.abort();
      expect(await second).toMatchObject({ ok: false, error: { code: "timeout" } });
      expect(await first).toMatchObject({ ok: true });
    } finally {
      shared.close();
    }
  });
});

describe("a process that does not answer", () => {
  it.each([
    ["hang", "timeout"],
    ["die", "invalid_input"],
    ["exhaust", "too_large"],
    ["flood", "too_large"],
  ])("is ended, and its page fails clearly: %s", async (told, code) => {
    const doomed = makePageRenderer({ ...PAGE_LIMITS, processes: 1, timeoutMs: 4_000 }, TOLD);
    const page = { tenant: "t1", format: "text", url: "", signal: new AbortController().signal } as const;
    try {
      expect(await doomed.render({ ...page, html: Buffer.from(told) })).toMatchObject({ ok: false, error: { code } });
      expect(await doomed.render({ ...page, html: Buffer.from("hello") })).toMatchObject({
        ok: true,
        value: { content: "hello" },
      });
    } finally {
      doomed.close();
    }
  });
});
