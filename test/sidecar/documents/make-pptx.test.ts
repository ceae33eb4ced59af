/** Presentations, by their parts. */
import { afterAll, describe, expect, it } from "vitest";
import type { Slide } from "../../../core/documents/make.ts";
import { NOW, openWorkshop, png } from "./made.ts";
import { openPptx } from "./opened.ts";

const workshop = openWorkshop();
afterAll(() => workshop.close());

async function show(slides: readonly Slide[], images = new Map<string, Uint8Array | string>()) {
  const { bytes } = await workshop.made({ format: "pptx", content: { slides: [...slides] } }, { images });
  return openPptx(bytes);
}

describe("a presentation of slides", () => {
  it("has titles, bullets at their level, tables, pictures, notes and layouts", async () => {
    const images = new Map([["chart 1%.png", png(30, 20)]]);
    const opened = await show(
      [
        { title: "Plan for **2027**", text: "For the board" },
        {
          title: "Points",
          bullets: ["one", { text: "two", bullets: ["a", { text: "b", bullets: ["c"] }] }],
          notes: "Say *this*.\nThen that.",
        },
        { title: "Numbers" },
        {
          title: "By city",
          table: {
            header: ["City", "Sales"],
            rows: [
              ["Oslo", 1200],
              ["Lima", "800"],
            ],
          },
        },
        { title: "Chart", image: "chart 1%.png", bullets: ["rises"] },
        { title: "مرحبا بالعالم", text: "日本語の文章です。" },
      ].map((slide, index) => (index === 0 ? { ...slide, layout: "title" as const } : slide)),
      images,
    );
    expect([opened.title, opened.created.slice(0, 19)]).toEqual([
      "Plan for 2027",
      new Date(NOW).toISOString().slice(0, 19),
    ]);
    expect(opened.slides.map(({ layout }) => layout)).toEqual([
      "Title Slide",
      "Title and Content",
      "Section Header",
      "Title and Content",
      "Two Content",
      "Title and Content",
    ]);
    const [title, points, , table, chart, foreign] = opened.slides;
    expect(title?.texts).toEqual(["Plan for 2027", "For the board"]);
    expect(points?.texts).toEqual(["Points", "one\ntwo\na\nb\nc"]);
    // The first is the title's.
    expect([...(points?.xml ?? "").matchAll(/lvl="(\d)"/g)].map(([, level]) => level).join(" ")).toBe("0 0 0 1 1 2");
    expect(points?.notes).toContain("Say this.\n\nThen that.");
    expect(table?.tables).toEqual([
      [
        ["City", "Sales"],
        ["Oslo", "1200"],
        ["Lima", "800"],
      ],
    ]);
    expect(chart?.pictures).toBe(1);
    expect(chart?.texts).toContain("rises");
    expect(foreign?.texts).toEqual(["مرحبا بالعالم", "日本語の文章です。"]);
    expect(foreign?.xml).toMatch(/rtl="1"[\s\S]*مرحبا/);
  });

  it("treats each text as one paragraph", async () => {
    const odd = [
      "# heading",
      "- item",
      "1. one",
      "| a | b |",
      "```js",
      "> quote",
      "    code",
      "---",
      "[^1]: note",
      "[a]: https://x.y",
      ": definition",
      "![i](i.png)",
      "<b>x</b>",
      "`x`{=openxml}",
    ];
    const { slides } = await show([{ title: "T", bullets: odd, layout: "content" }]);
    const texts = slides.flatMap((slide) => slide.texts).join("\n");
    for (const text of ["# heading", "- item", "1. one", "| a | b |", "> quote", "[^1]: note", "<b>x</b>"])
      expect(texts).toContain(text);
  });

  it("splits content that is too long, and shrinks what cannot be split", async () => {
    const bullets = Array.from({ length: 25 }, (_, index) => `Point ${index + 1} of many that are to be said`);
    const rows = Array.from({ length: 20 }, (_, index) => [`Row ${index + 1}`, "x"]);
    const { slides } = await show([
      { title: "Many", bullets },
      { title: "Long", table: { header: ["Name", "Value"], rows } },
      { title: "One", text: "A sentence that continues. ".repeat(60) },
    ]);
    const many = slides.filter(({ texts: [title] }) => title?.startsWith("Many"));
    expect(many.map(({ texts: [title] }) => title)).toEqual(["Many", "Many (2)", "Many (3)"]);
    expect(many.flatMap(({ texts: [, body = ""] }) => body.split("\n"))).toEqual(bullets);
    const long = slides.filter(({ texts: [title] }) => title?.startsWith("Long"));
    expect(long.length).toBeGreaterThan(1);
    expect(long.every(({ tables }) => tables[0]?.[0]?.[0] === "Name")).toBe(true);
    expect(long.flatMap(({ tables }) => tables[0]?.slice(1) ?? [])).toEqual(rows);
    const one = slides.filter(({ texts: [title] }) => title === "One");
    expect(one).toHaveLength(1);
    expect(one[0]?.xml).toMatch(/<a:normAutofit fontScale="\d{5}"/);
    expect(many[0]?.xml).not.toContain("fontScale");
  });
});

