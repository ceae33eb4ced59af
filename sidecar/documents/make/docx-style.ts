/**
 * Styles a Word document without a template, by changing pandoc's reference document, whose style names pandoc uses
 * (https://pandoc.org/MANUAL.html#option--reference-doc). Sizes are half points, spaces twentieths of a point.
 */
import { changePart, type OfficeParts, setPart } from "./office-file.ts";

/** A font whose metrics every office program has, if under another name. */
export const OFFICE_FONT = "Arial";
const ACCENT = "1F4E79";
const RULE = "BFC7D1";
const CODE_FILL = "F4F5F7";

interface StyleSpec {
  readonly name: string;
  readonly basedOn?: string;
  readonly next?: string;
  readonly paragraph?: string;
  readonly run?: string;
}

const size = (halfPoints: number) => `<w:sz w:val="${halfPoints}"/><w:szCs w:val="${halfPoints}"/>`;
const spacing = (before: number, after: number) => `<w:spacing w:before="${before}" w:after="${after}"/>`;
const bold = "<w:b/><w:bCs/>";
const accent = `<w:color w:val="${ACCENT}"/>`;
const grey = '<w:color w:val="5B6573"/>';

const makeHeading = (level: number, halfPoints: number, before: number): StyleSpec => ({
  name: `heading ${level}`,
  basedOn: "Normal",
  next: "BodyText",
  paragraph: `<w:keepNext/><w:keepLines/>${spacing(before, 100)}<w:outlineLvl w:val="${level - 1}"/>`,
  run: `${bold}${accent}${size(halfPoints)}`,
});

const PARAGRAPH_STYLES: Readonly<Record<string, StyleSpec>> = {
  BodyText: {
    name: "Body Text",
    basedOn: "Normal",
    paragraph: '<w:spacing w:before="0" w:after="140" w:line="276" w:lineRule="auto"/>',
  },
  Compact: {
    name: "Compact",
    basedOn: "BodyText",
    paragraph: '<w:spacing w:before="30" w:after="30" w:line="252" w:lineRule="auto"/>',
  },
  Title: {
    name: "Title",
    basedOn: "Normal",
    next: "BodyText",
    paragraph: `<w:keepNext/><w:pBdr><w:bottom w:val="single" w:sz="8" w:space="6" w:color="${ACCENT}"/></w:pBdr>${spacing(0, 160)}`,
    run: `${bold}${accent}${size(48)}`,
  },
  Subtitle: {
    name: "Subtitle",
    basedOn: "Normal",
    next: "BodyText",
    paragraph: spacing(0, 160),
    run: `${grey}${size(28)}`,
  },
  Author: { name: "Author", basedOn: "Normal", next: "BodyText", paragraph: spacing(0, 240), run: grey },
  Heading1: makeHeading(1, 34, 400),
  Heading2: makeHeading(2, 27, 300),
  Heading3: makeHeading(3, 23, 240),
  Heading4: makeHeading(4, 21, 200),
  BlockText: {
    name: "Block Text",
    basedOn: "BodyText",
    next: "BodyText",
    paragraph: `<w:pBdr><w:left w:val="single" w:sz="18" w:space="10" w:color="${RULE}"/></w:pBdr>${spacing(100, 140)}<w:ind w:left="340" w:right="340"/>`,
    run: grey,
  },
  SourceCode: {
    name: "Source Code",
    basedOn: "Normal",
    paragraph: `<w:shd w:val="clear" w:color="auto" w:fill="${CODE_FILL}"/>${spacing(160, 160)}`,
    run: '<w:rFonts w:ascii="Courier New" w:hAnsi="Courier New" w:cs="Courier New"/><w:noProof/><w:sz w:val="18"/>',
  },
  Caption: { name: "Caption", basedOn: "Normal", paragraph: spacing(80, 160), run: `<w:i/><w:iCs/>${grey}${size(18)}` },
  Figure: { name: "Figure", basedOn: "Normal", paragraph: spacing(120, 60) },
  FootnoteText: { name: "Footnote Text", basedOn: "Normal", paragraph: spacing(0, 40), run: size(18) },
  TOCHeading: {
    name: "TOC Heading",
    basedOn: "Normal",
    next: "BodyText",
    paragraph: spacing(240, 120),
    run: `${bold}${accent}${size(27)}`,
  },
};

const CHARACTER_STYLES: Readonly<Record<string, StyleSpec>> = {
  VerbatimChar: {
    name: "Verbatim Char",
    basedOn: "DefaultParagraphFont",
    run: '<w:rFonts w:ascii="Courier New" w:hAnsi="Courier New" w:cs="Courier New"/><w:noProof/><w:sz w:val="19"/>',
  },
  Hyperlink: {
    name: "Hyperlink",
    basedOn: "DefaultParagraphFont",
    run: '<w:color w:val="0B5CAD"/><w:u w:val="single"/>',
  },
};

