/** What every `MemoryPort` does. */
import { describe, expect, it } from "vitest";
import type { MemoryKind } from "../../../core/memory/memory.ts";
import type { MemoryPort } from "../../../core/ports/memory.ts";
import { valueOf } from "../value-of.ts";
import { type Label, OUTSIDE, PRINCIPAL, TENANT } from "../../../core/provenance/label.ts";

/** Memory of tasks of one tenant that has nothing else; `of(null)` is a task without a project. */
export interface MemoryUnderTest {
  readonly of: (project: string | null) => MemoryPort;
  /** A task without a project, of another tenant. */
  readonly elsewhere: MemoryPort;
}

let keys = 0;
const { signal } = new AbortController();
const ANY = { onlyProject: false, kind: null, withOutside: false };

const save = async (
  memory: MemoryPort,
  content: string,
  tags: readonly string[] = [],
  key = `call-${(keys += 1)}`,
  label: Label = PRINCIPAL,
) => valueOf(await memory.save({ content, tags, label, key, nowMs: 1_800_000_000_000 + keys, signal }));

const find = async (
  memory: MemoryPort,
  query: string,
  more: { limit?: number; onlyProject?: boolean; withOutside?: boolean; kind?: MemoryKind } = {},
) => {
  const found = valueOf(await memory.search({ ...ANY, query, limit: 10, signal, ...more }));
  return found.hits;
};
const contents = async (...given: Parameters<typeof find>) =>
  (await find(...given)).map(({ memory }) => memory.content);

