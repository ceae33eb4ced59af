/** What a Word document gets after pandoc wrote it. */
import { changePart, type OfficeParts } from "./office-file.ts";

const OWN_WIDTH = '<w:tblW w:type="auto" w:w="0" />';
/** As wide as the text, in fiftieths of a percent. */
const WHOLE_WIDTH = '<w:tblW w:type="pct" w:w="5000" />';
/** Where nothing is said, LibreOffice keeps an eighth of an inch around a picture. */
const NO_DISTANCE = '<wp:inline distT="0" distB="0" distL="0" distR="0">';
/** Word computes the contents when it opens the document; this is what others show. */
const EMPTY_CONTENTS = '<w:fldChar w:fldCharType="separate" /><w:fldChar w:fldCharType="end" /></w:r>';
const HEADING = /<w:pStyle w:val="Heading([123])" \/>.*?<\/w:p>/gs;

export function finishDocx(parts: OfficeParts): void {
  changePart(parts, "word/document.xml", (text) =>
    text
      .replaceAll(OWN_WIDTH, WHOLE_WIDTH)
      .replaceAll("<wp:inline>", NO_DISTANCE)
      .replace(EMPTY_CONTENTS, () => contentsOf(text)),
  );
}

function contentsOf(text: string): string {
  const lines = [...text.matchAll(HEADING)].map(([paragraph, level = "1"]) => {
    const words = [...paragraph.matchAll(/<w:t(?: [^>]*)?>(.*?)<\/w:t>/gs)].map(([, word = ""]) => word).join("");
    return `<w:r><w:t xml:space="preserve">${"\u00a0".repeat(4 * (Number(level) - 1))}${words}</w:t></w:r>`;
  });
  const shown = lines.join("<w:r><w:br/></w:r>");
  return `<w:fldChar w:fldCharType="separate" /></w:r>${shown}<w:r><w:fldChar w:fldCharType="end" /></w:r>`;
}
