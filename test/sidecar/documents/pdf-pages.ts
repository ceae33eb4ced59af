/** Writes PDFs of many pages. */

/** A PDF that draws one text on each page, `more` lines of it below the first. */
export function makePdf(texts: readonly string[]): Buffer {
  const first = 4;
  const kids = texts.map((_, index) => `${first + index * 2} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${texts.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...texts.flatMap((text, index) => {
      const drawing = `BT /F1 11 Tf 14 TL 50 740 Td (${text}) Tj ET`;
      const contents = `/Contents ${first + index * 2 + 1} 0 R`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] ${contents} /Resources << /Font << /F1 3 0 R >> >> >>`,
        `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
      ];
    }),
  ];
  const parts = ["%PDF-1.4\n"];
  let length = parts[0]?.length ?? 0;
  const places = objects.map((object, index) => {
    const place = `${length}`.padStart(10, "0");
    const part = `${index + 1} 0 obj\n${object}\nendobj\n`;
    parts.push(part);
    length += part.length;
    return `${place} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join("")}`;
  parts.push(`${table}trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF\n`);
  return Buffer.from(parts.join(""));
}
