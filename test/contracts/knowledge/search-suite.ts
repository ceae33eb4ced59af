/** What the fake and the real search of documents do alike. */
import { describe, expect, it } from "vitest";
import { type PieceKind, PIECE_KINDS } from "../../../core/knowledge/piece.ts";
import type { KnowledgePort } from "../../../core/ports/knowledge-search.ts";
import { OUTSIDE, TENANT } from "../../../core/provenance/label.ts";
import { valueOf } from "../value-of.ts";
import type { SeedDocument } from "./seed.ts";

/** One tenant, and another one. `add` returns the ids of the pieces. */
export interface SearchWorld {
  of(project: string | null): KnowledgePort;
  readonly elsewhere: KnowledgePort;
  add(document: SeedDocument): Promise<readonly string[]>;
}

const { signal } = new AbortController();

async function find(
  port: KnowledgePort,
  query: string,
  {
    kinds = PIECE_KINDS,
    by = "both",
    limit = 20,
    onlyProject = false,
  }: Partial<Parameters<KnowledgePort["search"]>[0]> = {},
) {
  return valueOf(await port.search({ query, kinds, by, limit, onlyProject, signal }));
}

async function findTexts(
  port: KnowledgePort,
  query: string,
  change: {
    readonly kinds?: readonly PieceKind[];
    readonly onlyProject?: boolean;
    readonly by?: "vectors";
    readonly limit?: number;
  } = {},
) {
  const { hits } = await find(port, query, change);
  return hits.map(({ piece }) => piece.text);
}

export function knowledgeSearchContract(name: string, makeWorld: () => Promise<SearchWorld>): void {
  describe(`the search of documents: ${name}`, () => {
    it("finds by words and by meaning, the best first, with a score in per cent", async () => {
      const { of, add } = await makeWorld();
      const texts = [
        "The notice period of this lease is three months.",
        "The rent is due on the first of each month.",
        "Otters sleep on their backs.",
      ];
      const [id] = await add({ title: "Lease", pieces: texts.map((text) => ({ text, heading: ["Terms"], page: 2 })) });
      const { hits, total, searched } = await find(of(null), "how long is the notice period of the lease");
      expect(hits[0]?.piece).toMatchObject({
        id,
        kind: "text",
        title: "Lease",
        heading: ["Terms"],
        page: 2,
        version: 1,
      });
      expect(hits[0]?.piece).toMatchObject({ project: null, label: TENANT, text: texts[0] });
      const scores = hits.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      for (const { score, relevance } of hits) expect(relevance).toBeCloseTo(score * 100, 1);
      expect(total).toBeGreaterThanOrEqual(hits.length);
      expect(searched).toEqual({ documents: 1, pieces: 3, embedder: "hashing", formulasNotRead: 0 });
      expect((await find(of(null), "notice period", { limit: 1 })).hits).toHaveLength(1);
    });

    it("finds nothing for other words, and says what there was to search", async () => {
      const { of, add } = await makeWorld();
      expect(await find(of(null), "zzz")).toEqual({
        hits: [],
        total: 0,
        searched: { documents: 0, pieces: 0, embedder: "hashing", formulasNotRead: 0 },
      });
      await add({ title: "Paper", warnings: ["formulas_not_read"], pieces: [{ text: "badger" }] });
      await add({ title: "Of p", project: "p", pieces: [{ text: "badger" }, { text: "fox" }] });
      const nothing = await find(of(null), "qqqq zzzz");
      expect(nothing).toMatchObject({ total: 0, searched: { documents: 1, pieces: 1, formulasNotRead: 1 } });
      expect((await find(of("p"), "qqqq zzzz")).searched).toMatchObject({ documents: 2, pieces: 3 });
    });

    it("keeps projects and tenants apart", async () => {
      const { of, elsewhere, add } = await makeWorld();
      await add({ title: "All", pieces: [{ text: "otter of all" }] });
      const [secret = ""] = await add({ title: "P", project: "p", label: OUTSIDE, pieces: [{ text: "otter of p" }] });
      expect(await findTexts(of(null), "otter")).toEqual(["otter of all"]);
      expect((await findTexts(of("p"), "otter")).toSorted()).toEqual(["otter of all", "otter of p"]);
      expect(await findTexts(of("p"), "otter", { onlyProject: true })).toEqual(["otter of p"]);
      expect(await findTexts(of("q"), "otter", { onlyProject: true })).toEqual([]);
      expect(await findTexts(of("q"), "otter", { by: "vectors" })).toEqual(["otter of all"]);
      expect(await findTexts(elsewhere, "otter")).toEqual([]);
      expect(await findTexts(elsewhere, "otter", { by: "vectors" })).toEqual([]);
      const read = { id: secret, before: 0, after: 0 };
      expect(valueOf(await of("p").read(read))).toMatchObject([{ text: "otter of p", label: OUTSIDE }]);
      for (const port of [of(null), of("q"), elsewhere])
        expect(await port.read(read)).toMatchObject({ ok: false, error: { code: "not_found" } });
    });

    it("finds the wanted kinds alone, with their data", async () => {
      const { of, add } = await makeWorld();
      const data = { caption: "Otters", columns: ["a"], rows: [["1"]], rowCount: 1, file: null };
      const tex = { tex: "x^2", context: "otters squared" };
      await add({
        title: "Mixed",
        pieces: [
          { text: "otters swim" },
          { text: "otters table", kind: "table", data },
          { text: "otters x^2", kind: "formula", data: tex },
        ],
      });
      expect(await findTexts(of(null), "otters", { kinds: ["table"] })).toEqual(["otters table"]);
      expect(await find(of(null), "otters", { kinds: [] })).toMatchObject({ total: 0, searched: { pieces: 0 } });
      const both = await find(of(null), "otters", { kinds: ["table", "formula"] });
      expect(both.searched).toMatchObject({ documents: 1, pieces: 2 });
      expect(both.hits.map(({ piece }) => piece.data)).toEqual(expect.arrayContaining([data, tex]));
      expect(both.hits).toHaveLength(2);
    });

    it("reads a piece with its neighbours, in order", async () => {
      const { of, add } = await makeWorld();
      const ids = await add({ title: "Five", pieces: ["a", "b", "c", "d", "e"].map((text) => ({ text })) });
      const texts = async (index: number, before: number, after: number) =>
        valueOf(await of(null).read({ id: ids[index] ?? "", before, after })).map(({ text }) => text);
      expect(await texts(2, 1, 1)).toEqual(["b", "c", "d"]);
      expect(await texts(0, 5, 0)).toEqual(["a"]);
      expect(await texts(4, 2, 5)).toEqual(["c", "d", "e"]);
    });

    it("reads no picture of a piece of another kind", async () => {
      const { of, add } = await makeWorld();
      const [id = ""] = await add({ title: "T", pieces: [{ text: "a" }] });
      const [piece] = valueOf(await of(null).read({ id, before: 0, after: 0 }));
      if (piece === undefined) throw new Error("expected a piece");
      expect(await of(null).readImage(piece)).toMatchObject({ ok: false, error: { code: "not_found" } });
    });
  });
}
