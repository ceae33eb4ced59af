import { expect, it } from "vitest";
import { boundMemory } from "../../../sidecar/documents/children/wasm-memory.ts";

const HEADER = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const EXPORT = [7, 5, 1, 1, 0x6d, 2, 0];

interface Memory {
  grow(pages: number): number;
  readonly buffer: ArrayBuffer;
}
interface Engine {
  instantiate(bytes: Uint8Array): Promise<{ readonly instance: { readonly exports: { readonly m: Memory } } }>;
}
const { WebAssembly: engine } = globalThis as unknown as { readonly WebAssembly: Engine };

it.each([
  ["without a maximum", [5, 3, 1, 0, 1]],
  ["with a larger one", [5, 5, 1, 1, 1, 0xff, 0x01]],
])("limits the memory of a module %s", async (_what, memory) => {
  const module = Uint8Array.from([...HEADER, ...memory, ...EXPORT]);
  const { instance } = await engine.instantiate(boundMemory(module, 130));
  expect(instance.exports.m.grow(129)).toBe(1);
  expect(instance.exports.m.buffer.byteLength).toBe(130 * 65_536);
  expect(() => instance.exports.m.grow(1)).toThrow(RangeError);
});

it("refuses a module without a memory or with a shared one", () => {
  expect(() => boundMemory(Uint8Array.from(HEADER), 10)).toThrow("no section 5");
  expect(() => boundMemory(Uint8Array.from([...HEADER, 5, 4, 1, 3, 1, 2]), 10)).toThrow("exactly one unshared memory");
});
