/**
 * Shrinks the text of a presentation to fit its boxes, since pandoc ignores its length. Estimates the height from the number of letters
 * and sets PowerPoint's own scaling (`normAutofit`, ECMA-376 21.1.2.1.3). Also sets the direction of paragraphs that begin in a
 * right-to-left script.
 */
import { strFromU8 } from "fflate";
import { isRightToLeft } from "./clean-ast.ts";
import { changePart, type OfficeParts } from "./office-file.ts";
import { computeHeight, extractText, findTextBox, type Layout } from "./pptx-text.ts";
import { growText, hideEmptyTitle } from "./pptx-grow.ts";
import { getSmallerPoints } from "./table-widths.ts";

const MIN_SCALE = 0.4;
const SCALE_STEP = 0.025;
/** Horizontal margin of cells in a table of many columns, in EMU. */
const NARROW_PADDING = 36_000;
const TABLE_SIZES = [1400, 1200, 1000, 900] as const;
/** A table of few cells fills more of its slide. */
const SMALL_TABLE_LOAD = 8;
const SMALL_TABLE_SIZE = 1800;
const SMALL_TABLE_ROW = 457_200;

/** With `isOwnStyle`, short text also grows, and a single statement moves to the middle. */
export function fitPptx(parts: OfficeParts, isOwnStyle: boolean): void {
  for (const name of parts.keys()) {
    const number = /^ppt\/slides\/slide(\d+)\.xml$/.exec(name)?.[1];
    if (number === undefined) continue;
    const layout = readLayout(parts, number);
    changePart(parts, name, (text) => {
      const fitted = fitTables(fitShapes(text, layout), isOwnStyle);
      return isOwnStyle ? hideEmptyTitle(growText(fitted, layout)) : fitted;
    });
  }
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
function computeScale(shape: string, layout: Layout): number {
  const box = findTextBox(shape, layout);
  if (box === null) return 1;
  for (let scale = 1; scale > MIN_SCALE; scale -= SCALE_STEP)
    if (computeHeight(shape, box, scale) <= box.height) return scale;
  return MIN_SCALE;
}

/** Table cells have no style, so set their font size by the amount of text. */
function fitTables(slide: string, isOwnStyle: boolean): string {
  return slide.replaceAll(/<p:graphicFrame>.*?<\/p:graphicFrame>/gs, (frame) => {
    const rows = frame.match(/<a:tr\b/g)?.length ?? 0;
    const columns = frame.match(/<a:gridCol\b/g)?.length ?? 1;
    const letters = extractText(frame).length;
    const load = rows + letters / (120 / Math.max(1, Math.sqrt(columns)));
    const isSmall = isOwnStyle && load <= SMALL_TABLE_LOAD;
    const size = isSmall ? SMALL_TABLE_SIZE : TABLE_SIZES[load <= 14 ? 0 : load <= 22 ? 1 : load <= 34 ? 2 : 3];
    const near = getSmallerPoints(columns) === null ? "" : ` marL="${NARROW_PADDING}" marR="${NARROW_PADDING}"`;
    const spaced = isSmall ? frame.replaceAll(/<a:tr h="\d+"/g, `<a:tr h="${SMALL_TABLE_ROW}"`) : frame;
    return spaced
      .replaceAll("<a:tcPr", `<a:tcPr${near}`)
      .replaceAll(/<a:rPr(?![^>]*\bsz=)/g, `<a:rPr sz="${size}"`)
      .replaceAll(/<a:p>.*?<\/a:p>/gs, directParagraph);
  });
}
