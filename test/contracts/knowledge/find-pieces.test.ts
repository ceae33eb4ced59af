/** The database function that finds pieces by their words, and what it does not let out. */
import { readFile } from "node:fs/promises";
import { neon, neonConfig } from "@neondatabase/serverless";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import type { Database } from "../../../core/ports/database.ts";
import { PIECE_KINDS } from "../../../core/knowledge/piece.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { makeTenant } from "../database/rows.ts";
import { runAs, seedDocument } from "./seed.ts";

let server: TestDatabase;
let database: Database;
beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
});
afterAll(() => server.close());

const newTenantId = async () => (await makeTenant(database)).tenant.id;

async function find(
  tenant: string | null,
  query: string,
  { kinds = PIECE_KINDS, projects = null }: { kinds?: readonly string[]; projects?: readonly string[] | null } = {},
): Promise<string[]> {
  const text = "select id, rank from otto_find_pieces($1, $2, $3, 50)";
  const rows = await runAs(server, tenant, [{ text, params: [query, kinds, projects] }]);
  return rows.map(({ id }) => String(id));
}

describe("otto_find_pieces", () => {
  it("finds words in the basic form of the text's language, and names as they are", async () => {
    const tenant = await newTenantId();
    const [english, german, name, russian, chinese] = [
      "The tenants have paid the rents for the months of March and April to the landlord.",
      "Die Kündigungsfristen der Verträge sind mit dem Vermieter und den Mietern vereinbart.",
      "Contact Thomas Running for the keys.",
      "Все договоры и соглашения хранятся в архиве на складе.",
      "合同的通知期为三个月。",
    ];
    const { pieces } = await seedDocument(server, tenant, {
      title: "Notes",
      pieces: [english, german, name, russian, chinese].map((text) => ({ text: text ?? "" })),
    });
    expect(await find(tenant, "rent tenant")).toEqual([pieces[0]]);
    expect(await find(tenant, "kündigungsfrist")).toEqual([pieces[1]]);
    expect(await find(tenant, "running")).toContain(pieces[2]);
    expect(await find(tenant, "договор")).toEqual([pieces[3]]);
    expect(await find(tenant, "通知 知期")).toEqual([pieces[4]]);
    expect(await find(tenant, "absent")).toEqual([]);
    expect(await find(tenant, "")).toEqual([]);
  });

  it("ranks rare words above frequent ones, and finds a document by its title", async () => {
    const tenant = await newTenantId();
    const common = Array.from({ length: 20 }, (_, index) => ({ text: `The report number ${index} was sent.` }));
    const all = await seedDocument(server, tenant, {
      title: "Log",
      pieces: [...common, { text: "The zeppelin has landed." }, { text: "A report of the zeppelin." }],
    });
    const named = await seedDocument(server, tenant, { title: "Zeppelin", pieces: [{ text: "It flew." }] });
    const found = await find(tenant, "report zeppelin");
    expect(new Set(found.slice(0, 3))).toEqual(new Set([all.pieces[20], all.pieces[21], named.pieces[0]]));
    expect(await find(tenant, "zeppelin")).toContain(named.pieces[0]);
    await runAs(server, tenant, [
      { text: "update knowledge_documents set title = 'Balloon' where id = $1", params: [named.id] },
    ]);
    expect(await find(tenant, "zeppelin")).not.toContain(named.pieces[0]);
    expect(await find(tenant, "balloon")).toEqual(named.pieces);
  });

  it("ranks a piece with more of the words first, then one with the words in its headings, then in its title", async () => {
    const tenant = await newTenantId();
    const { pieces } = await seedDocument(server, tenant, {
      title: "Rules",
      pieces: [
        { text: "The heron and the heron, and again a heron." },
        { text: "The heron meets the marmot." },
        { text: "It has a nest.", heading: ["Heron"] },
        { text: "The marmot sleeps.", heading: ["Winter"] },
      ],
    });
    const titled = await seedDocument(server, tenant, { title: "Marmot", pieces: [{ text: "A heron was there." }] });
    const [both, inTitle] = [pieces[1] ?? "", titled.pieces[0] ?? ""];
    const found = await find(tenant, "heron marmot");
    expect(new Set(found.slice(0, 2))).toEqual(new Set([both, inTitle]));
    expect(found).toHaveLength(5);
    const heron = await find(tenant, "heron");
    expect(heron[0]).toBe(pieces[2]);
    // A mark is no word: a text cannot claim a heading.
    await seedDocument(server, tenant, { title: "Forged", pieces: [{ text: "#heron ##heron '#heron'" }] });
    expect((await find(tenant, "heron"))[0]).toBe(pieces[2]);
    expect(await find(tenant, "#heron")).toEqual(await find(tenant, "heron"));
  });

  it("finds only the pieces of the shown version, of the wanted kinds and projects", async () => {
    const tenant = await newTenantId();
    const old = await seedDocument(server, tenant, { title: "Plan", pieces: [{ text: "otter one" }] });
    const later = await seedDocument(server, tenant, {
      title: "Plan",
      id: old.id,
      version: 2,
      shown: 1,
      pieces: [{ text: "otter two" }],
    });
    expect(await find(tenant, "otter")).toEqual(old.pieces);
    await runAs(server, tenant, [{ text: "update knowledge_documents set shown = 2 where id = $1", params: [old.id] }]);
    expect(await find(tenant, "otter")).toEqual(later.pieces);
    await seedDocument(server, tenant, { title: "Otter", shown: null, pieces: [{ text: "otter three" }] });
    const gone = await seedDocument(server, tenant, { title: "Otter", pieces: [{ text: "otter four" }] });
    const remove = "update knowledge_documents set deleted_at = now() where id = $1";
    await runAs(server, tenant, [{ text: remove, params: [gone.id] }]);
    const table = { text: "otter table", kind: "table" } as const;
    const own = await seedDocument(server, tenant, { title: "Of p", project: "p", pieces: [table] });
    expect(await find(tenant, "otter", { kinds: ["table"] })).toEqual(own.pieces);
    expect(await find(tenant, "otter", { projects: [""] })).toEqual(later.pieces);
    expect(await find(tenant, "otter", { projects: ["p"] })).toEqual(own.pieces);
    expect(await find(tenant, "otter", { projects: ["", "q"] })).toEqual(later.pieces);
    expect(await find(tenant, "otter", { projects: [] })).toEqual([]);
  });

  it("takes any text as words, never as an expression", async () => {
    const tenant = await newTenantId();
    const { pieces } = await seedDocument(server, tenant, { title: "T", pieces: [{ text: "plain words" }] });
    for (const query of ["' | plain", "!absent", "a & !b", "plain:* <->", "'; drop table x; --", "\\", "''''", "%"])
      expect(Array.isArray(await find(tenant, query))).toBe(true);
    expect(await find(tenant, "!absent")).toEqual([]);
    expect(await find(tenant, "plain:*")).toEqual(pieces);
  });
});

