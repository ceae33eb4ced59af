/**
 * Uses the room of slides with little text: it grows, and a single statement moves to the middle. Only for Otto's own style, since a
 * template decides its sizes.
 */
import {
  computeHeight,
  extractText,
  findTextBox,
  isTitleShape,
  type Layout,
  listShapes,
  readLetterSize,
} from "./pptx-text.ts";

const LEVELS = [0, 1, 2, 3];
const LIST_SCALES = [1.35, 1.2];
const STATEMENT_SCALES = [1.7, 1.5, 1.3];
/** Share of the box that grown text may fill. */
const MAX_FILLED = 0.7;
const MAX_STATEMENT_CHARACTERS = 200;
/** The dark layouts have sizes of their own. */
const DARK_LAYOUTS = /<p:cSld name="(?:Title Slide|Section Header)"/;

/** Sets larger sizes in the only text of a slide. */
export function growText(slide: string, layout: Layout): string {
  const bodies = listShapes(slide).filter((shape) => !isTitleShape(shape));
  const [body] = bodies;
  const isAlone = bodies.length === 1 && !/<p:pic>|<p:graphicFrame>/.test(slide) && !DARK_LAYOUTS.test(layout.layout);
  if (body === undefined || !isAlone || /<a:rPr[^>]*\bsz="|<a:normAutofit fontScale/.test(body)) return slide;
  const box = findTextBox(body, layout);
  if (box === null) return slide;
  const isOne = isStatement(body);
  const scales = isOne ? STATEMENT_SCALES : LIST_SCALES;
  const scale = scales.find((one) => computeHeight(body, box, one) <= box.height * MAX_FILLED) ?? 1;
  const anchored = isOne ? body.replace(/<a:bodyPr\s*\/>/, '<a:bodyPr anchor="ctr"/>') : body;
  return slide.replace(body, () => (scale === 1 ? anchored : setSizes(anchored, box.styles, scale)));
}

function isStatement(body: string): boolean {
  const paragraphs = body.match(/<a:p>.*?<\/a:p>/gs) ?? [];
  const isBulleted = !/<a:buNone\s*\/>/.test(body);
  return paragraphs.length === 1 && !isBulleted && extractText(body).length <= MAX_STATEMENT_CHARACTERS;
}

function setSizes(body: string, styles: readonly string[], scale: number): string {
  const levels = LEVELS.map((level) => {
    const size = Math.round(readLetterSize("", level, styles) * scale) * 100;
    return `<a:lvl${level + 1}pPr><a:defRPr sz="${size}"/></a:lvl${level + 1}pPr>`;
  });
  return body.replace(/<a:lstStyle\s*\/>/, `<a:lstStyle>${levels.join("")}</a:lstStyle>`);
}

/** Hides the rule below the title on a slide without a title. */
export function hideEmptyTitle(slide: string): string {
  const title = listShapes(slide).find(isTitleShape);
  if (title !== undefined && extractText(title).trim() !== "") return slide;
  return slide.replace(/<p:sld(?=[ >])(?![^>]*showMasterSp)/, '<p:sld showMasterSp="0"');
}
