/** Pictures of the kind SVG in documents: drawn to be read, and bounded when they are made to be too much. */
import { afterAll, describe, expect, it } from "vitest";
import type { DocumentToMake } from "../../../core/documents/make.ts";
import { drawSvgs, type DrawResult } from "../../../sidecar/documents/make/draw-svgs.ts";
import { openOffice } from "../../../sidecar/documents/make/office-file.ts";
import { openWorkshop, png } from "./made.ts";
import { openDocx, openPdf, openPptx } from "./opened.ts";

const workshop = openWorkshop();
afterAll(() => workshop.close());

const signal = new AbortController().signal;
const NAMES = 'xmlns="http://www.w3.org/2000/svg"';
const svg = (inside: string, attributes = 'width="200" height="100"') =>
  Buffer.from(`<?xml version="1.0"?>\n<!-- a chart -->\n<svg ${NAMES} ${attributes}>${inside}</svg>`);
const label = (text: string, more = "") => svg(`<text x="5" y="50" font-size="20" ${more}>${text}</text>`);
const CHART = svg('<rect width="100%" height="100%" fill="white"/><rect width="80" height="20"/>');

/** A PNG's width and height, and its dots for each metre. */
function facts(drawn: DrawResult | undefined): readonly [width: number, height: number, dotsOfAMetre: number] {
  if (drawn === undefined || "why" in drawn) throw new Error(drawn?.why ?? "nothing was drawn");
  const data = Buffer.from(drawn.png);
  return [data.readUInt32BE(16), data.readUInt32BE(20), data.readUInt32BE(data.indexOf("pHYs") + 4)];
}

async function draw(...svgs: Uint8Array[]): Promise<readonly DrawResult[]> {
  return await drawSvgs(svgs, signal);
}

describe("an SVG", () => {
  const images = new Map<string, Uint8Array>([
    ["report/chart.svg", CHART],
    ["a.png", png(40, 20)],
  ]);
  const markdown = "# Sales\n\n![Amount by region](report/chart.svg)\n\n![Other](a.png)\n";

  it("is a picture of a Word document, as large as it says", async () => {
    const made = await workshop.made({ format: "docx", markdown }, { images });
    expect(made.warnings).toEqual([]);
    const docx = openDocx(made.bytes);
    expect(docx.pictures).toBe(2);
    // 200 by 100 dots of 96 to an inch, in 914,400ths of an inch.
    const [, width, height] = /<wp:extent cx="(\d+)" cy="(\d+)"/.exec(docx.xml) ?? [];
    expect(Number(width) / 1_905_000).toBeCloseTo(1, 1);
    expect(Number(height) / 952_500).toBeCloseTo(1, 1);
    expect([...openOffice(made.bytes).keys()].filter((name) => name.startsWith("word/media/"))).toHaveLength(2);
  });

  it.each<[string, DocumentToMake]>([
    ["text", { format: "pptx", content: { markdown } }],
    [
      "data",
      { format: "pptx", content: { slides: [{ title: "Sales", image: "report/chart.svg" }, { image: "a.png" }] } },
    ],
  ])("is a picture of a presentation that comes as %s", async (_what, document) => {
    const made = await workshop.made(document, { images });
    expect(made.warnings).toEqual([]);
    expect(openPptx(made.bytes).slides.reduce((sum, { pictures }) => sum + pictures, 0)).toBe(2);
  });

  it("is a picture of a PDF, and two runs of one call give the same bytes", async () => {
    const [one, other] = [
      await workshop.made({ format: "pdf", markdown }, { images }),
      await workshop.made({ format: "pdf", markdown }, { images }),
    ];
    // The two, and what of the drawn one is transparent.
    expect(openPdf(one.bytes).images).toBe(3);
    expect(Buffer.compare(one.bytes, other.bytes)).toBe(0);
  });

  it("is drawn at twice its size, and smaller where it is very large", async () => {
    const [usual, large, boxed] = await draw(
      CHART,
      svg("", 'width="20000" height="10000"'),
      svg("", 'viewBox="0 0 30 20"'),
    );
    expect(facts(usual)).toEqual([400, 200, 7_559]);
    const [width, height, dots] = facts(large);
    expect(width * height).toBeLessThanOrEqual(8_000_000);
    expect(width / height).toBeCloseTo(2, 1);
    expect(dots).toBeLessThan(1_000);
    expect(facts(boxed).slice(0, 2)).toEqual([60, 40]);
  });

  it("has its letters, of every script that documents have, in whatever face it asks for", async () => {
    const texts = [
      label(""),
      label("Hi"),
      label("日"),
      label("本"),
      label("مرحبا"),
      label("&#x65e5;"),
      label("Привет"),
    ];
    const drawn = (await draw(...texts, label("Hi", 'font-family="No Such Face"'))).map((one) =>
      "png" in one ? Buffer.from(one.png).toString("base64") : one.why,
    );
    const [, hi, , , , , , other] = drawn;
    expect(other).toBe(hi);
    // The letter that is written by its number is the one that is written out.
    expect(new Set(drawn).size).toBe(6);
  });

  it("shows nothing of the machine or of the web", async () => {
    const outside = svg(
      '<image href="file:///etc/passwd" width="99" height="99"/><image href="https://example.com/a.png" width="9" height="9"/><style>@import url(https://example.com/a.css);</style><script>alert(1)</script>',
    );
    const [drawn, blank] = await draw(outside, svg(""));
    expect(drawn).toEqual(blank);
  });
});

