/** Finishes a Word document after pandoc wrote it. */
import { changePart, type OfficeParts } from "./office-file.ts";
import { getSmallerPoints } from "./table-widths.ts";

const AUTO_WIDTH = '<w:tblW w:type="auto" w:w="0" />';
/** The full text width, in fiftieths of a percent. */
const FULL_WIDTH = '<w:tblW w:type="pct" w:w="5000" />';
/** Without these attributes LibreOffice adds an eighth of an inch around a picture. */
const NO_DISTANCE = '<wp:inline distT="0" distB="0" distL="0" distR="0">';
/** Word computes the contents when it opens the document; other programs show the stored ones. */
const EMPTY_CONTENTS = '<w:fldChar w:fldCharType="separate" /><w:fldChar w:fldCharType="end" /></w:r>';
const TABLE = /<w:tbl>.*?<\/w:tbl>/gs;
const HEADING = /<w:pStyle w:val="Heading([123])" \/>.*?<\/w:p>/gs;

export function finishDocx(parts: OfficeParts): void {
  changePart(parts, "word/document.xml", (text) =>
    text
      .replaceAll(AUTO_WIDTH, FULL_WIDTH)
      .replaceAll(TABLE, fitTable)
      .replaceAll("<wp:inline>", NO_DISTANCE)
      .replace(EMPTY_CONTENTS, () => buildContents(text)),
  );
}

/** Reduces letters and cell margins in a table of many columns. Sizes are half points, spaces twentieths of a point. */
function fitTable(table: string): string {
  const points = getSmallerPoints(table.match(/<w:gridCol\b/g)?.length ?? 0);
  if (points === null) return table;
  const size = `<w:sz w:val="${points * 2}"/><w:szCs w:val="${points * 2}"/>`;
  const side = (name: string) => `<w:${name} w:w="${points * 7}" w:type="dxa"/>`;
  return table
    .replace("<w:tblLook", `<w:tblCellMar>${side("left")}${side("right")}</w:tblCellMar><w:tblLook`)
    .replaceAll(
      /<w:r>(\s*<w:rPr>(?:(?!<w:(?:sz|u|vertAlign|lang)\b|<\/w:rPr>).)*)?/gs,
      (_run, properties: string | undefined) =>
        properties === undefined ? `<w:r><w:rPr>${size}</w:rPr>` : `<w:r>${properties}${size}`,
    );
}

function buildContents(text: string): string {
  const lines = [...text.matchAll(HEADING)].map(([paragraph, level = "1"]) => {
    const words = [...paragraph.matchAll(/<w:t(?: [^>]*)?>(.*?)<\/w:t>/gs)].map(([, word = ""]) => word).join("");
    return `<w:r><w:t xml:space="preserve">${"\u00a0".repeat(4 * (Number(level) - 1))}${words}</w:t></w:r>`;
  });
  const content = lines.join("<w:r><w:br/></w:r>");
  return `<w:fldChar w:fldCharType="separate" /></w:r>${content}<w:r><w:fldChar w:fldCharType="end" /></w:r>`;
}