const edges = ["top", "left", "bottom", "right", "insideH", "insideV"]
  .map((edge) => `<w:${edge} w:val="single" w:sz="4" w:space="0" w:color="${RULE}"/>`)
  .join("");

const TABLE_STYLE = [
  '<w:style w:type="table" w:default="1" w:styleId="Table"><w:name w:val="Table"/><w:basedOn w:val="TableNormal"/><w:qFormat/>',
  `<w:tblPr><w:tblInd w:w="0" w:type="dxa"/><w:tblBorders>${edges}</w:tblBorders><w:tblCellMar>`,
  '<w:top w:w="50" w:type="dxa"/><w:left w:w="110" w:type="dxa"/><w:bottom w:w="50" w:type="dxa"/><w:right w:w="110" w:type="dxa"/>',
  "</w:tblCellMar></w:tblPr>",
  `<w:tblStylePr w:type="firstRow"><w:rPr>${bold}${accent}</w:rPr>`,
  '<w:tcPr><w:shd w:val="clear" w:color="auto" w:fill="E4ECF5"/></w:tcPr></w:tblStylePr></w:style>',
].join("");

/** A4 with margins of 2.3 cm and page numbers in the footer. */
const SECTION = [
  '<w:sectPr><w:footerReference w:type="default" r:id="rIdOttoFooter"/><w:footnotePr><w:numRestart w:val="eachSect"/></w:footnotePr>',
  '<w:pgSz w:w="11906" w:h="16838"/>',
  '<w:pgMar w:top="1304" w:right="1304" w:bottom="1304" w:left="1304" w:header="624" w:footer="624" w:gutter="0"/></w:sectPr>',
].join("");

const WORD_NAMES =
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
const field = (name: string) =>
  `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> ${name} </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>1</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`;
const FOOTER = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:ftr ${WORD_NAMES}><w:p><w:pPr><w:jc w:val="center"/></w:pPr>${field("PAGE")}<w:r><w:t xml:space="preserve"> / </w:t></w:r>${field("NUMPAGES")}</w:p></w:ftr>`;

/** Styles pandoc's reference document. */
export function styleDocx(parts: OfficeParts): void {
  changePart(parts, "word/styles.xml", styleText);
  changePart(parts, "word/theme/theme1.xml", (text) =>
    text.replaceAll(/<a:latin typeface="[^"]*"/g, `<a:latin typeface="${OFFICE_FONT}"`),
  );
  changePart(parts, "word/document.xml", (text) =>
    text.replace(/<w:sectPr\b[\s\S]*<\/w:sectPr>|<w:sectPr\s*\/>/, SECTION),
  );
  setPart(parts, "word/footer1.xml", FOOTER);
  changePart(parts, "word/_rels/document.xml.rels", (text) =>
    text.replace(
      "</Relationships>",
      '<Relationship Id="rIdOttoFooter" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/footer" Target="footer1.xml"/></Relationships>',
    ),
  );
  changePart(parts, "[Content_Types].xml", (text) =>
    text.replace(
      "</Types>",
      '<Override PartName="/word/footer1.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.footer+xml"/></Types>',
    ),
  );
}

function styleText(text: string): string {
  let styles = text.replace(/<w:sz w:val="24" \/>\s*<w:szCs w:val="24" \/>/, size(21));
  for (const [id, words] of Object.entries(PARAGRAPH_STYLES))
    styles = setStyle(styles, id, buildStyleXml("paragraph", id, words));
  for (const [id, words] of Object.entries(CHARACTER_STYLES))
    styles = setStyle(styles, id, buildStyleXml("character", id, words));
  return setStyle(styles, "Table", TABLE_STYLE);
}

function setStyle(styles: string, id: string, style: string): string {
  const present = new RegExp(`<w:style [^>]*w:styleId="${id}"[^>]*>[\\s\\S]*?</w:style>`);
  return present.test(styles) ? styles.replace(present, style) : styles.replace("</w:styles>", `${style}</w:styles>`);
}

function buildStyleXml(
  type: "paragraph" | "character",
  id: string,
  { name, basedOn, next, paragraph, run }: StyleSpec,
): string {
  return [
    `<w:style w:type="${type}" w:styleId="${id}"><w:name w:val="${name}"/>`,
    basedOn === undefined ? "" : `<w:basedOn w:val="${basedOn}"/>`,
    next === undefined ? "" : `<w:next w:val="${next}"/>`,
    "<w:qFormat/>",
    paragraph === undefined ? "" : `<w:pPr>${paragraph}</w:pPr>`,
    run === undefined ? "" : `<w:rPr>${run}</w:rPr>`,
    "</w:style>",
  ].join("");
}
