/** Documents from the request to the search: crashes, outages, replacement and removal. */
import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { neon, neonConfig } from "@neondatabase/serverless";
import { beforeEach, describe, expect, inject, test, vi } from "vitest";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { failed } from "../../../core/base/errors.ts";
import { getPieceId } from "../../../core/knowledge/piece.ts";
import type { IngestDeps } from "../../../core/knowledge/ingest.ts";
import { sweepKnowledge } from "../../../workers/knowledge/sweep.ts";
import { sweep } from "../../../workers/sweep.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { type Caller, expectProblem, makeCaller } from "../http/entry.ts";
import { changeReader } from "./test-reader.ts";

const SOON = { timeout: 60_000, interval: 100 };
const PATH = "/v1/knowledge/documents";
const MANUAL = "# Pumps\n\nThe red pump.\n\n![](image1.png)\n\n# Valves\n\nThe blue valve.\n";
/** Paragraphs without the headings. */
const PIECES = 3;

beforeEach(() => {
  for (const method of ["log", "error"] as const) vi.spyOn(console, method).mockImplementation(() => undefined);
  changeReader((deps) => deps);
});

async function add(caller: Caller, text: string, more: object = {}) {
  const answer = await caller.send("POST", PATH, { text, filename: "manual.md", ...more });
  expect(answer.status, answer.text).toBe(202);
  return answer.json as { readonly id: string; readonly status: string };
}

const show = async (caller: Caller, id: string) => (await caller.send("GET", `${PATH}/${id}`)).json;

const waitFor = async (caller: Caller, id: string, wanted: object) =>
  await vi.waitFor(async () => {
    const view = await show(caller, id);
    expect(view).toMatchObject(wanted);
    return view;
  }, SOON);

/** Rows of the tenant, read as the owner of the tables. */
async function countRows({ tenant }: Caller) {
  const { databaseOwnerUrl, databaseEndpoint } = inject("servers");
  neonConfig.fetchEndpoint = databaseEndpoint;
  const owner = neon(databaseOwnerUrl, { disableWarningInBrowsers: true });
  const [row = {}] = await owner.query(
    `select (select count(*) from knowledge_documents where tenant = $1)::int as documents,
       (select count(*) from knowledge_versions where tenant = $1)::int as versions,
       (select count(*) from knowledge_pieces where tenant = $1)::int as pieces,
       (select count(*) from vectors where tenant = $1 and collection = 'knowledge')::int as vectors`,
    [tenant],
  );
  return row;
}

async function listFiles({ tenant }: Caller): Promise<string[]> {
  const { objects } = await env.FILES.list({ prefix: `${tenant}/knowledge/` });
  return objects.map(({ key }) => key);
}

const readTexts = async ({ tenant }: Caller, document: string, version: number): Promise<string[]> => {
  const ids = await Promise.all([0, 1, 2].map((ordinal) => getPieceId(document, version, ordinal)));
  return valueOf(await databaseFromEnv(env).knowledge.readPieces(tenant, null, ids)).map(({ text }) => text);
};

/** Calls `before` with the name of each call to what is outside of the runner. */
function watchCalls(deps: IngestDeps, before: (name: string) => Promise<void>): IngestDeps {
  const watch = <Part extends object>(part: Part, of: string): Part =>
    new Proxy(part, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return async (...given: unknown[]) => {
          await before(`${of}.${String(name)}`);
          const answer: unknown = await Reflect.apply(value, target, given);
          await before(`after ${of}.${String(name)}`);
          return answer;
        };
      },
    });
  return {
    ...deps,
    knowledge: watch(deps.knowledge, "knowledge"),
    documents: watch(deps.documents, "documents"),
    blobs: watch(deps.blobs, "blobs"),
    embedder: watch(deps.embedder, "embedder"),
    vectors: watch(deps.vectors, "vectors"),
  };
}

