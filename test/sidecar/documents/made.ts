/** Makes documents with the engines themselves, and pictures for them. */
import { crc32, deflateSync } from "node:zlib";
import { expect } from "vitest";
import type { DocumentToMake } from "../../../core/documents/make.ts";
import type { Result } from "../../../core/base/errors.ts";
import { openEngines } from "../../../sidecar/documents/make/engines.ts";
import {
  type Engines,
  type Made,
  makeDocument,
  type MakeOrder,
} from "../../../sidecar/documents/make/make-document.ts";
import { makePandocPool } from "../../../sidecar/documents/pandoc.ts";

export const NOW = Date.UTC(2026, 10, 21, 12, 34, 56);

export interface Workshop {
  readonly engines: Engines;
  make(document: DocumentToMake, more?: Partial<MakeOrder>): Promise<Result<Made>>;
  /** The document, which must be made. */
  made(document: DocumentToMake, more?: Partial<MakeOrder>): Promise<Made>;
  close(): void;
}

export function openWorkshop(): Workshop {
  const pandoc = makePandocPool();
  const engines = openEngines(pandoc.convert);
  const make = async (document: DocumentToMake, more: Partial<MakeOrder> = {}) => {
    const signal = new AbortController().signal;
    return await makeDocument({ document, images: new Map(), template: null, nowMs: NOW, signal, ...more }, engines);
  };
  return {
    engines,
    make,
    async made(document, more) {
      const result = await make(document, more);
      if (!result.ok) expect.fail(result.error.message);
      return result.value;
    },
    close() {
      pandoc.close();
      engines.close();
    },
  };
}

/** A PNG of one colour. */
export function png(width: number, height: number): Uint8Array {
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, 0x70)]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const rows = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  const mark = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([mark, chunk("IHDR", header), chunk("IDAT", rows), chunk("IEND", Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