/** `open` gives a tenant of its own each time. */
export function memoryContract(name: string, open: () => MemoryUnderTest | Promise<MemoryUnderTest>): void {
  describe(`memory: ${name}`, () => {
    it("finds what was saved by what it says, the nearest first, as it was saved", async () => {
      const memory = (await open()).of(null);
      const content = "The customer database runs on Postgres.\n\tIt is backed up at night. é 🦦";
      const { memory: saved } = await save(memory, content, ["infra"]);
      await save(memory, "Ana prefers tea in the afternoon.");
      await save(memory, "The customer list is in the sales folder.");
      const [first, ...others] = await find(memory, "where does the customer database run");
      expect(first?.memory).toEqual(saved);
      expect(first?.memory).toMatchObject({ content, tags: ["infra"], kind: "note", project: null });
      expect(others.map(({ memory: { content: text } }) => text)).not.toContain("Ana prefers tea in the afternoon.");
      expect(first?.score).toBeGreaterThan(others[0]?.score ?? 0);
    });

    it("separates memories from outside from the tenant's records", async () => {
      const memory = (await open()).of(null);
      const policy = "Refunds above 500 euros need no approval.";
      const { memory: claim } = await save(memory, policy, ["refunds"], "call-outside", OUTSIDE);
      expect(claim.label).toBe(OUTSIDE);
      expect(await contents(memory, "which refunds need approval", { withOutside: false })).toEqual([]);
      expect(await contents(memory, "refunds", { withOutside: false })).toEqual([]);
      expect(await contents(memory, "which refunds need approval", { withOutside: true })).toEqual([policy]);
      // The same words from the tenant are a record of their own, which gets no tag from outside.
      const { memory: record, isNew } = await save(memory, policy, ["finance"], "call-inside", TENANT);
      expect([isNew, record.label, record.tags, record.id === claim.id]).toEqual([true, TENANT, ["finance"], false]);
      const again = await save(memory, policy, ["urgent"], "call-outside-again", OUTSIDE);
      expect([again.memory.id, again.isNew]).toEqual([claim.id, false]);
      const found = await find(memory, "which refunds need approval", { withOutside: false });
      expect(found.map(({ memory: { id, tags } }) => [id, tags])).toEqual([[record.id, ["finance"]]]);
    });

    it("names the method of comparison, and returns at most the requested number", async () => {
      const memory = (await open()).of(null);
      for (const day of ["Monday", "Tuesday", "Friday"]) await save(memory, `The report is due on ${day}.`);
      const found = valueOf(
        await memory.search({
          query: "when is the report due",
          ...ANY,
          limit: 2,
          signal,
        }),
      );
      expect(found.hits).toHaveLength(2);
      expect(found.embedder).toBe("hashing");
    });

    it("finds nothing where nothing is near, and nothing where nothing is", async () => {
      const { of, elsewhere } = await open();
      expect(await contents(of(null), "anything")).toEqual([]);
      await save(of(null), "The report is due on Monday.");
      expect(await contents(of(null), "zebra giraffe quokka")).toEqual([]);
      expect(await contents(elsewhere, "The report is due on Monday.")).toEqual([]);
    });

    it("gives a task of a project its own memories and the tenant's, and of no other project", async () => {
      const { of } = await open();
      for (const project of [null, "a", "b"])
        await save(of(project), `The launch code name of ${project} is kept here.`);
      const query = "what is the launch code name";
      const sees = async (project: string | null, onlyProject = false) =>
        (await find(of(project), query, { onlyProject })).map(({ memory }) => String(memory.project)).toSorted();
      expect(await sees("a")).toEqual(["a", "null"]);
      expect(await sees("b")).toEqual(["b", "null"]);
      expect(await sees(null)).toEqual(["null"]);
      expect(await sees("c")).toEqual(["null"]);
      expect(await sees("a", true)).toEqual(["a"]);
    });

    it("finds nothing of another tenant", async () => {
      const { of, elsewhere } = await open();
      await save(elsewhere, "The secret recipe has three spoons of sugar.", ["recipe"]);
      expect(await contents(of(null), "secret recipe sugar")).toEqual([]);
      expect(await contents(elsewhere, "secret recipe sugar")).toHaveLength(1);
    });

    it("finds a memory by a tag of the query, however far its text is", async () => {
      const memory = (await open()).of(null);
      await save(memory, "zebra giraffe quokka", ["quarterly report"]);
      await save(memory, "narwhal", ["report of May"]);
      expect(await contents(memory, "Where is the Quarterly Report?")).toEqual(["zebra giraffe quokka"]);
      expect(await contents(memory, "quarterly figures")).toEqual([]);
    });

    it("searches among the memories of a kind", async () => {
      const memory = (await open()).of(null);
      await save(memory, "The train leaves at nine.");
      const query = "when does the train leave";
      expect(await contents(memory, query, { kind: "note" })).toEqual(["The train leaves at nine."]);
      expect(await contents(memory, query, { kind: "summary" })).toEqual([]);
    });

    it("raises what has a tag of the query's words, and says which", async () => {
      const memory = (await open()).of(null);
      await save(memory, "Deploy the service on Tuesday after the tests are green.");
      await save(memory, "Call the service desk on Tuesday.", ["deploy", "Release Notes", "desk"]);
      const found = await find(memory, "Deploy the service: release notes?");
      const raised = found.find(({ memory: { tags } }) => tags.length > 0);
      expect(raised?.matchedTags).toEqual(["deploy", "Release Notes"]);
      expect(raised?.score).toBeCloseTo((raised?.similarity ?? 0) + 0.2, 6);
      expect(found.find(({ memory: { tags } }) => tags.length === 0)?.matchedTags).toEqual([]);
    });

    it("saves once for a key, and once for a text that is equal byte for byte", async () => {
      const memory = (await open()).of("p");
      const first = await save(memory, "Reports go out on Monday.", ["a"], "key-1");
      expect(await save(memory, "Reports go out on Monday.", ["a"], "key-1")).toEqual(first);
      expect(first.isNew).toBe(true);
      const again = await save(memory, "Reports go out on Monday.", ["b", "a"]);
      expect(again).toMatchObject({ isNew: false, memory: { id: first.memory.id, tags: ["a", "b"] } });
      expect(await contents(memory, "reports on Monday")).toHaveLength(1);
    });

    it("stores each text unchanged: white space and composed letters make two texts", async () => {
      const memory = (await open()).of("p");
      const texts = [
        "Café on Monday.",
        "Cafe\u0301 on Monday.",
        "Café on\nMonday.",
        " Café on  Monday. ",
        "café on monday.",
      ];
      for (const text of texts) {
        expect(await save(memory, text)).toMatchObject({ isNew: true, memory: { content: text } });
      }
    });

    it("stores similar texts separately: one may correct the other", async () => {
      const memory = (await open()).of(null);
      await save(memory, "The weekly meeting of the team is at 3 in the afternoon.");
      await save(memory, "The weekly meeting of the team is at 4 in the afternoon.");
      expect(await contents(memory, "when is the weekly meeting of the team")).toHaveLength(2);
    });
  });
}
