/** Reads presentations (ECMA-376, part 1, 19) as Markdown, slide by slide: titles, lists, tables, links, pictures, notes. */
import { findAll, findChild, type Element, Parts, type Relation } from "./parts.ts";
import { formatPipeTable } from "./pipe-table.ts";
import { NotReadable } from "./not-readable.ts";
import type { ReadPart } from "./read-question.ts";

type Relations = ReadonlyMap<string, Relation>;

const MAIN = "ppt/presentation.xml";
const MAX_SLIDES = 2_000;
const TITLES = new Set(["title", "ctrTitle"]);
/** Placeholders that the design repeats on every slide. */
const DESIGN_PLACEHOLDERS = new Set(["dt", "ftr", "sldNum", "hdr", "sldImg"]);

export async function readPptx(bytes: Uint8Array): Promise<ReadPart> {
  const parts = new Parts(bytes);
  const relations = await parts.readRelations(MAIN);
  const ids = findAll(findChild(await parts.readTree(MAIN), "sldIdLst"), "sldId");
  const slides = ids.flatMap(({ attributes }) => {
    const target = relations.get(attributes["r:id"] ?? "");
    return target === undefined || !parts.has(target.target) ? [] : [target.target];
  });
  if (slides.length === 0) throw new NotReadable("The document is damaged: the presentation has no readable slide.");
  const texts: string[] = [];
  for (const [index, path] of slides.slice(0, MAX_SLIDES).entries())
    texts.push(await readSlide(parts, path, index + 1));
  const isCut = slides.length > MAX_SLIDES;
  return {
    markdown: texts.join("\n\n"),
    units: { name: "slides", total: slides.length, read: texts.length },
    warnings: isCut ? [`Only the first ${MAX_SLIDES} slides were read.`] : [],
  };
}

async function readSlide(parts: Parts, path: string, number: number): Promise<string> {
  const relations = await parts.readRelations(path);
  const tree = await parts.readTree(path);
  const shapes = listShapes(findChild(findChild(tree, "cSld"), "spTree"));
  const title = shapes.find((shape) => TITLES.has(getPlaceholder(shape) ?? ""));
  const titleText = title === undefined ? "" : formatPlain(title, relations);
  const hidden = tree?.attributes["show"] === "0" ? " (hidden)" : "";
  const heading = `## Slide ${number}${hidden}${titleText === "" ? "" : `: ${titleText}`}`;
  const blocks = shapes.filter((shape) => shape !== title).map((shape) => formatShape(shape, relations));
  const notes = await readNotes(parts, relations);
  return [heading, ...blocks, notes].filter((block) => block !== "").join("\n\n");
}

/** Lists shapes in order, including those of groups. */
function listShapes(tree: Element | null): Element[] {
  return (tree?.children ?? []).flatMap((child) => {
    if (child.name === "grpSp") return listShapes(child);
    // `Choice` is for newer programs, `Fallback` for older ones.
    if (child.name === "AlternateContent")
      return listShapes(findChild(child, "Choice") ?? findChild(child, "Fallback"));
    return ["sp", "pic", "graphicFrame"].includes(child.name) ? [child] : [];
  });
}

/** Returns the kind of placeholder. Null if the shape is not one. */
function getPlaceholder(shape: Element): string | null {
  const ph = findAll(findChild(shape, "nvSpPr"), "ph")[0];
  return ph === undefined ? null : (ph.attributes["type"] ?? "obj");
}

function formatShape(shape: Element, relations: Relations): string {
  if (shape.name === "pic") return formatPicture(shape, relations);
  if (shape.name === "graphicFrame") return formatFrame(shape, relations);
  const placeholder = getPlaceholder(shape);
  if (placeholder !== null && DESIGN_PLACEHOLDERS.has(placeholder)) return "";
  const isList = placeholder === "body" || placeholder === "obj";
  return formatParagraphs(findChild(shape, "txBody"), relations, isList);
}

