/**
 * What a search of documents takes among many pieces, by the adapters and the embedded database, and a PDF of 100 pages from
 * its upload until searches read it, in a system of its own.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { quantile } from "../../test/drill/random.ts";
import { openStage } from "../../test/drill/stage.ts";
import { makePdf } from "../knowledge/made-pdf.ts";
import { measureSearches } from "../knowledge/speed.ts";
import type { Section } from "./section.ts";

const OURS = "Otto";
const SIZES = [
  { key: "10k", pieces: 10_000 },
  { key: "100k", pieces: 100_000 },
] as const;
/** What a search may take at each size, and a PDF: `knowledge.md`. */
const [MUST_10K_MS, MUST_100K_MS] = [40, 200];
const MUST_PDF_S = 20;
const QUERIES = 100;
const PAGES = 100;
const DOCUMENTS = "/v1/knowledge/documents";
const LOOK_EVERY_MS = 50;
const GIVE_UP_MS = 300_000;

export const KNOWLEDGE: Section = {
  name: "knowledge",
  once: true,
  rows: [
    {
      key: "search-10k",
      label: "a search of documents with 10000 pieces, ms (p50)",
      digits: 1,
      target: `≤ ${MUST_10K_MS}`,
      must: MUST_10K_MS,
    },
    { key: "search-10k-p99", label: "– p99", digits: 1, target: "" },
    { key: "search-10k-words", label: "– the words alone (p50)", digits: 1, target: "" },
    { key: "search-10k-vectors", label: "– the vectors alone (p50)", digits: 1, target: "" },
    {
      key: "search-100k",
      label: "a search of documents with 100000 pieces, ms (p50)",
      digits: 1,
      target: `≤ ${MUST_100K_MS}`,
      must: MUST_100K_MS,
    },
    { key: "search-100k-p99", label: "– p99", digits: 1, target: "" },
    { key: "search-100k-words", label: "– the words alone (p50)", digits: 1, target: "" },
    { key: "search-100k-vectors", label: "– the vectors alone (p50)", digits: 1, target: "" },
    {
      key: "pdf-100",
      label: `a PDF of ${PAGES} pages, from queued to ready, s`,
      digits: 1,
      target: `≤ ${MUST_PDF_S}`,
      must: MUST_PDF_S,
    },
  ],
  async measure(stage, note) {
    if (!stage.contenders.some(({ name }) => name === OURS)) return;
    note("pdf-100", OURS, await measurePdf());
    const sizes = SIZES.map(({ pieces }) => pieces);
    await measureSearches(sizes, QUERIES, (pieces, { all, words, vectors }) => {
      const key = SIZES.find((size) => size.pieces === pieces)?.key ?? "";
      note(`search-${key}`, OURS, quantile(all, 0.5));
      note(`search-${key}-p99`, OURS, quantile(all, 0.99));
      note(`search-${key}-words`, OURS, quantile(words, 0.5));
      note(`search-${key}-vectors`, OURS, quantile(vectors, 0.5));
    });
  },
};

interface DocumentBody {
  readonly id: string;
  readonly status: string;
  readonly pieces: Readonly<Record<string, number>>;
}

/** Seconds from the answer to the upload until the document is ready. */
async function measurePdf(): Promise<number> {
  const drill = await openStage({ env: { OTTO_REQUESTS_PER_MINUTE: "1000000" } });
  try {
    const { api, key } = await drill.makeTenant("knowledge");
    let words = 0;
    const nextWord = () => `word${(words += 1) % 5_000}`;
    const form = new FormData();
    form.set("file", new File([makePdf(PAGES, nextWord)], "report.pdf", { type: "application/pdf" }));
    const headers = { authorization: `Bearer ${key}` };
    const uploaded = await fetch(drill.system.url + DOCUMENTS, { method: "POST", headers, body: form });
    if (uploaded.status !== 202) throw new Error(`the upload answered ${uploaded.status}: ${await uploaded.text()}`);
    const startedAt = performance.now();
    const { id } = (await uploaded.json()) as DocumentBody;
    for (;;) {
      const document = await api.must<DocumentBody>("GET", `${DOCUMENTS}/${id}`);
      const tookMs = performance.now() - startedAt;
      if (document.status === "ready") return tookMs / 1_000;
      if (document.status === "failed" || tookMs > GIVE_UP_MS) throw new Error(`not read: ${JSON.stringify(document)}`);
      await sleep(LOOK_EVERY_MS);
    }
  } finally {
    await drill.close();
  }
}
