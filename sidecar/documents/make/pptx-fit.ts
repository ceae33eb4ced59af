/**
 * Shrinks the text of a presentation to fit its boxes, since pandoc ignores its length. Estimates the height from the number of letters
 * and sets PowerPoint's own scaling (`normAutofit`, ECMA-376 21.1.2.1.3). Also sets the direction of paragraphs that begin in a
 * right-to-left script.
 */
import { strFromU8 } from "fflate";
import { isRightToLeft } from "./clean-ast.ts";
import { changePart, type OfficeParts } from "./office-file.ts";
import { getSmallerPoints } from "./table-widths.ts";

const EMU_PER_POINT = 12_700;
/** Average width of a letter, height of a line and gap of a paragraph, relative to the font size. */
const LETTER_WIDTH = 0.5;
const LINE_HEIGHT = 1.2;
const PARAGRAPH_GAP = 0.35;
/** Sum of both insets of a box. */
const INSET_POINTS = 14.4;
const MIN_SCALE = 0.4;
const SCALE_STEP = 0.025;
const DEFAULT_SIZE = 18;
/** Horizontal margin of cells in a table of many columns, in EMU. */
const NARROW_PADDING = 36_000;
const TABLE_SIZES = [1400, 1200, 1000, 900] as const;

export function fitPptx(parts: OfficeParts): void {
  for (const name of parts.keys()) {
    const number = /^ppt\/slides\/slide(\d+)\.xml$/.exec(name)?.[1];
    if (number === undefined) continue;
    const layout = readLayout(parts, number);
    changePart(parts, name, (text) => fitTables(fitShapes(text, layout)));
  }
}

/** The XML of a slide's layout and of its master. */
interface Layout {
  readonly layout: string;
  readonly master: string;
}

function readLayout(parts: OfficeParts, slide: string): Layout {
  const layoutName = findRelated(parts, `ppt/slides/_rels/slide${slide}.xml.rels`, "slideLayout");
  const masterName = findRelated(parts, `ppt/slideLayouts/_rels/${layoutName}.rels`, "slideMaster");
  return {
    layout: readPart(parts, `ppt/slideLayouts/${layoutName}`),
    master: readPart(parts, `ppt/slideMasters/${masterName}`),
  };
}

function findRelated(parts: OfficeParts, rels: string, kind: string): string {
  return new RegExp(`Target="[^"]*/(${kind}\\d+\\.xml)"`).exec(readPart(parts, rels))?.[1] ?? "";
}

function readPart(parts: OfficeParts, name: string): string {
  const part = parts.get(name);
  return part === undefined ? "" : strFromU8(part);
}

function fitShapes(slide: string, layout: Layout): string {
  return slide.replaceAll(/<p:sp>.*?<\/p:sp>/gs, (shape) => {
    const directed = shape.replaceAll(/<a:p>.*?<\/a:p>/gs, directParagraph);
    const scale = computeScale(directed, layout);
    if (scale === 1) return directed;
    const fit = `<a:normAutofit fontScale="${Math.round(scale * 100_000)}" lnSpcReduction="10000"/>`;
    return directed.replace(
      /<a:bodyPr\s*\/>|<a:bodyPr>\s*(?:<a:normAutofit\s*\/>)?\s*<\/a:bodyPr>/,
      `<a:bodyPr>${fit}</a:bodyPr>`,
    );
  });
}

function directParagraph(paragraph: string): string {
  if (!isRightToLeft(extractText(paragraph))) return paragraph;
  const direction = 'algn="r" rtl="1"';
  const bare = paragraph.replace(/<a:pPr([^>]*?) algn="[^"]*"/, "<a:pPr$1");
  return bare.includes("<a:pPr")
    ? bare.replace("<a:pPr", `<a:pPr ${direction}`)
    : bare.replace("<a:p>", `<a:p><a:pPr ${direction}/>`);
}

/** Returns the text's scale. 1 if it fits, or if the size of its box is unknown. */
function computeScale(shape: string, { layout, master }: Layout): number {
  const placeholder = /<p:ph\b[^>]*>/.exec(shape)?.[0];
  if (placeholder === undefined) return 1;
  const index = /idx="(\d+)"/.exec(placeholder)?.[1];
  const isTitle = /type="(?:title|ctrTitle)"/.test(placeholder);
  const own = listShapes(layout).find((one) =>
    (isTitle ? /type="(?:title|ctrTitle)"/ : new RegExp(`<p:ph\\b[^>]*idx="${index}"`)).test(one),
  );
  const general = listShapes(master).find((one) => (isTitle ? /type="title"/ : /type="body"/).test(one));
  const box = readBox(shape) ?? readBox(own) ?? readBox(general);
  if (box === null) return 1;
  const styles = [own ?? "", findStyle(master, isTitle)];
  for (let scale = 1; scale > MIN_SCALE; scale -= SCALE_STEP)
    if (computeHeight(shape, box.width, styles, scale) <= box.height) return scale;
  return MIN_SCALE;
}

