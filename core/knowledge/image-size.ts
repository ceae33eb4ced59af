/** The width and height of a picture in pixels, from its first bytes. */

export interface ImageSize {
  readonly width: number | null;
  readonly height: number | null;
}

const UNKNOWN: ImageSize = { width: null, height: null };

/** Reads PNG and GIF, whose sizes are at a fixed place, and JPEG; other pictures are unknown. */
export function findImageSize(bytes: Uint8Array): ImageSize {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length >= 24 && view.getUint32(0) === 0x89504e47)
    return { width: view.getUint32(16), height: view.getUint32(20) };
  if (bytes.length >= 10 && view.getUint32(0) === 0x47494638)
    return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  return bytes.length >= 4 && view.getUint16(0) === 0xffd8 ? findJpegSize(view) : UNKNOWN;
}

/** The size is in the first frame, behind segments of any length. */
function findJpegSize(view: DataView): ImageSize {
  for (let at = 2; at + 9 <= view.byteLength; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint16(at);
    if (marker < 0xffc0 || marker > 0xffff) return UNKNOWN;
    const isFrame = marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    if (view.getUint16(at + 2) < 2) return UNKNOWN;
  }
  return UNKNOWN;
}
