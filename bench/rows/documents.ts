/** Time to read a document with all checks in a separate process, compared with the bare program on the same bytes. */
import { readFileSync } from "node:fs";
import { loadPandoc } from "../../sidecar/documents/children/pandoc-wasm.ts";
import { readPdf } from "../../sidecar/documents/children/read-pdf.ts";
import { makePandocPool, PANDOC_LIMITS } from "../../sidecar/documents/pandoc.ts";
import { readInProcess } from "../../sidecar/documents/read-in-process.ts";
import { readDocument } from "../../sidecar/documents/read.ts";
import { quantile } from "../../test/drill/random.ts";
import type { Section } from "./section.ts";

const RUNS = 30;
/** The engine makes what runs often quicker while it runs. */
const WARM_UP = 20;
const HEAP_MB = 200;
const MEMORY_PAGES = 3_584;

export const DOCUMENTS: Section = {
  name: "documents",
  once: true,
  rows: [
    { key: "docx", label: "a DOCX of two pages read, warm, ms (p50)", digits: 0, target: "tens to low hundreds" },
    { key: "docx-bare", label: "the same DOCX by bare pandoc, warm, ms (p50)", digits: 0, target: "" },
    {
      key: "pdf",
      label: "a PDF of two pages read, process and all, ms (p50)",
      digits: 0,
      target: "tens to low hundreds",
    },
    { key: "pdf-bare", label: "the same PDF by bare liteparse, ms (p50)", digits: 0, target: "" },
  ],
  async measure(stage, note) {
    const own = stage.contenders[0]?.name ?? "Otto";
    const [docx, pdf] = [fixture("report.docx"), fixture("report.pdf")];
    const pool = makePandocPool({ ...PANDOC_LIMITS, processes: 1 });
    const signal = new AbortController().signal;
    const read = async (name: string, bytes: Uint8Array) => {
      const order = { name, pages: null, withImages: false, signal };
      const done = await readDocument(bytes, order, { convert: pool.convert, readInProcess });
      if (!done.ok) throw new Error(done.error.message);
    };
    note("docx", own, await median(() => read("report.docx", docx)));
    pool.close();
    note("pdf", own, await median(() => read("report.pdf", pdf)));
    const pandoc = await loadPandoc(HEAP_MB, MEMORY_PAGES);
    const options = {
      from: "docx",
      to: "gfm-raw_html",
      wrap: "none",
      "input-files": ["input"],
      "output-file": "output",
    };
    const bare = () => Promise.resolve(pandoc.run(options, new Map([["input", docx]])));
    note("docx-bare", own, await median(bare));
    note("pdf-bare", own, await median(() => readPdf(pdf, { kind: "pdf", pages: null, withImages: false })));
  },
};

async function median(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < WARM_UP + RUNS; run += 1) {
    const from = performance.now();
    await work();
    if (run >= WARM_UP) times.push(performance.now() - from);
  }
  return quantile(times, 0.5);
}

function fixture(name: string): Uint8Array {
  return readFileSync(new URL(`../../test/sidecar/__fixtures__/documents/${name}`, import.meta.url));
}
