/** Presentations (ECMA-376, part 1, 19) as Markdown, slide by slide: titles, lists, tables, links, pictures, notes. */
import { allBelow, childOf, type Element, Parts, type Relation } from "./parts.ts";
import { pipeTable } from "./pipe-table.ts";
import { NotReadable } from "./not-readable.ts";
import type { ReadPart } from "./read-question.ts";

type Relations = ReadonlyMap<string, Relation>;

const MAIN = "ppt/presentation.xml";
const MAX_SLIDES = 2_000;
const TITLES = new Set(["title", "ctrTitle"]);
/** What the design puts on every slide. */
const FURNITURE = new Set(["dt", "ftr", "sldNum", "hdr", "sldImg"]);

export async function readPptx(bytes: Uint8Array): Promise<ReadPart> {
  const parts = new Parts(bytes);
  const relations = await parts.relations(MAIN);
  const ids = allBelow(childOf(await parts.tree(MAIN), "sldIdLst"), "sldId");
  const slides = ids.flatMap(({ attributes }) => {
    const target = relations.get(attributes["r:id"] ?? "");
    return target === undefined || !parts.has(target.target) ? [] : [target.target];
  });
  if (slides.length === 0)
    throw new NotReadable("The document is damaged: the presentation has no slides that can be read.");
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
  const relations = await parts.relations(path);
  const tree = await parts.tree(path);
  const shapes = shapesOf(childOf(childOf(tree, "cSld"), "spTree"));
  const title = shapes.find((shape) => TITLES.has(placeholderOf(shape) ?? ""));
  const titleText = title === undefined ? "" : plainText(title, relations);
  const hidden = tree?.attributes["show"] === "0" ? " (hidden)" : "";
  const heading = `## Slide ${number}${hidden}${titleText === "" ? "" : `: ${titleText}`}`;
  const blocks = shapes.filter((shape) => shape !== title).map((shape) => shapeText(shape, relations));
  const notes = await notesOf(parts, relations);
  return [heading, ...blocks, notes].filter((block) => block !== "").join("\n\n");
}

/** Those of groups too, in their order. */
function shapesOf(tree: Element | null): Element[] {
  return (tree?.children ?? []).flatMap((child) => {
    if (child.name === "grpSp") return shapesOf(child);
    // What newer programs draw stands beside what older ones draw.
    if (child.name === "AlternateContent") return shapesOf(childOf(child, "Choice") ?? childOf(child, "Fallback"));
    return ["sp", "pic", "graphicFrame"].includes(child.name) ? [child] : [];
  });
}

/** The kind of placeholder; null: the shape is none. */
function placeholderOf(shape: Element): string | null {
  const ph = allBelow(childOf(shape, "nvSpPr"), "ph")[0];
  return ph === undefined ? null : (ph.attributes["type"] ?? "obj");
}

function shapeText(shape: Element, relations: Relations): string {
  if (shape.name === "pic") return pictureText(shape, relations);
  if (shape.name === "graphicFrame") return frameText(shape, relations);
  const placeholder = placeholderOf(shape);
  if (placeholder !== null && FURNITURE.has(placeholder)) return "";
  const isList = placeholder === "body" || placeholder === "obj";
  return paragraphsText(childOf(shape, "txBody"), relations, isList);
}

function pictureText(shape: Element, relations: Relations): string {
  const target = relations.get(allBelow(shape, "blip")[0]?.attributes["r:embed"] ?? "");
  if (target === undefined || target.isOutside) return "";
  const { descr = "", name = "" } = childOf(childOf(shape, "nvPicPr"), "cNvPr")?.attributes ?? {};
  const label = (descr === "" ? name : descr).replaceAll(/[[\]\s]+/g, " ").trim();
  return `![${label}](${target.target})`;
}

function frameText(frame: Element, relations: Relations): string {
  const table = allBelow(frame, "tbl")[0];
  if (table === undefined) {
    const { name = "" } = childOf(childOf(frame, "nvGraphicFramePr"), "cNvPr")?.attributes ?? {};
    return `*(${name === "" ? "a chart or diagram" : name.replaceAll(/[*\s]+/g, " ")})*`;
  }
  const rows = table.children.filter(({ name }) => name === "tr");
  return pipeTable(
    rows.map((row) => row.children.filter(({ name }) => name === "tc").map((cell) => plainText(cell, relations))),
  );
}

/** The paragraphs of a title or a cell. */
function plainText(element: Element, relations: Relations): string {
  const paragraphs = allBelow(childOf(element, "txBody"), "p").map((paragraph) => runsText(paragraph, relations));
  return paragraphs
    .filter((text) => text !== "")
    .join(element.name === "tc" ? "\n" : " ")
    .trim();
}

/** `isList`: a paragraph is an item unless it says that it has no bullet. */
function paragraphsText(body: Element | null, relations: Relations, isList: boolean): string {
  const lines: string[] = [];
  let wasItem = false;
  for (const paragraph of (body?.children ?? []).filter(({ name }) => name === "p")) {
    const text = runsText(paragraph, relations);
    if (text === "") continue;
    const properties = childOf(paragraph, "pPr");
    const isNumbered = childOf(properties, "buAutoNum") !== null;
    const hasBullet = isNumbered || childOf(properties, "buChar") !== null || childOf(properties, "buBlip") !== null;
    const isItem = hasBullet || (isList && childOf(properties, "buNone") === null);
    const level = Math.min(Number(properties?.attributes["lvl"] ?? 0) || 0, 8);
    if (lines.length > 0) lines.push(isItem && wasItem ? "\n" : "\n\n");
    lines.push(isItem ? `${"   ".repeat(level)}${isNumbered ? "1." : "-"} ${text}` : text);
    wasItem = isItem;
  }
  return lines.join("");
}

function runsText(paragraph: Element, relations: Relations): string {
  return paragraph.children
    .map((run) => runText(run, relations))
    .join("")
    .trim();
}

function runText(run: Element, relations: Relations): string {
  if (run.name === "br") return " ";
  if (run.name !== "r" && run.name !== "fld") return "";
  const text = childOf(run, "t")?.text ?? "";
  const target = relations.get(childOf(childOf(run, "rPr"), "hlinkClick")?.attributes["r:id"] ?? "");
  const isLink = target?.isOutside === true && text.trim() !== "";
  return isLink ? `[${text}](${target.target.replaceAll(/[\s()<>]/g, encodeURIComponent)})` : text;
}

async function notesOf(parts: Parts, relations: Relations): Promise<string> {
  const target = [...relations.values()].find(({ type }) => type === "notesSlide")?.target;
  if (target === undefined) return "";
  const shapes = shapesOf(childOf(childOf(await parts.tree(target), "cSld"), "spTree"));
  const own = await parts.relations(target);
  const texts = shapes
    .filter((shape) => placeholderOf(shape) === "body")
    .map((shape) => paragraphsText(childOf(shape, "txBody"), own, false));
  const text = texts.filter((one) => one !== "").join("\n\n");
  return text === "" ? "" : `**Notes:** ${text}`;
}