/** Every way to name a tenant wrongly, and the tenants whose pieces nobody else may find. */
async function findLeaks(owner: string, other: string): Promise<string[]> {
  const forged = [null, "", other, "%", `${owner}' or '1'='1`, ` ${owner}`, owner.toUpperCase(), "operator"];
  const leaks: string[] = [];
  for (const tenant of forged) leaks.push(...(await find(tenant, "canary")));
  return leaks;
}

describe("the tenant of otto_find_pieces", () => {
  it("is app.tenant and nothing else: unset, forged or another, it finds nothing", async () => {
    const [owner, other] = [await newTenantId(), await newTenantId()];
    const { pieces } = await seedDocument(server, owner, { title: "Secret", pieces: [{ text: "the canary sings" }] });
    expect(await find(owner, "canary")).toEqual(pieces);
    expect(await findLeaks(owner, other)).toEqual([]);
  });

  const CONDITIONS = {
    pieces: "p.tenant = nullif(current_setting('app.tenant', true), '')",
    documents: "d.tenant = nullif(current_setting('app.tenant', true), '')",
  };

  it.each([
    ["pieces and documents", ["pieces", "documents"], true],
    ["documents", ["documents"], true],
    // Pieces are found of documents of the tenant only, so the condition of the documents is enough here.
    ["pieces", ["pieces"], false],
  ] as const)("is what keeps tenants apart: without the condition of %s", async (_name, removed, leaks) => {
    const source = await readFile(new URL("../../../migrations/0047_find_pieces.sql", import.meta.url), "utf8");
    const [definition = ""] = /create or replace function otto_find_pieces[^]*?\$\$;/.exec(source) ?? [];
    let mutant = definition;
    for (const name of removed) {
      expect(mutant.split(CONDITIONS[name])).toHaveLength(2);
      mutant = mutant.replace(CONDITIONS[name], "true");
    }
    const replace = async (text: string) => {
      neonConfig.fetchEndpoint = server.endpoint;
      await neon(server.ownerUrl, { disableWarningInBrowsers: true }).query(text);
    };
    const [owner, other] = [await newTenantId(), await newTenantId()];
    await seedDocument(server, owner, { title: "Canary", pieces: [{ text: "the canary sings" }, { text: "it flew" }] });
    await replace(mutant);
    try {
      expect((await findLeaks(owner, other)).length > 0).toBe(leaks);
    } finally {
      await replace(definition);
    }
    expect(await findLeaks(owner, other)).toEqual([]);
  });
});
