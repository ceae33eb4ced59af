/** Writes valid and invalid zip archives for tests. */
import { crc32, deflateRawSync } from "node:zlib";

/** A part. Other fields replace true values in the directory. */
export interface ZipPart {
  readonly name: string;
  readonly bytes: Uint8Array | string;
  readonly claimedSize?: number;
  readonly flags?: number;
  readonly method?: number;
  /** The stated offset of its header. No bytes are written for it. */
  readonly offset?: number;
}

export function makeZip(parts: readonly ZipPart[]): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes, claimedSize, flags = 0, method = 8, offset: claimedOffset } of parts) {
    const data = Buffer.from(bytes);
    const packed = method === 8 ? deflateRawSync(data) : data;
    const title = Buffer.from(name);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(flags, 2);
    fields.writeUInt16LE(method, 4);
    fields.writeUInt32LE(crc32(data), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(claimedSize ?? data.length, 18);
    fields.writeUInt16LE(title.length, 22);
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), fields, title, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(claimedOffset ?? offset, 10);
    central.push(Buffer.concat([Buffer.from("PK\u0001\u0002"), Buffer.from([20, 0]), fields, rest, title]));
    if (claimedOffset !== undefined) continue;
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(parts.length, 4);
  end.writeUInt16LE(parts.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, directory, Buffer.from("PK\u0005\u0006"), end]);
}

/** Creates the parts of a DOCX with this body. */
export function docxParts(body: string, prolog = ""): ZipPart[] {
  const main = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument";
  return [
    {
      name: "[Content_Types].xml",
      bytes:
        '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    },
    {
      name: "_rels/.rels",
      bytes: `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${office}" Target="word/document.xml"/></Relationships>`,
    },
    {
      name: "word/document.xml",
      bytes: `<?xml version="1.0"?>${prolog}<w:document xmlns:w="${main}"><w:body>${body}</w:body></w:document>`,
    },
  ];
}

export function paragraph(text: string): string {
  return `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
}
