/** Sample pages in their caged process: what a reader must find in each, and how little noise. */
import { afterAll, describe, expect, it } from "vitest";
import { makePageRenderer } from "../../../sidecar/web/page-renderer.ts";
import { judgePage } from "../__fixtures__/pages/judge-page.ts";
import { SAMPLE_PAGES } from "../__fixtures__/pages/pages.ts";
import { ORIGIN, type SamplePage } from "../__fixtures__/pages/sample-page.ts";

const MAX_NOISE = 0.05;
const MIN_RECALL = 0.9;
const MIN_PAGES = 40;

const renderer = makePageRenderer();
afterAll(() => renderer.close());

async function render({ name, html }: SamplePage, format: "markdown" | "text" = "markdown") {
  const signal = new AbortController().signal;
  const done = await renderer.render({
    tenant: "t1",
    html: Buffer.from(html),
    format,
    url: `${ORIGIN}/${name}`,
    signal,
  });
  if (!done.ok) throw new Error(done.error.message);
  return done.value;
}

describe("sample pages", () => {
  it("are enough, and of every kind", () => {
    expect(SAMPLE_PAGES.length).toBeGreaterThanOrEqual(MIN_PAGES);
    expect(new Set(SAMPLE_PAGES.map(({ name }) => name)).size).toBe(SAMPLE_PAGES.length);
    const kinds = ["docs", "forum", "language", "news", "other", "scripts", "shop", "table"];
    expect([...new Set(SAMPLE_PAGES.map(({ kind }) => kind))].toSorted()).toEqual(kinds);
  });

  it.each(SAMPLE_PAGES.map((page) => [page.kind, page.name, page] as const))("%s: %s", async (_kind, _name, page) => {
    const { title, language, content, format } = await render(page);
    const { missing, recall, noise } = judgePage(page, content);
    expect({ title, language, format, missing }).toEqual({
      title: page.title,
      language: page.language,
      format: "markdown",
      missing: [],
    });
    expect(content.startsWith(`# ${page.title}\n`)).toBe(true);
    expect(noise).toBeLessThan(MAX_NOISE);
    expect(recall).toBeGreaterThan(MIN_RECALL);
  });

  it("are read as text without marks and addresses", async () => {
    const page = SAMPLE_PAGES.find(({ name }) => name === "queue-guide");
    if (page === undefined) throw new Error("no such page");
    const { content, format } = await render(page, "text");
    expect(format).toBe("text");
    expect(content).toContain("A consumer receives messages in batches.");
    expect(content).toContain("npm install @courier/client");
    expect(content).not.toMatch(/```|\]\(|Subscriptions/);
  });
});
