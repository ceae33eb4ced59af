/** Time to render a web page as Markdown in the sidecar's warm, caged process, compared with the same code in this process. */
import { makePageRenderer } from "../../sidecar/web/page-renderer.ts";
import { renderPage } from "../../sidecar/web/render-page.ts";
import { quantile } from "../../test/drill/random.ts";
import { newspaper } from "../../test/sidecar/__fixtures__/pages/layouts.ts";
import { SAMPLE_PAGES } from "../../test/sidecar/__fixtures__/pages/pages.ts";
import { makePage, ORIGIN } from "../../test/sidecar/__fixtures__/pages/sample-page.ts";
import { ENGLISH } from "../../test/sidecar/__fixtures__/pages/site-words.ts";
import { nowMs } from "../clock.ts";
import type { Section } from "./section.ts";

const RUNS = 100;
/** The engine optimises code that runs often. */
const WARM_UP = 50;
const PAGE_BYTES = 75_000;
const MAX_MS = 10;
const OURS = "Otto";
const IN_NODE = "AI SDK loop";

export const PAGES: Section = {
  name: "pages",
  once: true,
  rows: [
    {
      key: "page",
      label: "a page of 75 KB as Markdown, warm, and without the cage, ms (p50)",
      digits: 1,
      target: "≤ 10",
      must: MAX_MS,
    },
  ],
  async measure(stage, note) {
    const html = writePage();
    const question = { format: "markdown", url: `${ORIGIN}/long` } as const;
    const renderer = makePageRenderer();
    const bytes = Buffer.from(html);
    const signal = new AbortController().signal;
    const renderCaged = async () => {
      const done = await renderer.render({ ...question, tenant: "t1", html: bytes, signal });
      if (!done.ok) throw new Error(done.error.message);
    };
    const renderHere = () => Promise.resolve(renderPage(html, question));
    try {
      for (const { name } of stage.contenders) {
        if (name === OURS) note("page", name, await measureMedian(renderCaged));
        if (name === IN_NODE) note("page", name, await measureMedian(renderHere));
      }
    } finally {
      renderer.close();
    }
  },
};

/** A newspaper's page with the content of the sample pages, one after the other. */
function writePage(): string {
  const contents = SAMPLE_PAGES.filter(({ language, kind }) => language === "en" && kind !== "scripts");
  const pieces: string[] = [];
  const size = () => pieces.reduce((sum, piece) => sum + piece.length, 0);
  for (let at = 0; size() < PAGE_BYTES; at += 1) pieces.push(contents[at % contents.length]?.main ?? "");
  const main = pieces.join("\n").slice(0, PAGE_BYTES);
  const content = { name: "long", kind: "news", title: "A long page", main, sentences: [], links: [] } as const;
  return makePage(newspaper, ENGLISH, content).html.slice(0, PAGE_BYTES);
}

async function measureMedian(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < WARM_UP + RUNS; run += 1) {
    const startedAt = nowMs();
    await work();
    if (run >= WARM_UP) times.push(nowMs() - startedAt);
  }
  return quantile(times, 0.5);
}