describe("a presentation worth showing", () => {
  const layouts = (opened: ReturnType<typeof openPptx>) => opened.slides.map(({ layout, texts }) => [layout, ...texts]);

  it("opens with a title slide, and a heading without content is a section", async () => {
    const markdown =
      "# Plan\n\nFor the board\n\n## Why\n\n- one\n- two\n\n# Part two\n\n## Risks\n\n- a\n- b\n\n## Questions?\n";
    const { bytes } = await workshop.made({ format: "pptx", content: { markdown } });
    expect(layouts(openPptx(bytes))).toEqual([
      ["Title Slide", "Plan", "For the board"],
      ["Title and Content", "Why", "one\ntwo"],
      ["Section Header", "Part two"],
      ["Title and Content", "Risks", "a\nb"],
      ["Section Header", "Questions?"],
    ]);
    const slides = [
      { title: "Review", text: "Q3 2026" },
      { title: "Agenda", bullets: ["x", "y"] },
    ];
    expect(layouts(await show(slides))[0]).toEqual(["Title Slide", "Review", "Q3 2026"]);
  });

  it("leaves no slide with a line at its top: a statement is large and in the middle, short lists grow", async () => {
    const { slides } = await show([
      { title: "Plan" },
      { title: "Result", text: "Revenue is up." },
      { title: "Closing", bullets: ["Thank you"] },
      { title: "Agenda", bullets: ["one", "two", "three"] },
    ]);
    for (const { xml } of slides.slice(1, 3)) {
      expect(xml).toContain('<a:bodyPr anchor="ctr"/>');
      expect(xml).toContain('<a:lvl1pPr><a:defRPr sz="3100"/>');
    }
    expect(slides[3]?.xml).toContain('<a:lvl1pPr><a:defRPr sz="2400"/>');
    expect(slides[3]?.xml).not.toContain('anchor="ctr"');
  });

  it("divides what is too long evenly", async () => {
    const bullets = Array.from({ length: 19 }, (_, index) => `Point ${index + 1}`);
    const rows = Array.from({ length: 13 }, (_, index) => [`Row ${index + 1}`, "x"]);
    const { slides } = await show([
      { title: "Many", bullets },
      { title: "Rows", table: { header: ["A", "B"], rows } },
    ]);
    const lines = slides.map(({ texts: [, body = ""], tables }) => tables[0]?.length ?? body.split("\n").length);
    expect(lines).toEqual([7, 7, 5, 6, 6, 4]);
  });

  it("has no rule below a missing title", async () => {
    const { slides } = await show([{ title: "T" }, { text: "No title here", bullets: ["a"] }]);
    expect(slides[1]?.xml).toContain('showMasterSp="0"');
    expect(slides[0]?.xml).not.toContain('showMasterSp="0"');
  });
});

describe("a presentation of Markdown", () => {
  const MARKDOWN = `---
title: A show
author: Ana
---

# First

Text **bold**.

- one
  - two

# Second

| A | B |
|---|---|
| 1 | 2 |

After the table.

::: notes
Only for the speaker.
:::
`;

  it("begins a slide with each heading, and none without a title", async () => {
    const { bytes } = await workshop.made({ format: "pptx", content: { markdown: MARKDOWN } });
    const { slides, title } = openPptx(bytes);
    expect(title).toBe("A show");
    expect(slides.map(({ texts: [first] }) => first)).toEqual(["A show", "First", "Second"]);
    expect(slides[2]?.tables).toEqual([
      [
        ["A", "B"],
        ["1", "2"],
      ],
    ]);
    // Alone, it would be a slide of one line.
    expect(slides[2]?.texts).toContain("After the table.");
    expect(slides.map(({ notes }) => notes).join("")).toContain("Only for the speaker.");
  });

  it("takes the layouts and colours of its template", async () => {
    const house = await workshop.engines.style("pptx", new AbortController().signal);
    if (!house.ok) throw new Error(house.error.message);
    const { openOffice, changePart, closeOffice } = await import("../../../sidecar/documents/make/office-file.ts");
    const parts = openOffice(house.value);
    changePart(parts, "ppt/theme/theme1.xml", (xml) => xml.replaceAll("1F4E79", "ABCDEF"));
    const { bytes } = await workshop.made(
      { format: "pptx", content: { markdown: MARKDOWN } },
      { template: closeOffice(parts) },
    );
    expect(new TextDecoder().decode(openOffice(bytes).get("ppt/theme/theme1.xml"))).toContain("ABCDEF");
    expect(openPptx(bytes).slides).toHaveLength(3);
  });

  it("gives the same bytes again", async () => {
    const document = { format: "pptx" as const, content: { markdown: MARKDOWN } };
    const [one, other] = [await workshop.made(document), await workshop.made(document)];
    expect(Buffer.compare(one.bytes, other.bytes)).toBe(0);
  });
});
