/**
 * Makes the text of a presentation fit its boxes: pandoc writes it at the size of the style, however much it is. How tall a
 * text is, is reckoned from the number of its letters; what is too tall is told to shrink, as PowerPoint itself tells it
 * (`normAutofit`, ECMA-376 21.1.2.1.3). Paragraphs that begin in a script from right to left are set so.
 */
import { strFromU8 } from "fflate";
import { isRightToLeft } from "./clean-ast.ts";
import { changePart, type OfficeParts } from "./office-file.ts";
import { smallerLetters } from "./table-widths.ts";

const EMU_PER_POINT = 12_700;
/** Of the size of a face, on the average of a text: how wide a letter is, and how tall a line with what stands above it. */
const LETTER_WIDTH = 0.5;
const LINE_HEIGHT = 1.2;
const PARAGRAPH_GAP = 0.35;
/** Both insets of a box together. */
const INSET_POINTS = 14.4;
const MIN_SCALE = 0.4;
const SCALE_STEP = 0.025;
const DEFAULT_SIZE = 18;
/** What stands free at both sides of the cells of a table of many columns, in EMU. */
const NEAR = 36_000;
const TABLE_SIZES = [1400, 1200, 1000, 900] as const;

export function fitPptx(parts: OfficeParts): void {
  for (const name of parts.keys()) {
    const number = /^ppt\/slides\/slide(\d+)\.xml$/.exec(name)?.[1];
    if (number === undefined) continue;
    const layout = layoutOf(parts, number);
    changePart(parts, name, (text) => fitTables(fitShapes(text, layout)));
  }
}

/** The layout of a slide, and the master of that layout, as text. */
interface Layout {
  readonly layout: string;
  readonly master: string;
}

function layoutOf(parts: OfficeParts, slide: string): Layout {
  const layoutName = related(parts, `ppt/slides/_rels/slide${slide}.xml.rels`, "slideLayout");
  const masterName = related(parts, `ppt/slideLayouts/_rels/${layoutName}.rels`, "slideMaster");
  return {
    layout: partText(parts, `ppt/slideLayouts/${layoutName}`),
    master: partText(parts, `ppt/slideMasters/${masterName}`),
  };
}

function related(parts: OfficeParts, rels: string, kind: string): string {
  return new RegExp(`Target="[^"]*/(${kind}\\d+\\.xml)"`).exec(partText(parts, rels))?.[1] ?? "";
}

function partText(parts: OfficeParts, name: string): string {
  const part = parts.get(name);
  return part === undefined ? "" : strFromU8(part);
}

function fitShapes(slide: string, layout: Layout): string {
  return slide.replaceAll(/<p:sp>.*?<\/p:sp>/gs, (shape) => {
    const directed = shape.replaceAll(/<a:p>.*?<\/a:p>/gs, directParagraph);
    const scale = scaleOf(directed, layout);
    if (scale === 1) return directed;
    const fit = `<a:normAutofit fontScale="${Math.round(scale * 100_000)}" lnSpcReduction="10000"/>`;
    return directed.replace(
      /<a:bodyPr\s*\/>|<a:bodyPr>\s*(?:<a:normAutofit\s*\/>)?\s*<\/a:bodyPr>/,
      `<a:bodyPr>${fit}</a:bodyPr>`,
    );
  });
}

function directParagraph(paragraph: string): string {
  if (!isRightToLeft(textIn(paragraph))) return paragraph;
  const direction = 'algn="r" rtl="1"';
  const bare = paragraph.replace(/<a:pPr([^>]*?) algn="[^"]*"/, "<a:pPr$1");
  return bare.includes("<a:pPr")
    ? bare.replace("<a:pPr", `<a:pPr ${direction}`)
    : bare.replace("<a:p>", `<a:p><a:pPr ${direction}/>`);
}

/** By how much the text has to shrink; 1: it fits as it is, or nobody knows the size of its box. */
function scaleOf(shape: string, { layout, master }: Layout): number {
  const placeholder = /<p:ph\b[^>]*>/.exec(shape)?.[0];
  if (placeholder === undefined) return 1;
  const index = /idx="(\d+)"/.exec(placeholder)?.[1];
  const isTitle = /type="(?:title|ctrTitle)"/.test(placeholder);
  const own = shapesOf(layout).find((one) =>
    (isTitle ? /type="(?:title|ctrTitle)"/ : new RegExp(`<p:ph\\b[^>]*idx="${index}"`)).test(one),
  );
  const general = shapesOf(master).find((one) => (isTitle ? /type="title"/ : /type="body"/).test(one));
  const box = boxOf(shape) ?? boxOf(own) ?? boxOf(general);
  if (box === null) return 1;
  const styles = [own ?? "", styleOf(master, isTitle)];
  for (let scale = 1; scale > MIN_SCALE; scale -= SCALE_STEP)
    if (heightOf(shape, box.width, styles, scale) <= box.height) return scale;
  return MIN_SCALE;
}

