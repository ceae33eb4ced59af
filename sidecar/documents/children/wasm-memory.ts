/** Sets the memory limit of a WebAssembly module (https://webassembly.github.io/spec/core/binary/modules.html). */

const MEMORY_SECTION = 5;
const HEADER_BYTES = 8;

/** Returns the module with a maximum of `maxPages` of 64 KiB. Throws unless it has exactly one unshared memory. */
export function boundMemory(module: Uint8Array, maxPages: number): Uint8Array {
  const section = findSection(module, MEMORY_SECTION);
  const count = readNumber(module, section.start);
  const flags = module[count.end] ?? 0;
  if (count.value !== 1 || flags > 1) throw new Error("the module must have exactly one unshared memory");
  const minimum = readNumber(module, count.end + 1);
  const body = [1, 1, ...encodeNumber(minimum.value), ...encodeNumber(maxPages)];
  const bounded = Uint8Array.from([MEMORY_SECTION, ...encodeNumber(body.length), ...body]);
  return Buffer.concat([module.subarray(0, section.at), bounded, module.subarray(section.end)]);
}

interface Section {
  /** Positions of its id, its contents and the next section. */
  readonly at: number;
  readonly start: number;
  readonly end: number;
}

function findSection(module: Uint8Array, id: number): Section {
  for (let at = HEADER_BYTES; at < module.length; ) {
    const size = readNumber(module, at + 1);
    const end = size.end + size.value;
    if (module[at] === id) return { at, start: size.end, end };
    at = end;
  }
  throw new Error(`the module has no section ${id}`);
}

/** Reads an unsigned LEB128 number. */
function readNumber(bytes: Uint8Array, at: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let end = at, scale = 1; end < bytes.length; end += 1, scale *= 128) {
    const byte = bytes[end] ?? 0;
    value += (byte & 127) * scale;
    if (byte < 128) return { value, end: end + 1 };
  }
  throw new Error("the module is truncated");
}

function encodeNumber(value: number): number[] {
  const low = value % 128;
  return value < 128 ? [low] : [low + 128, ...encodeNumber(Math.floor(value / 128))];
}
