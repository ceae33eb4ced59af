/** Markdown that tries to be more than text: code of the engines, files of the machine, and too much of everything. */
import { afterAll, describe, expect, it } from "vitest";
import type { DocumentToMake } from "../../../core/documents/make.ts";
import { makeMakerPool } from "../../../sidecar/documents/make/makers.ts";
import { closeOffice, openOffice, setPart } from "../../../sidecar/documents/make/office-file.ts";
import { openWorkshop } from "./made.ts";
import { openDocx, openPdf, openPptx } from "./opened.ts";

const workshop = openWorkshop();
afterAll(() => workshop.close());

/** Each would show a file of the machine, or break the document, if any engine took it for code. */
const CODE = [
  '#read("/etc/passwd")',
  '#include "/etc/passwd"',
  '#image("/etc/passwd")',
  '```{=typst}\n#read("/etc/passwd")\n```',
  '`#read("/etc/passwd")`{=typst}',
  '```{=openxml}\n<w:p><w:r><w:instrText>INCLUDETEXT "/etc/passwd"</w:instrText></w:r></w:p>\n```',
  '[x]{typst:text:fill="red); #read(\\"/etc/passwd\\")"}',
  '::: {typst:block:fill="red); #read(\\"/etc/passwd\\")"}\nx\n:::',
  '[x]{custom-style="Title"}',
  '$\\text{#read("/etc/passwd")}$ and $\\foo{#read("/etc/passwd")}$ and $"#read("/etc/passwd")$',
  '```{.python" #read("/etc/passwd")}\nx\n```',
  '# A {#b>#read("/etc/passwd")}',
  '![#read("/etc/passwd")](/etc/passwd)',
  '![x](a.png"\\)#read("/etc/passwd"))',
  '[x](<https://e.com/"\\)#read("/etc/passwd")>)',
  '| #read("/etc/passwd") | `]` |\n|---|---|\n| ] #read("/etc/passwd") [ | \\] |',
  '<script>#read("/etc/passwd")</script> <w:p/> &lt;',
  '\\input{/etc/passwd} \\newcommand{\\x}{#read("/etc/passwd")} \\x',
  '---\ntitle: "#read(\\"/etc/passwd\\")"\nheader-includes: "#read(\\"/etc/passwd\\")"\n---\n\ntext',
  '@read [@read] <label> \\#read("/etc/passwd") \\\\#read("/etc/passwd")',
  '*#read("/etc/passwd")*[^1]\n\n[^1]: #read("/etc/passwd") `x`{=typst}',
];

const SECRET = /root:.*:0:0/;

describe("code in Markdown", () => {
  it.each(CODE)("is text in a PDF: %s", async (markdown) => {
    const made = await workshop.made({ format: "pdf", markdown: `${markdown}\n\nAfter.` });
    const { text } = openPdf(made.bytes);
    expect(text).not.toMatch(SECRET);
    expect(text).toContain("After.");
  });

  it("is text in a Word document, all of it", async () => {
    const made = await workshop.made({
      format: "docx",
      markdown: CODE.filter((one) => !one.startsWith("---")).join("\n\n"),
    });
    const { xml, paragraphs } = openDocx(made.bytes);
    expect(xml).not.toMatch(SECRET);
    expect(xml).not.toMatch(/<w:instrText[^>]*>\s*INCLUDETEXT/);
    expect(paragraphs.map(([, text]) => text).join("\n")).toContain(
      '<w:instrText>INCLUDETEXT "/etc/passwd"</w:instrText>',
    );
    expect(paragraphs.some(([style, text]) => style === "Title" && text === "x")).toBe(false);
  });

  it("reaches no file and no package when it reaches the engine of PDFs", async () => {
    const inputs = {
      title: "",
      author: "",
      subject: "",
      shown: "no",
      language: "en",
      paper: "a4",
      landscape: "no",
      contents: "no",
    };
    const signal = new AbortController().signal;
    for (const source of [
      '#import "@preview/cetz:0.2.2"',
      '#read("/etc/passwd")',
      '#read("../../../../../etc/passwd")',
      '#include "/etc/hostname"',
    ]) {
      const made = await workshop.engines.maker(
        { kind: "pdf", names: [], inputs, nowMs: 0 },
        [Buffer.from(source)],
        signal,
      );
      expect(made).toMatchObject({ ok: false, error: { code: "invalid_input" } });
    }
  });
});

describe("a template", () => {
  it("that names places outside itself makes no document that fetches from them", async () => {
    const house = await workshop.engines.style("docx", new AbortController().signal);
    if (!house.ok) throw new Error(house.error.message);
    const parts = openOffice(house.value);
    const outside = (type: string) =>
      `<Relationship Id="rIdX${type}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="https://example.com/${type}" TargetMode="External"/>`;
    const rels = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${outside("attachedTemplate")}${outside("image")}</Relationships>`;
    setPart(parts, "word/_rels/settings.xml.rels", rels);
    setPart(parts, "word/_rels/footer1.xml.rels", rels);
    const template = closeOffice(parts);
    const made = await workshop.made({ format: "docx", markdown: "[x](https://example.com/page)" }, { template });
    const texts = Array.from(openOffice(made.bytes).values(), (bytes) => new TextDecoder().decode(bytes));
    const places = texts.join("\n").match(/https:\/\/example\.com\/\w+/g);
    expect([...new Set(places)]).toEqual(["https://example.com/page"]);
  });
});

describe("odd text", () => {
  it.each(["docx", "pdf", "pptx"] as const)(
    "%s: control characters and halves of letters break nothing",
    async (format) => {
      const odd = "a\u0000b\u0001c\uD800d\uFFFEe\u202E";
      const markdown = `# ${odd}\n\n\`${odd}\` **${odd}**\n\n| ${odd} |\n|---|\n| ${odd} |\n`;
      const content = format === "pptx" ? { content: { markdown } } : { markdown };
      const made = await workshop.made({ format, ...content, title: `t${odd}`, author: odd } as DocumentToMake);
      if (format === "docx") expect(openDocx(made.bytes).paragraphs.length).toBeGreaterThan(1);
      else if (format === "pptx") expect(openPptx(made.bytes).slides.length).toBeGreaterThan(0);
      else expect(openPdf(made.bytes).text).toContain("abcde");
    },
  );
});

describe("too much", () => {
  it.each([
    ["quotes", ">".repeat(2_000)],
    ["lists", "- ".repeat(1_000)],
    ["brackets", "[".repeat(3_000)],
    ["stars", "*a ".repeat(5_000)],
  ])("of %s in each other ends in time, and the next document is made", async (_what, markdown) => {
    const made = await workshop.make({ format: "pdf", markdown }, { signal: AbortSignal.timeout(4_000) });
    if (!made.ok) expect(["invalid_input", "timeout"]).toContain(made.error.code);
    expect(await workshop.make({ format: "pdf", markdown: "fine" })).toMatchObject({ ok: true });
  });

  it("a program that never ends is ended, and the next one is served", async () => {
    const makers = makeMakerPool(4_000);
    const ask = async (source: string) =>
      await makers.ask(
        {
          kind: "pdf",
          names: [],
          inputs: {},
          nowMs: 0,
        },
        [Buffer.from(source)],
        new AbortController().signal,
      );
    expect(await ask("#let i = 0\n#while true { i += 1; if i > 1e15 { break } }")).toMatchObject({ ok: false });
    expect(await ask('#("x" * 4000000000)')).toMatchObject({ ok: false });
    expect((await ask("fine")).ok).toBe(true);
    makers.close();
  });
});
