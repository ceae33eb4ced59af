import { expect, it } from "vitest";
import { toStream } from "../../../core/base/byte-stream.ts";

it.each([0, 1, 1_048_576, 1_048_577, 3_000_000])(
  "%i bytes are streamed in parts that share their memory",
  async (size) => {
    const bytes = new Uint8Array(size).map((_, at) => at % 251);
    const parts: Uint8Array[] = [];
    for await (const part of toStream(bytes)) parts.push(part);
    expect(Buffer.concat(parts).equals(bytes)).toBe(true);
    for (const part of parts) {
      expect(part.buffer).toBe(bytes.buffer);
      expect(part.length).toBeLessThanOrEqual(1_048_576);
      expect(part.length).toBeGreaterThan(0);
    }
  },
);