function shapesOf(text: string): readonly string[] {
  return text.match(/<p:sp>.*?<\/p:sp>/gs) ?? [];
}

function styleOf(master: string, isTitle: boolean): string {
  return (isTitle ? /<p:titleStyle>.*?<\/p:titleStyle>/s : /<p:bodyStyle>.*?<\/p:bodyStyle>/s).exec(master)?.[0] ?? "";
}

/** In points, without the insets. */
function boxOf(shape: string | undefined): { readonly width: number; readonly height: number } | null {
  const [, width, height] = /<a:xfrm[^>]*>.*?<a:ext cx="(\d+)" cy="(\d+)"/s.exec(shape ?? "") ?? [];
  if (width === undefined || height === undefined) return null;
  return {
    width: Number(width) / EMU_PER_POINT - INSET_POINTS,
    height: Number(height) / EMU_PER_POINT - INSET_POINTS / 2,
  };
}

function heightOf(shape: string, width: number, styles: readonly string[], scale: number): number {
  const paragraphs = shape.match(/<a:p>.*?<\/a:p>/gs) ?? [];
  return paragraphs.reduce((sum, paragraph) => {
    const level = Number(/<a:pPr[^>]*\blvl="(\d)"/.exec(paragraph)?.[1] ?? 0);
    const size = sizeOf(paragraph, level, styles) * scale;
    const room = width - level * 27 - 27;
    const lines = paragraph
      .split(/<a:br\s*\/>/)
      .reduce((count, line) => count + Math.max(1, Math.ceil(textWidth(textIn(line), size) / room)), 0);
    return sum + size * (lines * LINE_HEIGHT + PARAGRAPH_GAP);
  }, 0);
}

/** In points: what the text itself says, else the style of its level. */
function sizeOf(paragraph: string, level: number, styles: readonly string[]): number {
  const own = /<a:rPr[^>]*\bsz="(\d+)"/.exec(paragraph)?.[1];
  if (own !== undefined) return Number(own) / 100;
  for (const style of styles) {
    const found = new RegExp(`<a:lvl${level + 1}pPr.*?<a:defRPr[^>]*?\\bsz="(\\d+)"`, "s").exec(style)?.[1];
    if (found !== undefined) return Number(found) / 100;
  }
  return DEFAULT_SIZE;
}

/** An East Asian letter is as wide as its face is tall. */
function textWidth(text: string, size: number): number {
  const wide = text.match(/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/g)?.length ?? 0;
  return (wide + (text.length - wide) * LETTER_WIDTH) * size;
}

function textIn(xml: string): string {
  return [...xml.matchAll(/<a:t>(.*?)<\/a:t>/gs)].map(([, text = ""]) => text.replaceAll(/&\w+;/g, "x")).join("");
}

/** The cells of a table have no style of their own: the more rows and columns, the smaller their letters. */
function fitTables(slide: string): string {
  return slide.replaceAll(/<p:graphicFrame>.*?<\/p:graphicFrame>/gs, (frame) => {
    const rows = frame.match(/<a:tr\b/g)?.length ?? 0;
    const columns = frame.match(/<a:gridCol\b/g)?.length ?? 1;
    const letters = textIn(frame).length;
    const load = rows + letters / (120 / Math.max(1, Math.sqrt(columns)));
    const size = TABLE_SIZES[load <= 14 ? 0 : load <= 22 ? 1 : load <= 34 ? 2 : 3];
    const near = smallerLetters(columns) === null ? "" : ` marL="${NEAR}" marR="${NEAR}"`;
    return frame
      .replaceAll("<a:tcPr", `<a:tcPr${near}`)
      .replaceAll(/<a:rPr(?![^>]*\bsz=)/g, `<a:rPr sz="${size}"`)
      .replaceAll(/<a:p>.*?<\/a:p>/gs, directParagraph);
  });
}
