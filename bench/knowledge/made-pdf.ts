/** Writes a PDF with pages of plain text, which differ from each other. */

const LINES = 45;
const WORDS_OF_A_LINE = 12;
const [LEFT, TOP, LEADING] = [56, 780, 16];
/** Objects before the first page: catalogue, pages and font. */
const FIRST_PAGE = 4;

/** `nextWord`: gives the words of the text, of Latin letters and digits. */
export function makePdf(pages: number, nextWord: () => string): Uint8Array<ArrayBuffer> {
  const kids = Array.from({ length: pages }, (_, page) => `${FIRST_PAGE + 2 * page} 0 R`);
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages} /Kids [${kids.join(" ")}] /MediaBox [0 0 595 842] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  for (let page = 0; page < pages; page += 1) {
    const lines = Array.from(
      { length: LINES },
      () => `(${Array.from({ length: WORDS_OF_A_LINE }, nextWord).join(" ")}) Tj T*`,
    );
    const content = `BT /F1 10 Tf ${LEADING} TL ${LEFT} ${TOP} Td\n${lines.join("\n")}\nET`;
    objects.push(
      `<< /Type /Page /Parent 2 0 R /Contents ${FIRST_PAGE + 2 * page + 1} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    );
  }
  return new TextEncoder().encode(joinObjects(objects));
}

/** All characters have one byte, so lengths are offsets. */
function joinObjects(objects: readonly string[]): string {
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const at = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, "0")} 00000 n \n`;
  });
  const size = objects.length + 1;
  return `${text}xref\n0 ${size}\n0000000000 65535 f \n${offsets.join("")}trailer << /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
}
