/** Redacting a body in memory, which may have 50 MB: in slices, as one search of the whole would. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactBytes } from "../../../adapters/egress/redact-body.ts";
import { createRedactor } from "../../../core/web/redact-secrets.ts";

const SECRET = { name: "TOKEN", value: "canary-4b1d" };
const redactor = createRedactor([SECRET]);
/** Where the first slice ends. */
const SLICE = 524_288;
const WHOLE = Number.MAX_SAFE_INTEGER;

/** A body of dots with the value at these positions. */
function createBody(length: number, places: readonly number[]): Uint8Array {
  const body = new Uint8Array(length).fill(46);
  for (const place of places) body.set(new TextEncoder().encode(SECRET.value), place);
  return body;
}

describe("a body that is redacted in slices", () => {
  it("is as one search of the whole makes it, wherever the values are", async () => {
    const place = fc.integer({ min: -40, max: 40 }).map((by) => SLICE + by);
    const anywhere = fc.integer({ min: 0, max: 1_400_000 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(place, anywhere), { maxLength: 4 }), async (places) => {
        const body = createBody(1_500_000, places);
        expect(Buffer.compare(await redactBytes(body, redactor, WHOLE), redactor.bytes(body))).toBe(0);
      }),
      { numRuns: 10 },
    );
  });

  it("stays the same bytes without a value", async () => {
    const body = createBody(2_000_000, []);
    expect(await redactBytes(body, redactor, WHOLE)).toBe(body);
    expect(await redactBytes(body, createRedactor([]), WHOLE)).toBe(body);
    expect(await redactBytes(new Uint8Array(), redactor, WHOLE)).toHaveLength(0);
  });

  it("lets other work run between its slices", async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);
    await redactBytes(createBody(3_000_000, []), redactor, WHOLE);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(1);
  });

  it("of binary data is not taken whole for a value that has an accented letter", async () => {
    let seed = 7;
    const body = Uint8Array.from({ length: 2_000_000 }, () => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return seed >>> 24;
    });
    const accented = createRedactor([{ name: "PASS", value: "päss-wörd-é" }]);
    expect((await redactBytes(body, accented, WHOLE)) === body).toBe(true);
  });

  it("is read no further than its limit needs, however much longer references are than values", async () => {
    const body = new TextEncoder().encode("a-letter".repeat(700_000));
    let bytes = 0;
    const letters = createRedactor([{ name: "LETTER", value: "a-letter" }]);
    const counted = {
      ...letters,
      cut: (slice: Uint8Array, margin: number) => {
        bytes += slice.length;
        return letters.cut(slice, margin);
      },
    };
    const redacted = await redactBytes(body, counted, 100);
    expect(bytes).toBeLessThan(1_000_000);
    expect(new TextDecoder().decode(redacted.subarray(0, 17))).toBe("{{secret.LETTER}}");
  });
});
