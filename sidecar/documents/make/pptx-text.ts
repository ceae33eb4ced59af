/** Reads the text of a presentation's shapes and estimates its height, since nothing here lays it out. */

const EMU_PER_POINT = 12_700;
/** Average width of a letter, height of a line and gap of a paragraph, relative to the font size. */
const LETTER_WIDTH = 0.5;
const LINE_HEIGHT = 1.2;
const PARAGRAPH_GAP = 0.35;
/** Sum of both insets of a box. */
const INSET_POINTS = 14.4;
const DEFAULT_SIZE = 18;

/** The XML of a slide's layout and of its master. */
export interface Layout {
  readonly layout: string;
  readonly master: string;
}

/** The box of a shape in points, without the insets, and the styles of its text, in the order of precedence. */
export interface TextBox {
  readonly width: number;
  readonly height: number;
  readonly styles: readonly string[];
}

/** Null for a shape without a placeholder, or if its size is unknown. */
export function findTextBox(shape: string, { layout, master }: Layout): TextBox | null {
  const placeholder = /<p:ph\b[^>]*>/.exec(shape)?.[0];
  if (placeholder === undefined) return null;
  const index = /idx="(\d+)"/.exec(placeholder)?.[1];
  const isTitle = isTitleShape(shape);
  const own = listShapes(layout).find((one) =>
    isTitle ? isTitleShape(one) : new RegExp(`<p:ph\\b[^>]*idx="${index}"`).test(one),
  );
  const general = listShapes(master).find((one) => (isTitle ? /type="title"/ : /type="body"/).test(one));
  const box = readBox(shape) ?? readBox(own) ?? readBox(general);
  return box === null ? null : { ...box, styles: [own ?? "", findStyle(master, isTitle)] };
}

export function isTitleShape(shape: string): boolean {
  return /<p:ph\b[^>]*type="(?:title|ctrTitle)"/.test(shape);
}

export function listShapes(text: string): readonly string[] {
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

/** Estimates the height of a shape's text in points. */
export function computeHeight(shape: string, { width, styles }: TextBox, scale: number): number {
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
export function readLetterSize(paragraph: string, level: number, styles: readonly string[]): number {
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

export function extractText(xml: string): string {
  return [...xml.matchAll(/<a:t>(.*?)<\/a:t>/gs)].map(([, text = ""]) => text.replaceAll(/&\w+;/g, "x")).join("");
}
