/** What every `EmbedderPort` does. */
import { describe, expect, it } from "vitest";
import { type EmbedderPort, MAX_EMBEDDED_TEXTS } from "../../../core/ports/vectors.ts";

const { signal } = new AbortController();

async function vectorsOf(embedder: EmbedderPort, texts: readonly string[]): Promise<readonly Float32Array[]> {
  const embedded = await embedder.embed(texts, signal);
  if (!embedded.ok) throw new Error(embedded.error.message);
  return embedded.value;
}

const lengthOf = (vector: Float32Array) => Math.hypot(...vector);

export function embedderContract(name: string, open: () => EmbedderPort | Promise<EmbedderPort>): void {
  describe(`embedder: ${name}`, () => {
    it("returns one vector of length 1 for each text, in order and of the stated dimensions", async () => {
      const embedder = await open();
      const texts = Array.from({ length: MAX_EMBEDDED_TEXTS }, (_, index) => `text number ${index}`);
      const together = await vectorsOf(embedder, texts);
      expect(together).toHaveLength(texts.length);
      const dimensions = embedder.dimensions ?? together[0]?.length;
      for (const vector of together) {
        expect(vector).toHaveLength(dimensions ?? 0);
        expect(lengthOf(vector)).toBeCloseTo(1, 4);
      }
      const [alone] = await vectorsOf(embedder, [texts[41] ?? ""]);
      expect(together[41]).toEqual(alone);
    });

    it("gives the same vector for the same text, and others for others", async () => {
      const embedder = await open();
      const [one, same, other] = await vectorsOf(embedder, ["coffee", "coffee", "train"]);
      expect(one).toEqual(same);
      expect(one).not.toEqual(other);
    });

    it("takes any text: of signs, of other scripts, long, with odd characters", async () => {
      const embedder = await open();
      const texts = ["!!! …", "🦦", "会議は三時です", "x", "ab".repeat(2_000), "\u0001\u200b\ufeff", " "];
      for (const vector of await vectorsOf(embedder, texts)) expect(lengthOf(vector)).toBeCloseTo(1, 4);
      expect(await vectorsOf(embedder, [])).toEqual([]);
    });

    it("has a name", async () => {
      expect((await open()).model).toMatch(/^\S+$/);
    });
  });
}
