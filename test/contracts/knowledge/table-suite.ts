/** What every `KnowledgeTable` does. */
import { beforeAll, describe, expect, it } from "vitest";
import { MAX_TENANT_BYTES } from "../../../core/knowledge/document.ts";
import { getPieceId, type Piece } from "../../../core/knowledge/piece.ts";
import { OUTSIDE, TENANT } from "../../../core/provenance/label.ts";
import type { KnowledgeTable, VersionPlace } from "../../../core/ports/knowledge.ts";
import { act, documentRow, factsOfPieces, newId, START, textPiece } from "../database/rows.ts";
import { valueOf } from "../value-of.ts";

export interface KnowledgeUnderTest {
  readonly knowledge: KnowledgeTable;
  /** A new tenant. */
  tenant(): Promise<string>;
}

const PAGE = { after: null, limit: 10 };
const NO_DOCUMENT = { ok: false, error: { code: "not_found" } };
const created = () => act("document.create", "x");

export function knowledgeTableContract(name: string, open: () => Promise<KnowledgeUnderTest>): void {
  describe(`the table of documents: ${name}`, () => {
    let table: KnowledgeTable;
    let newTenant: () => Promise<string>;
    beforeAll(async () => {
      const opened = await open();
      table = opened.knowledge;
      newTenant = opened.tenant;
    });

    async function add(tenant: string, change: Parameters<typeof documentRow>[0] = {}): Promise<VersionPlace> {
      const document = documentRow(change);
      valueOf(await table.create(tenant, document, created()));
      return { document: document.id, version: 1 };
    }

    async function replace(tenant: string, { document }: VersionPlace, files = newId("request")) {
      const version = { source: { kind: "upload" } as const, files, hash: "b".repeat(64), size: 5 };
      const change = { id: document, filename: null, title: null, tags: null, label: OUTSIDE, version };
      return await table.replace(tenant, null, change, act("document.replace", document));
    }

    async function embedAll(tenant: string, place: VersionPlace): Promise<string[]> {
      const open_ = valueOf(await table.listUnembedded(tenant, place, "m", 100)).map(({ id }) => id);
      expect(valueOf(await table.markEmbedded(tenant, "m", open_))).toHaveLength(open_.length);
      return open_;
    }

    /** Reads, embeds and shows a version with these pieces. */
    async function ingest(tenant: string, place: VersionPlace, pieces: readonly Piece[]): Promise<string[]> {
      expect(valueOf(await table.savePieces(tenant, place, pieces))).toBe(true);
      expect(valueOf(await table.endReading(tenant, place, factsOfPieces(pieces), START))).toBe(true);
      const ids = await embedAll(tenant, place);
      expect(valueOf(await table.show(tenant, place, START))).toBe(true);
      return ids;
    }

    const idOf = ({ document, version }: VersionPlace, ordinal: number) => getPieceId(document, version, ordinal);

    it("adds a document once, and lists it", async () => {
      const tenant = await newTenant();
      const document = documentRow({ project: "p", label: OUTSIDE });
      const added = valueOf(await table.create(tenant, document, created()));
      expect(added).toMatchObject({ id: document.id, project: "p", title: "manual.md", label: OUTSIDE, shown: null });
      expect(added.latest).toMatchObject({ version: 1, status: "queued", source: { kind: "upload" }, size: 100 });
      expect(valueOf(await table.create(tenant, { ...document, filename: "other.md" }, created()))).toEqual(added);
      expect(valueOf(await table.get(tenant, null, document.id))).toEqual(added);
      expect(valueOf(await table.page(tenant, { scope: ["p"], status: "queued" }, PAGE)).items).toEqual([added]);
      expect(valueOf(await table.page(tenant, { scope: null, status: "ready" }, PAGE)).items).toEqual([]);
      expect(valueOf(await table.usage(tenant))).toEqual({ documents: 1, pieces: 0, bytes: 100, queued: 1 });
    });

    it("shows a document to its project and tenant alone", async () => {
      const [tenant, other] = [await newTenant(), await newTenant()];
      const place = await add(tenant, { project: "p" });
      const [id = ""] = await ingest(tenant, place, [textPiece(0)]);
      for (const scope of [[null], ["q"], []]) {
        expect(await table.get(tenant, scope, place.document)).toMatchObject(NO_DOCUMENT);
        expect(valueOf(await table.page(tenant, { scope, status: null }, PAGE)).items).toEqual([]);
        expect(valueOf(await table.readPieces(tenant, scope, [id]))).toEqual([]);
        expect(await table.neighbours(tenant, scope, { id, before: 1, after: 1 })).toMatchObject(NO_DOCUMENT);
        expect(await table.delete(tenant, scope, place.document, created())).toMatchObject(NO_DOCUMENT);
      }
      expect(await table.get(other, null, place.document)).toMatchObject(NO_DOCUMENT);
      expect(valueOf(await table.readPieces(other, null, [id]))).toEqual([]);
      expect(valueOf(await table.readPieces(tenant, [null, "p"], [id]))).toHaveLength(1);
    });

    it("lets searches read pieces once all of them have a vector", async () => {
      const tenant = await newTenant();
      const place = await add(tenant);
      expect(valueOf(await table.beginReading(tenant, place, { hash: "c".repeat(64), size: 7 }, START))).toBe(true);
      const pieces = [textPiece(0), textPiece(1), textPiece(2)];
      valueOf(await table.savePieces(tenant, place, pieces));
      valueOf(await table.endReading(tenant, place, factsOfPieces(pieces), START));
      const ids = await Promise.all([0, 1, 2].map((ordinal) => idOf(place, ordinal)));
      expect(valueOf(await table.readPieces(tenant, null, ids))).toEqual([]);
      expect(await table.show(tenant, place, START)).toMatchObject({ ok: false, error: { code: "conflict" } });
      valueOf(await table.markEmbedded(tenant, "m", ids.slice(0, 1)));
      const { latest } = valueOf(await table.get(tenant, null, place.document));
      expect(latest).toMatchObject({
        status: "embedding",
        hash: "c".repeat(64),
        size: 7,
        embedded: 1,
        pieces: { text: 3 },
      });
      await embedAll(tenant, place);
      expect(valueOf(await table.show(tenant, place, START))).toBe(true);
      expect(valueOf(await table.show(tenant, place, START))).toBe(false);
      const shown = valueOf(await table.get(tenant, null, place.document));
      expect(shown).toMatchObject({ shown: 1, title: "The manual", latest: { status: "ready", embedded: 3 } });
      const [first] = valueOf(await table.readPieces(tenant, null, ids.slice(0, 1)));
      const expected = { ...textPiece(0), ...place, id: ids[0], project: null, label: TENANT, embeddedBy: "m" };
      expect(first).toMatchObject({ ...expected, title: "The manual", files: shown.latest.files });
      expect(valueOf(await table.usage(tenant))).toMatchObject({ pieces: 3, queued: 0, bytes: 7 });
    });

    it("has one set of pieces after a version is read twice", async () => {
      const tenant = await newTenant();
      const place = await add(tenant);
      valueOf(await table.savePieces(tenant, place, [textPiece(0), textPiece(1, "old"), textPiece(2)]));
      valueOf(await table.markEmbedded(tenant, "m", [await idOf(place, 0), await idOf(place, 1)]));
      const again = [textPiece(0), textPiece(1, "new")];
      valueOf(await table.savePieces(tenant, place, again));
      valueOf(await table.endReading(tenant, place, factsOfPieces(again), START));
      const open_ = valueOf(await table.listUnembedded(tenant, place, "m", 10));
      // The headings too: a vector is made of the title, the headings and the text.
      const { heading } = textPiece(1);
      const text = ["The manual", heading.join(" / "), "new"].filter((part) => part !== "").join("\n");
      expect(open_).toEqual([{ id: await idOf(place, 1), kind: "text", project: null, text }]);
      expect(valueOf(await table.readToEmbed(tenant, [await idOf(place, 1), await idOf(place, 2)]))).toEqual(open_);
      const other = await add(tenant);
      valueOf(await table.savePieces(tenant, other, [textPiece(0)]));
      valueOf(await table.markEmbedded(tenant, "m", [await idOf(other, 0)]));
      valueOf(await table.savePieces(tenant, other, [{ ...textPiece(0), heading: ["Other"] }]));
      expect(valueOf(await table.listUnembedded(tenant, other, "m", 10))).toHaveLength(1);
    });

    it("replaces a version at once, and removes the one before", async () => {
      const tenant = await newTenant();
      const first = await add(tenant);
      const [old = ""] = await ingest(tenant, first, [textPiece(0, "old")]);
      const { latest: one } = valueOf(await table.get(tenant, null, first.document));
      expect(valueOf(await table.leftovers(tenant, first.document, 10))).toEqual({ pieces: [], folders: [] });
      const replaced = valueOf(await replace(tenant, first));
      expect(replaced).toMatchObject({ shown: 1, label: OUTSIDE, latest: { version: 2, status: "queued" } });
      const second = { document: first.document, version: 2 };
      valueOf(await table.savePieces(tenant, second, [textPiece(0, "new"), textPiece(1)]));
      expect(valueOf(await table.readPieces(tenant, null, [old]))).toMatchObject([{ text: "old", label: TENANT }]);
      const ids = await ingest(tenant, second, [textPiece(0, "new"), textPiece(1)]);
      expect(valueOf(await table.readPieces(tenant, null, [old, ...ids]))).toHaveLength(2);
      const left = valueOf(await table.leftovers(tenant, first.document, 10));
      expect(left).toEqual({ pieces: [old], folders: [one.files] });
      expect(valueOf(await table.unclean(START + 1, 1_000))).toContainEqual({ tenant, document: first.document });
      valueOf(await table.removeVersions(tenant, first.document, left.folders));
      expect(valueOf(await table.leftovers(tenant, first.document, 10))).toEqual(left);
      valueOf(await table.removePieces(tenant, left.pieces));
      valueOf(await table.removeVersions(tenant, first.document, left.folders));
      expect(valueOf(await table.leftovers(tenant, first.document, 10))).toEqual({ pieces: [], folders: [] });
      expect(valueOf(await table.unclean(START + 1, 1_000))).not.toContainEqual({ tenant, document: first.document });
      expect(valueOf(await table.usage(tenant))).toEqual({ documents: 1, pieces: 2, bytes: 5, queued: 0 });
    });

    it("closes an open version that a later one replaces, and accepts one request once", async () => {
      const tenant = await newTenant();
      const place = await add(tenant);
      const files = newId("request");
      valueOf(await replace(tenant, place, files));
      expect(valueOf(await replace(tenant, place, files)).latest.version).toBe(2);
      expect(valueOf(await table.savePieces(tenant, place, [textPiece(0)]))).toBe(false);
      expect(valueOf(await table.beginReading(tenant, place, { hash: null, size: null }, START))).toBe(false);
      expect(valueOf(await table.endReading(tenant, place, factsOfPieces([]), START))).toBe(false);
      expect(valueOf(await table.show(tenant, place, START))).toBe(false);
      expect(valueOf(await table.fail(tenant, place, { code: "internal", message: "x" }, START))).toBe(false);
      expect(await table.getOpen(tenant, place)).toMatchObject(NO_DOCUMENT);
      expect(valueOf(await table.getOpen(tenant, { ...place, version: 2 }))).toMatchObject({ id: place.document });
      expect(valueOf(await table.usage(tenant))).toMatchObject({ queued: 1 });
    });

    it("keeps the shown version when a later one fails", async () => {
      const tenant = await newTenant();
      const first = await add(tenant);
      const [old = ""] = await ingest(tenant, first, [textPiece(0)]);
      valueOf(await replace(tenant, first));
      const second = { ...first, version: 2 };
      valueOf(await table.savePieces(tenant, second, [textPiece(0, "bad")]));
      const failure = { code: "invalid_input", message: "It is encrypted." } as const;
      expect(valueOf(await table.fail(tenant, second, failure, START))).toBe(true);
      const document = valueOf(await table.get(tenant, null, first.document));
      expect(document).toMatchObject({ shown: 1, latest: { version: 2, status: "failed", failure } });
      expect(valueOf(await table.readPieces(tenant, null, [old]))).toHaveLength(1);
      const left = valueOf(await table.leftovers(tenant, first.document, 10));
      expect(left).toEqual({ pieces: [await idOf(second, 0)], folders: [] });
    });

    it("hides a deleted document at once, and then removes it", async () => {
      const tenant = await newTenant();
      const place = await add(tenant, { project: "p" });
      const ids = await ingest(tenant, place, [textPiece(0), textPiece(1)]);
      expect(valueOf(await table.delete(tenant, ["p"], place.document, created()))).toMatchObject({
        id: place.document,
      });
      expect(await table.get(tenant, null, place.document)).toMatchObject(NO_DOCUMENT);
      expect(valueOf(await table.readPieces(tenant, null, ids))).toEqual([]);
      expect(await replace(tenant, place)).toMatchObject(NO_DOCUMENT);
      expect(valueOf(await table.deleteScope(tenant, ["p"], START))).toEqual([place.document]);
      const left = valueOf(await table.leftovers(tenant, place.document, 10));
      expect([...left.pieces].toSorted()).toEqual(ids.toSorted());
      valueOf(await table.removePieces(tenant, left.pieces));
      valueOf(await table.removeVersions(tenant, place.document, left.folders));
      expect(valueOf(await table.deleteScope(tenant, null, START))).toEqual([]);
      expect(valueOf(await table.usage(tenant))).toEqual({ documents: 0, pieces: 0, bytes: 0, queued: 0 });
    });

    it("hides the documents of a scope, and stops reading them", async () => {
      const tenant = await newTenant();
      const [own, other] = [await add(tenant, { project: "p" }), await add(tenant)];
      expect(valueOf(await table.deleteScope(tenant, ["p"], START))).toEqual([own.document]);
      expect(valueOf(await table.savePieces(tenant, own, [textPiece(0)]))).toBe(false);
      expect(valueOf(await table.page(tenant, { scope: null, status: null }, PAGE)).items).toMatchObject([
        { id: other.document },
      ]);
    });

    it("reads a piece with those next to it", async () => {
      const tenant = await newTenant();
      const place = await add(tenant);
      const ids = await ingest(
        tenant,
        place,
        Array.from({ length: 6 }, (_, ordinal) => textPiece(ordinal)),
      );
      const near = valueOf(await table.neighbours(tenant, null, { id: ids[2] ?? "", before: 1, after: 2 }));
      expect(near.map(({ ordinal }) => ordinal)).toEqual([1, 2, 3, 4]);
      const edge = valueOf(await table.neighbours(tenant, null, { id: ids[0] ?? "", before: 5, after: 0 }));
      expect(edge.map(({ id }) => id)).toEqual([ids[0]]);
    });

    it("rejects a document beyond the tenant's bytes", async () => {
      const tenant = await newTenant();
      const place = await add(tenant, { size: MAX_TENANT_BYTES });
      const more = await table.create(tenant, documentRow({ size: 1 }), created());
      expect(more).toMatchObject({ ok: false, error: { code: "quota_exceeded" } });
      expect(await replace(tenant, place)).toMatchObject({ ok: false, error: { code: "quota_exceeded" } });
    });

    it("finds interrupted versions, and pieces without a vector of the model, of all tenants", async () => {
      const tenant = await newTenant();
      const open_ = await add(tenant);
      const place = await add(tenant);
      const [id] = await ingest(tenant, place, [textPiece(0)]);
      const interrupted = valueOf(await table.openSince(START + 1, 10_000)).filter((one) => one.tenant === tenant);
      expect(interrupted).toEqual([{ tenant, ...open_ }]);
      expect(valueOf(await table.openSince(START, 10_000)).filter((one) => one.tenant === tenant)).toEqual([]);
      expect(valueOf(await table.toEmbed("other", 10_000))).toContainEqual({ tenant, id });
      expect(valueOf(await table.toEmbed("m", 10_000))).not.toContainEqual({ tenant, id });
    });
  });
}