const uses = (levels: number) =>
  svg(
    `<g id="a0"><rect width="1" height="1"/></g>${Array.from({ length: levels }, (_, at) => `<g id="a${at + 1}">${`<use href="#a${at}"/>`.repeat(10)}</g>`).join("")}`,
  );

describe("too much", () => {
  it.each<[string, Uint8Array]>([
    ["entities", Buffer.from(`<!DOCTYPE svg [<!ENTITY a "aaaa">]><svg ${NAMES}><text>&a;</text></svg>`)],
    ["nesting", svg("<g>".repeat(5_000) + "</g>".repeat(5_000))],
    ["uses of uses", uses(10)],
    ["elements", svg("<g/>".repeat(1_000_000))],
    ["height", svg("", 'width="1" height="1000000"')],
    ["size", svg("", 'width="1e400" height="-5"')],
    [
      "filters",
      svg(
        `<filter id="f">${Array.from({ length: 500 }, (_, at) => `<feOffset dx="1" result="r${at}"/>`).join("")}<feMerge>${Array.from({ length: 500 }, (_, at) => `<feMergeNode in="r${at}"/>`).join("")}</feMerge></filter><rect width="2000" height="2000" filter="url(#f)"/>`,
        'width="2000" height="2000"',
      ),
    ],
    ["cut off", CHART.subarray(0, 60)],
  ])("of an SVG (%s) leaves that picture out, and the next one is drawn", async (_what, bomb) => {
    const [refused, next] = await draw(bomb, CHART);
    expect(refused).toMatchObject({ why: expect.stringMatching(/^it is an SVG that /) });
    expect(facts(next)[0]).toBe(400);
  });

  it("time for one picture leaves it out, and all of them together have a time too", async () => {
    const slow = svg(
      '<filter id="f"><feTurbulence baseFrequency="0.01" numOctaves="100000"/></filter><rect width="3000" height="3000" filter="url(#f)"/>',
      'width="3000" height="3000"',
    );
    const why = "it is an SVG that takes too long to draw";
    const one = await drawSvgs([slow, CHART], signal, { pictureMs: 6_000, documentMs: 20_000 });
    expect([one[0], facts(one[1])[0]]).toEqual([{ why }, 400]);
    expect(await drawSvgs([slow, CHART], signal, { pictureMs: 2_000, documentMs: 1_000 })).toEqual([{ why }, { why }]);
  });

  it("is a warning of the document, which is made", async () => {
    const images = new Map([["bomb.svg", uses(10)]]);
    const made = await workshop.made({ format: "docx", markdown: "Before ![bomb](bomb.svg) after" }, { images });
    expect(made.warnings).toEqual([
      expect.stringMatching(/^The image bomb\.svg is not in the document: it is an SVG /),
    ]);
    expect(openDocx(made.bytes).paragraphs.map(([, text]) => text)).toEqual(["Before bomb after"]);
  });
});
