/** Checks images for a document by their first bytes, regardless of their name, and by their decoded size. */

/** An office program needs four bytes of memory per pixel. */
const MAX_PIXELS = 50_000_000;
const MAX_SIDE = 20_000;

export type ImageVerdict =
  | { readonly ok: true; readonly extension: "png" | "jpg" | "gif"; readonly width: number; readonly height: number }
  | { readonly ok: false; readonly why: string };

export function judgeImage(bytes: Uint8Array): ImageVerdict {
  const size = readSize(bytes);
  if (size === null) return { ok: false, why: "it is not a PNG, JPEG, GIF or SVG" };
  const { width, height } = size;
  if (width < 1 || height < 1) return { ok: false, why: "it has no pixels" };
  if (width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_PIXELS)
    return { ok: false, why: `it has ${width} by ${height} pixels, which is too large` };
  return { ok: true, ...size };
}

function readSize(bytes: Uint8Array): Omit<Extract<ImageVerdict, { ok: true }>, "ok"> | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) && bytes.length >= 24)
    return { extension: "png", width: view.getUint32(16), height: view.getUint32(20) };
  if (startsWith(bytes, [0x47, 0x49, 0x46, 0x38]) && bytes.length >= 10)
    return { extension: "gif", width: view.getUint16(6, true), height: view.getUint16(8, true) };
  return startsWith(bytes, [0xff, 0xd8, 0xff]) ? readJpegSize(view) : null;
}

/** Finds the segment that starts the frame (ITU T.81, B.2.2). */
function readJpegSize(view: DataView): Omit<Extract<ImageVerdict, { ok: true }>, "ok"> | null {
  let at = 2;
  while (at + 9 <= view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { extension: "jpg", height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return null;
}

function startsWith(bytes: Uint8Array, prefix: readonly number[]): boolean {
  return prefix.every((byte, index) => bytes[index] === byte);
}
