/** What every `VectorsPort` does. */
import { describe, expect, it } from "vitest";
import { makeId } from "../../../core/base/ids.ts";
import type { VectorQuery, VectorsPort } from "../../../core/ports/vectors.ts";
import { valueOf } from "../value-of.ts";

/** Vectors of four dimensions, and two tenants that exist. */
export interface VectorsUnderTest {
  readonly vectors: VectorsPort;
  readonly tenants: readonly [string, string];
}

const newId = () => makeId("memory", 1, crypto.getRandomValues(new Uint8Array(10)));

function unit(...values: number[]): Float32Array {
  const length = Math.hypot(...values);
  return Float32Array.from(values, (value) => value / length);
}

const NOTE = { collection: "memory", kind: "note" } as const;
const EAST = unit(1, 0, 0, 0);
const EVERYTHING: Omit<VectorQuery, "values"> = {
  scope: null,
  collection: "memory",
  kind: null,
  limit: 10,
  among: null,
};

/** Calls `open` for each test; its result contains none of the test's ids yet. */
export function vectorsContract(name: string, open: () => VectorsUnderTest | Promise<VectorsUnderTest>): void {
  describe(`vectors: ${name}`, () => {
    it("finds the nearest first, with the cosine as the score", async () => {
      const { vectors, tenants } = await open();
      const ids = [newId(), newId(), newId()];
      const near = [unit(0, 1, 0, 0), unit(1, 1, 0, 0), unit(-1, 0, 0, 0.001)];
      const stored = near.map((values, index) => ({
        id: ids[index] ?? "",
        project: null,
        ...NOTE,
        values,
      }));
      valueOf(await vectors.upsert(tenants[0], "m", stored));
      const found = valueOf(await vectors.query(tenants[0], "m", { ...EVERYTHING, values: EAST }));
      expect(found.map(({ id }) => id)).toEqual([ids[1], ids[0], ids[2]]);
      [Math.SQRT1_2, 0, -1].forEach((score, index) => expect(found[index]?.score).toBeCloseTo(score, 5));
      const two = valueOf(await vectors.query(tenants[0], "m", { ...EVERYTHING, values: EAST, limit: 2 }));
      expect(two).toEqual(found.slice(0, 2));
    });

    it("finds nothing of another tenant, even by name", async () => {
      const { vectors, tenants } = await open();
      const id = newId();
      valueOf(await vectors.upsert(tenants[0], "m", [{ id, project: null, ...NOTE, values: EAST }]));
      for (const among of [null, [id]]) {
        const query = { ...EVERYTHING, values: EAST, among };
        expect(valueOf(await vectors.query(tenants[1], "m", query))).toEqual([]);
        expect(valueOf(await vectors.query(tenants[0], "m", query))).toMatchObject([{ id }]);
      }
      valueOf(await vectors.delete(tenants[1], [id]));
      expect(valueOf(await vectors.query(tenants[0], "m", { ...EVERYTHING, values: EAST }))).toHaveLength(1);
    });

    it("separates one id of two tenants", async () => {
      const { vectors, tenants } = await open();
      const id = newId();
      valueOf(await vectors.upsert(tenants[0], "m", [{ id, project: null, ...NOTE, values: EAST }]));
      valueOf(await vectors.upsert(tenants[1], "m", [{ id, project: null, ...NOTE, values: unit(0, 0, 1, 0) }]));
      const [own] = valueOf(await vectors.query(tenants[0], "m", { ...EVERYTHING, values: EAST }));
      expect(own?.score).toBeCloseTo(1, 5);
    });

    it("finds in a scope what is of its projects, and the tenant's own when that is in it", async () => {
      const { vectors, tenants } = await open();
      const [wide, a, b] = [newId(), newId(), newId()];
      const stored = [
        { id: wide, project: null, ...NOTE, values: EAST },
        { id: a, project: "a", ...NOTE, values: EAST },
        { id: b, project: "b", ...NOTE, values: EAST },
      ];
      valueOf(await vectors.upsert(tenants[0], "m", stored));
      const within = async (scope: VectorQuery["scope"], among: readonly string[] | null = null) => {
        const found = valueOf(
          await vectors.query(tenants[0], "m", {
            values: EAST,
            collection: "memory",
            kind: null,
            limit: 10,
            scope,
            among,
          }),
        );
        return found.map(({ id }) => id).toSorted();
      };
      expect(await within(null)).toEqual([wide, a, b].toSorted());
      expect(await within([null])).toEqual([wide]);
      expect(await within(["a"])).toEqual([a]);
      expect(await within([null, "a"])).toEqual([wide, a].toSorted());
      expect(await within(["c"])).toEqual([]);
      expect(await within([null, "a"], [a, b])).toEqual([a]);
      expect(await within(null, [])).toEqual([]);
      expect(await within(null, [newId()])).toEqual([]);
    });

    it("finds the nearest of one kind, however near those of another are", async () => {
      const { vectors, tenants } = await open();
      const note = { id: newId(), project: null, ...NOTE, values: unit(1, 1, 0, 0) };
      const summaries = Array.from({ length: 5 }, () => {
        return { id: newId(), project: null, ...NOTE, kind: "summary" as const, values: EAST };
      });
      valueOf(await vectors.upsert(tenants[0], "m", [...summaries, note]));
      const found = async (more: Partial<VectorQuery>) =>
        valueOf(await vectors.query(tenants[0], "m", { ...EVERYTHING, values: EAST, limit: 3, ...more })).map(
          ({ id }) => id,
        );
      const ids = summaries.map(({ id }) => id);
      expect(await found({ kind: "note" })).toEqual([note.id]);
      expect(ids).toEqual(expect.arrayContaining(await found({ kind: "summary" })));
      expect(await found({ kind: "summary" })).toHaveLength(3);
      expect(ids).toEqual(expect.arrayContaining(await found({ kind: null })));
      expect(await found({ kind: "note", among: [note.id, ...ids] })).toEqual([note.id]);
      expect(await found({ kind: null, limit: 10, among: [note.id, ...ids] })).toHaveLength(6);
      // A vector's kind is replaced with it.
      valueOf(await vectors.upsert(tenants[0], "m", [{ ...note, kind: "summary" }]));
      expect(await found({ kind: "note" })).toEqual([]);
    });

    it("never finds vectors of another collection", async () => {
      const { vectors, tenants } = await open();
      const [note, piece, table] = [newId(), newId(), newId()];
      const knowledge = { project: null, collection: "knowledge", values: EAST } as const;
      valueOf(
        await vectors.upsert(tenants[0], "m", [
          { id: note, project: null, ...NOTE, values: EAST },
          { id: piece, ...knowledge, kind: "text" },
          { id: table, ...knowledge, kind: "table" },
        ]),
      );
      const found = async (more: Partial<VectorQuery>) =>
        valueOf(await vectors.query(tenants[0], "m", { ...EVERYTHING, values: EAST, ...more })).map(({ id }) => id);
      expect(await found({})).toEqual([note]);
      expect((await found({ collection: "knowledge" })).toSorted()).toEqual([piece, table].toSorted());
      expect(await found({ collection: "knowledge", kind: "table" })).toEqual([table]);
      expect(await found({ collection: "code" })).toEqual([]);
      expect(await found({ among: [note, piece, table] })).toEqual([note]);
    });

    it("compares vectors of one model only", async () => {
      const { vectors, tenants } = await open();
      const [old, now] = [newId(), newId()];
      valueOf(await vectors.upsert(tenants[0], "old", [{ id: old, project: null, ...NOTE, values: EAST }]));
      valueOf(await vectors.upsert(tenants[0], "now", [{ id: now, project: null, ...NOTE, values: EAST }]));
      const found = async (model: string) =>
        valueOf(await vectors.query(tenants[0], model, { ...EVERYTHING, values: EAST })).map(({ id }) => id);
      expect([await found("old"), await found("now"), await found("none")]).toEqual([[old], [now], []]);
      valueOf(await vectors.upsert(tenants[0], "now", [{ id: old, project: null, ...NOTE, values: EAST }]));
      expect(await found("old")).toEqual([]);
      expect(await found("now")).toHaveLength(2);
      expect(
        valueOf(await vectors.query(tenants[0], "old", { ...EVERYTHING, values: EAST, among: [old, now] })),
      ).toEqual([]);
    });

    it("replaces the vector of an id, and forgets it", async () => {
      const { vectors, tenants } = await open();
      const id = newId();
      valueOf(await vectors.upsert(tenants[0], "m", [{ id, project: "a", ...NOTE, values: EAST }]));
      valueOf(await vectors.upsert(tenants[0], "m", [{ id, project: "a", ...NOTE, values: unit(0, 1, 0, 0) }]));
      const [found] = valueOf(await vectors.query(tenants[0], "m", { ...EVERYTHING, values: EAST }));
      expect(found?.score).toBeCloseTo(0, 5);
      valueOf(await vectors.delete(tenants[0], [id, newId()]));
      expect(valueOf(await vectors.query(tenants[0], "m", { ...EVERYTHING, values: EAST }))).toEqual([]);
      valueOf(await vectors.delete(tenants[0], []));
      valueOf(await vectors.upsert(tenants[0], "m", []));
    });

    it("takes many at once, and scores a hundred of them by name", async () => {
      const { vectors, tenants } = await open();
      const stored = Array.from({ length: 1_200 }, (_, index) => {
        return {
          id: newId(),
          project: null,
          ...NOTE,
          values: unit(Math.cos(index), Math.sin(index), 0.1, 0),
        };
      });
      valueOf(await vectors.upsert(tenants[0], "m", stored));
      const among = stored.slice(1_000, 1_100).map(({ id }) => id);
      const found = valueOf(
        await vectors.query(tenants[0], "m", {
          values: EAST,
          scope: null,
          collection: "memory",
          kind: null,
          limit: 100,
          among,
        }),
      );
      expect(found.map(({ id }) => id).toSorted()).toEqual(among.toSorted());
      valueOf(
        await vectors.delete(
          tenants[0],
          stored.map(({ id }) => id),
        ),
      );
      expect(valueOf(await vectors.query(tenants[0], "m", { ...EVERYTHING, values: EAST }))).toEqual([]);
    });
  });
}