function formatPicture(shape: Element, relations: Relations): string {
  const target = relations.get(findAll(shape, "blip")[0]?.attributes["r:embed"] ?? "");
  if (target === undefined || target.isOutside) return "";
  const { descr = "", name = "" } = findChild(findChild(shape, "nvPicPr"), "cNvPr")?.attributes ?? {};
  const label = (descr === "" ? name : descr).replaceAll(/[[\]\s]+/g, " ").trim();
  return `![${label}](${target.target})`;
}

function formatFrame(frame: Element, relations: Relations): string {
  const table = findAll(frame, "tbl")[0];
  if (table === undefined) {
    const { name = "" } = findChild(findChild(frame, "nvGraphicFramePr"), "cNvPr")?.attributes ?? {};
    return `*(${name === "" ? "a chart or diagram" : name.replaceAll(/[*\s]+/g, " ")})*`;
  }
  const rows = table.children.filter(({ name }) => name === "tr");
  return formatPipeTable(
    rows.map((row) => row.children.filter(({ name }) => name === "tc").map((cell) => formatPlain(cell, relations))),
  );
}

/** Formats the paragraphs of a title or a cell. */
function formatPlain(element: Element, relations: Relations): string {
  const paragraphs = findAll(findChild(element, "txBody"), "p").map((paragraph) => formatRuns(paragraph, relations));
  return paragraphs
    .filter((text) => text !== "")
    .join(element.name === "tc" ? "\n" : " ")
    .trim();
}

/** With `isList`, paragraphs are items unless they declare no bullet. */
function formatParagraphs(body: Element | null, relations: Relations, isList: boolean): string {
  const lines: string[] = [];
  let wasItem = false;
  for (const paragraph of (body?.children ?? []).filter(({ name }) => name === "p")) {
    const text = formatRuns(paragraph, relations);
    if (text === "") continue;
    const properties = findChild(paragraph, "pPr");
    const isNumbered = findChild(properties, "buAutoNum") !== null;
    const hasBullet =
      isNumbered || findChild(properties, "buChar") !== null || findChild(properties, "buBlip") !== null;
    const isItem = hasBullet || (isList && findChild(properties, "buNone") === null);
    const level = Math.min(Number(properties?.attributes["lvl"] ?? 0) || 0, 8);
    if (lines.length > 0) lines.push(isItem && wasItem ? "\n" : "\n\n");
    lines.push(isItem ? `${"   ".repeat(level)}${isNumbered ? "1." : "-"} ${text}` : text);
    wasItem = isItem;
  }
  return lines.join("");
}

function formatRuns(paragraph: Element, relations: Relations): string {
  return paragraph.children
    .map((run) => formatRun(run, relations))
    .join("")
    .trim();
}

function formatRun(run: Element, relations: Relations): string {
  if (run.name === "br") return " ";
  if (run.name !== "r" && run.name !== "fld") return "";
  const text = findChild(run, "t")?.text ?? "";
  const target = relations.get(findChild(findChild(run, "rPr"), "hlinkClick")?.attributes["r:id"] ?? "");
  const isLink = target?.isOutside === true && text.trim() !== "";
  return isLink ? `[${text}](${target.target.replaceAll(/[\s()<>]/g, encodeURIComponent)})` : text;
}

async function readNotes(parts: Parts, relations: Relations): Promise<string> {
  const target = [...relations.values()].find(({ type }) => type === "notesSlide")?.target;
  if (target === undefined) return "";
  const shapes = listShapes(findChild(findChild(await parts.readTree(target), "cSld"), "spTree"));
  const own = await parts.readRelations(target);
  const texts = shapes
    .filter((shape) => getPlaceholder(shape) === "body")
    .map((shape) => formatParagraphs(findChild(shape, "txBody"), own, false));
  const text = texts.filter((one) => one !== "").join("\n\n");
  return text === "" ? "" : `**Notes:** ${text}`;
}