describe("a document", () => {
  test("is read, cut, embedded, and can be found", async () => {
    const caller = await makeCaller();
    const added = await add(caller, MANUAL, { title: "The manual", tags: ["pumps"], project: "plant" });
    expect(added).toMatchObject({ version: 1, shown_version: null, project: "plant", error: null });
    const ready = await waitFor(caller, added.id, { status: "ready" });
    expect(ready).toMatchObject({
      title: "The manual",
      shown_version: 1,
      progress: 1,
      format: "markdown",
      size: MANUAL.length,
      pieces: { text: 2, table: 0, formula: 0, image: 1 },
      source: { kind: "text", url: null },
      label: "tenant",
    });
    expect(await readTexts(caller, added.id, 1)).toEqual(["The red pump.", "A picture", "The blue valve."]);
    expect(await countRows(caller)).toEqual({ documents: 1, versions: 1, pieces: PIECES, vectors: PIECES });
    // The original, the Markdown and the picture.
    expect(await listFiles(caller)).toHaveLength(3);
    const { data } = (await caller.send("GET", `${PATH}?project=plant&status=ready`)).json;
    expect(data).toEqual([ready]);
    const acts = (await caller.send("GET", "/v1/audit")).json.data;
    expect(acts).toMatchObject([{ action: "document.create", target: added.id }]);
  });

  test("that is killed at every step has one set of pieces, and as many vectors", async () => {
    const caller = await makeCaller();
    const killed = new Set<string>();
    changeReader((deps) =>
      watchCalls(deps, async (name) => {
        if (killed.has(name)) return;
        killed.add(name);
        await abortAllDurableObjects();
        // Nothing after the crash happens in this attempt.
        await new Promise(() => undefined);
      }),
    );
    const { id } = await add(caller, MANUAL);
    await vi.waitFor(
      async () => {
        // The sweep finds what the crash of an inbox has lost.
        await sweepKnowledge(env, Date.now() + 600_000);
        expect(await show(caller, id)).toMatchObject({ status: "ready" });
      },
      { timeout: 170_000, interval: 1_000 },
    );
    for (const step of ["getOpen", "beginReading", "savePieces", "endReading", "markEmbedded", "show"])
      expect([...killed]).toEqual(expect.arrayContaining([`knowledge.${step}`, `after knowledge.${step}`]));
    for (const step of ["documents.read", "blobs.get", "blobs.put", "embedder.embed", "vectors.upsert"])
      expect([...killed]).toContain(step);
    changeReader((deps) => deps);
    expect(await countRows(caller)).toEqual({ documents: 1, versions: 1, pieces: PIECES, vectors: PIECES });
    expect(await readTexts(caller, id, 1)).toHaveLength(PIECES);
  }, 180_000);

  test("that is replaced is visible whole or not at all, and nothing of the old version stays", async () => {
    const caller = await makeCaller();
    const { id } = await add(caller, MANUAL);
    await waitFor(caller, id, { status: "ready" });
    const open = Promise.withResolvers<void>();
    changeReader((deps) =>
      watchCalls(deps, async (name) => {
        if (name === "knowledge.show") await open.promise;
      }),
    );
    const replaced = await caller.send("PUT", `${PATH}/${id}`, { text: "The green pump.\n\nIt is new.\n" });
    expect(replaced.json, replaced.text).toMatchObject({ version: 2, shown_version: 1, filename: "text.md" });
    await waitFor(caller, id, { status: "embedding", shown_version: 1, progress: 1 });
    expect(await readTexts(caller, id, 1)).toHaveLength(PIECES);
    expect(await readTexts(caller, id, 2)).toEqual([]);
    open.resolve();
    await waitFor(caller, id, { status: "ready", shown_version: 2 });
    expect(await readTexts(caller, id, 1)).toEqual([]);
    expect(await readTexts(caller, id, 2)).toEqual(["The green pump.", "It is new."]);
    await vi.waitFor(async () => {
      expect(await countRows(caller)).toEqual({ documents: 1, versions: 1, pieces: 2, vectors: 2 });
      expect(await listFiles(caller)).toHaveLength(2);
    }, SOON);
  });

  test("that cannot be read fails, and the version before stays", async () => {
    const caller = await makeCaller();
    const { id } = await add(caller, MANUAL);
    await waitFor(caller, id, { status: "ready" });
    await caller.send("PUT", `${PATH}/${id}`, { text: "a\0b".replace("\0", "\\0") });
    await waitFor(caller, id, { status: "ready", shown_version: 2 });
    changeReader((deps) => ({
      ...deps,
      documents: { ...deps.documents, read: () => Promise.resolve(failed("invalid_input", "It is encrypted.")) },
    }));
    await caller.send("PUT", `${PATH}/${id}`, { text: "encrypted" });
    const view = await waitFor(caller, id, { status: "failed", shown_version: 2, version: 3 });
    expect(view.error).toEqual({ code: "invalid_input", message: "It is encrypted." });
    expect(await readTexts(caller, id, 2)).toHaveLength(1);
    changeReader((deps) => deps);
    const again = await caller.send("POST", `${PATH}/${id}/reingest`);
    expect(again.status, again.text).toBe(202);
    await waitFor(caller, id, { status: "ready", shown_version: 4, source: { kind: "text" } });
    expect(await readTexts(caller, id, 4)).toEqual(["encrypted"]);
  });

  test("that hangs delays no other", async () => {
    const caller = await makeCaller();
    const bad = Promise.withResolvers<void>();
    changeReader((deps) => ({
      ...deps,
      documents: {
        ...deps.documents,
        async read(document) {
          if (document.name === "bad.md") await bad.promise;
          return await deps.documents.read(document);
        },
      },
    }));
    const hanging = await add(caller, "slow", { filename: "bad.md" });
    const { id } = await add(caller, MANUAL);
    await waitFor(caller, id, { status: "ready" });
    expect(await show(caller, hanging.id)).toMatchObject({ status: "reading" });
    bad.resolve();
    await waitFor(caller, hanging.id, { status: "ready" });
  });

  test("waits for an embedding model that is away", async () => {
    const caller = await makeCaller();
    let isAway = true;
    changeReader((deps) => ({
      ...deps,
      embedder: {
        ...deps.embedder,
        model: deps.embedder.model,
        embed: async (texts, signal) =>
          isAway ? failed("upstream_failed", "It is away.") : await deps.embedder.embed(texts, signal),
      },
    }));
    const { id } = await add(caller, MANUAL);
    await waitFor(caller, id, { status: "embedding", progress: 0.5, error: null });
    isAway = false;
    await waitFor(caller, id, { status: "ready" });
    expect(await countRows(caller)).toMatchObject({ pieces: PIECES, vectors: PIECES });
  });

  test("that is deleted is gone at once, and then its pieces, vectors and files", async () => {
    const caller = await makeCaller();
    const { id } = await add(caller, MANUAL);
    await waitFor(caller, id, { status: "ready" });
    expect((await caller.send("DELETE", `${PATH}/${id}`)).json).toMatchObject({ id });
    expectProblem(await caller.send("GET", `${PATH}/${id}`), 404);
    expectProblem(await caller.send("DELETE", `${PATH}/${id}`), 404);
    expect(await readTexts(caller, id, 1)).toEqual([]);
    await vi.waitFor(async () => {
      expect(await countRows(caller)).toEqual({ documents: 0, versions: 0, pieces: 0, vectors: 0 });
      expect(await listFiles(caller)).toEqual([]);
    }, SOON);
  });

  test("is erased with its project, and with its tenant", async () => {
    const caller = await makeCaller();
    const own = await add(caller, MANUAL, { project: "plant" });
    const other = await add(caller, MANUAL);
    await waitFor(caller, own.id, { status: "ready" });
    await waitFor(caller, other.id, { status: "ready" });
    const erased = await caller.send("DELETE", "/v1/projects/plant");
    expect(erased.status, erased.text).toBe(200);
    expectProblem(await caller.send("GET", `${PATH}/${own.id}`), 404);
    await vi.waitFor(async () => {
      expect(await countRows(caller)).toEqual({ documents: 1, versions: 1, pieces: PIECES, vectors: PIECES });
    }, SOON);
    const act = {
      id: "aud_x",
      at: Date.now(),
      actor: "operator",
      action: "tenant.erase",
      target: caller.tenant,
    } as const;
    valueOf(await databaseFromEnv(env).tenants.erase(caller.tenant, { ...act, requestId: "req_x" }));
    await vi.waitFor(async () => {
      await sweep(env, Date.now());
      expect(await countRows(caller)).toEqual({ documents: 0, versions: 0, pieces: 0, vectors: 0 });
    }, SOON);
    expect(await listFiles(caller)).toEqual([]);
  });
});