function listShapes(text: string): readonly string[] {
  return text.match(/<p:sp>.*?<\/p:sp>/gs) ?? [];
}

function findStyle(master: string, isTitle: boolean): string {
  return (isTitle ? /<p:titleStyle>.*?<\/p:titleStyle>/s : /<p:bodyStyle>.*?<\/p:bodyStyle>/s).exec(master)?.[0] ?? "";
}

/** Reads the size of a box in points, without the insets. */
function readBox(shape: string | undefined): { readonly width: number; readonly height: number } | null {
  const [, width, height] = /<a:xfrm[^>]*>.*?<a:ext cx="(\d+)" cy="(\d+)"/s.exec(shape ?? "") ?? [];
  if (width === undefined || height === undefined) return null;
  return {
    width: Number(width) / EMU_PER_POINT - INSET_POINTS,
    height: Number(height) / EMU_PER_POINT - INSET_POINTS / 2,
  };
}

function computeHeight(shape: string, width: number, styles: readonly string[], scale: number): number {
  const paragraphs = shape.match(/<a:p>.*?<\/a:p>/gs) ?? [];
  return paragraphs.reduce((sum, paragraph) => {
    const level = Number(/<a:pPr[^>]*\blvl="(\d)"/.exec(paragraph)?.[1] ?? 0);
    const size = readLetterSize(paragraph, level, styles) * scale;
    const room = width - level * 27 - 27;
    const lines = paragraph
      .split(/<a:br\s*\/>/)
      .reduce((count, line) => count + Math.max(1, Math.ceil(estimateWidth(extractText(line), size) / room)), 0);
    return sum + size * (lines * LINE_HEIGHT + PARAGRAPH_GAP);
  }, 0);
}

/** Returns the font size in points: the text's own, otherwise that of its level. */
function readLetterSize(paragraph: string, level: number, styles: readonly string[]): number {
  const own = /<a:rPr[^>]*\bsz="(\d+)"/.exec(paragraph)?.[1];
  if (own !== undefined) return Number(own) / 100;
  for (const style of styles) {
    const found = new RegExp(`<a:lvl${level + 1}pPr.*?<a:defRPr[^>]*?\\bsz="(\\d+)"`, "s").exec(style)?.[1];
    if (found !== undefined) return Number(found) / 100;
  }
  return DEFAULT_SIZE;
}

/** Counts an East Asian letter as wide as its font size. */
function estimateWidth(text: string, size: number): number {
  const wide = text.match(/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/g)?.length ?? 0;
  return (wide + (text.length - wide) * LETTER_WIDTH) * size;
}

function extractText(xml: string): string {
  return [...xml.matchAll(/<a:t>(.*?)<\/a:t>/gs)].map(([, text = ""]) => text.replaceAll(/&\w+;/g, "x")).join("");
}

/** Table cells have no style, so set their font size by the amount of text. */
function fitTables(slide: string): string {
  return slide.replaceAll(/<p:graphicFrame>.*?<\/p:graphicFrame>/gs, (frame) => {
    const rows = frame.match(/<a:tr\b/g)?.length ?? 0;
    const columns = frame.match(/<a:gridCol\b/g)?.length ?? 1;
    const letters = extractText(frame).length;
    const load = rows + letters / (120 / Math.max(1, Math.sqrt(columns)));
    const size = TABLE_SIZES[load <= 14 ? 0 : load <= 22 ? 1 : load <= 34 ? 2 : 3];
    const near = getSmallerPoints(columns) === null ? "" : ` marL="${NARROW_PADDING}" marR="${NARROW_PADDING}"`;
    return frame
      .replaceAll("<a:tcPr", `<a:tcPr${near}`)
      .replaceAll(/<a:rPr(?![^>]*\bsz=)/g, `<a:rPr sz="${size}"`)
      .replaceAll(/<a:p>.*?<\/a:p>/gs, directParagraph);
  });
}
