/** What every `ResultsPort` does. Runs in Node for the fake and in workerd for the bucket with the tasks' objects. */
import { describe, expect, it } from "vitest";
import type { ResultsPort } from "../../../core/ports/results.ts";
import { OUTSIDE, TENANT } from "../../../core/provenance/label.ts";

/** Texts of a tree's results, before they were shortened. */
export interface ResultsWanted {
  /** The result of a call whose text was shortened for the model, and kept whole. */
  readonly shortened: string;
  /** The result of a call that the model read whole: a record of the tenant. The other one says nothing of its label. */
  readonly short: string;
}

/** A tree with two results, and ids that it has no result for. */
export interface ResultsUnderTest {
  readonly results: ResultsPort;
  readonly shortened: string;
  readonly short: string;
  /** A call of this tree that has not settled. */
  readonly unsettled: string;
  /** A settled call, of which one result was kept whole, of a task that is of another tree of the same tenant. */
  readonly elsewhere: readonly string[];
}

/** `open` gives a tree that holds these results. */
export function resultsContract(name: string, open: (wanted: ResultsWanted) => Promise<ResultsUnderTest>): void {
  const wanted = { shortened: `\uFEFF${"a line of text, 😀 and é\r\n".repeat(1000)}`, short: "It is noon." };

  describe(`results: ${name}`, () => {
    it("returns all of a shortened result, character for character", async () => {
      const { results, shortened } = await open(wanted);
      expect(await results.read(shortened)).toEqual({ ok: true, value: wanted.shortened });
    });

    it("returns a result that the model read in full", async () => {
      const { results, short } = await open(wanted);
      expect(await results.read(short)).toEqual({ ok: true, value: wanted.short });
    });

    it("gives an empty result", async () => {
      const { results, short } = await open({ ...wanted, short: "" });
      expect(await results.read(short)).toEqual({ ok: true, value: "" });
    });

    it("returns the label of a result, and `OUTSIDE` for one that it cannot find", async () => {
      const { results, short, shortened, unsettled } = await open(wanted);
      expect(await results.getLabel(short)).toBe(TENANT);
      for (const id of [shortened, unsettled, "", "call_1_1"]) expect(await results.getLabel(id), id).toBe(OUTSIDE);
    });

    it("has no result of an unsettled call, of another tree, or of an unknown call", async () => {
      const { results, short, unsettled, elsewhere } = await open(wanted);
      const never = `${short.slice(0, short.lastIndexOf("_"))}_63`;
      const noIds = ["", "call_", "call_1_1", `${short}/../x`, `../${short}`, "call_01hzy3v7k4m8n2p6q9rstvwxyz_3_0"];
      for (const id of [unsettled, ...elsewhere, never, ...noIds]) {
        expect(await results.read(id), id).toMatchObject({ ok: false, error: { code: "not_found" } });
      }
    });
  });
}
