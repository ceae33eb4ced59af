/** Creates minimal picture and PDF files that a browser can display. */
import { crc32, deflateSync } from "node:zlib";

/** A PNG image of 40 × 24 pixels. */
export const PNG = makePng(40, 24);

function makePng(width: number, height: number): Buffer {
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, 0x80)]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits per red, green and blue.
  header.set([8, 2, 0, 0, 0], 8);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** Creates a PDF with a line of text on each page, and a script that runs on opening in viewers with scripts. */
export function makePdf(lines: readonly string[]): Buffer {
  return makePdfPages(lines.map((line) => `BT /F1 24 Tf 60 500 Td (${line}) Tj ET`));
}

/**
 * Creates a PDF whose page is half a black scan (CCITT group 4) and has the two characters of "Japan" in a predefined font and
 * encoding.
 */
export function makeScannedPdf(): Buffer {
  return makePdfPages(["BT /F2 24 Tf 60 500 Td <93FA967B> Tj ET q 420 0 0 300 0 0 cm /Scan Do Q"]);
}

/** A row of eight black pixels, which each further row repeats. */
const BLACK_ROWS = `001${"00110101"}${"000101"}${"11".repeat(7)}`;

function makePdfPages(contents: readonly string[]): Buffer {
  const scan = Buffer.from((BLACK_ROWS.padEnd(32, "0").match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const resources = "<< /Font << /F1 3 0 R /F2 4 0 R >> /XObject << /Scan 6 0 R >> >>";
  const kids = contents.map((_, index) => `${7 + 2 * index} 0 R`);
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (app.alert(1)) >> >>",
    `<< /Type /Pages /Kids [${kids.join(" ")}] /Count ${kids.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    "<< /Type /Font /Subtype /Type0 /BaseFont /HeiseiMin-W3 /Encoding /90ms-RKSJ-H /DescendantFonts [5 0 R] >>",
    "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HeiseiMin-W3 /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /FontDescriptor << /Type /FontDescriptor /FontName /HeiseiMin-W3 /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 800 /Descent 0 /CapHeight 700 /StemV 80 >> >>",
    `<< /Type /XObject /Subtype /Image /Width 8 /Height 8 /BitsPerComponent 1 /ColorSpace /DeviceGray /Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns 8 /Rows 8 /EndOfBlock false >> /Length ${scan.length} >>\nstream\n${scan.toString("latin1")}\nendstream`,
    ...contents.flatMap((content, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 420 595] /Resources ${resources} /Contents ${8 + 2 * index} 0 R >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]),
  ];
  let text = "%PDF-1.4\n";
  const starts = objects.map((object, index) => {
    const start = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(start).padStart(10, "0")} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${starts.join("")}`;
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return Buffer.from(text + table + trailer, "latin1");
}
