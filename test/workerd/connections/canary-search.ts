/** Where a test searches for credentials that must be found nowhere. */
import { runInDurableObject } from "cloudflare:test";
import { expect, inject } from "vitest";
import type { Caller } from "../http/entry.ts";
import { asOwner } from "../tenants/reindex-client.ts";

/** What must be found nowhere, by name. */
export type Canaries = Map<string, string>;
/** Texts in which it is searched, by where they come from. */
export type Texts = Map<string, string>;

const LISTS = [
  "connections?owner=all",
  "audit?limit=100",
  "inbox",
  "deliveries",
  "tool-sources",
  "tools?limit=100",
  "people",
  "keys",
  "tasks",
  "usage",
  "mcp-servers",
  "schedules",
  "session",
];

/** The replies of the API that show anything of connections, calls and people. */
export async function readReplies(
  by: Caller,
  tasks: readonly string[],
  connections: readonly string[],
): Promise<string> {
  const paths = [
    ...LISTS,
    ...connections.map((id) => `connections/${id}`),
    ...tasks.flatMap((id) => ["", "/ledger", "/trace", "/events"].map((part) => `tasks/${id}${part}`)),
  ];
  const replies = await Promise.all(
    paths.map((path) => by.send("GET", `/v1/${path}`, undefined, { accept: "application/json" })),
  );
  return replies.map(({ text }) => text).join("\n");
}

/** All rows of the tenant, with the sealed columns, in which no canary can be read either. */
export async function readRows(tenant: string): Promise<string> {
  const query =
    "select table_name from information_schema.columns where column_name = 'tenant' and table_schema = 'public'";
  const rows = [];
  for (const { table_name: table } of await asOwner(query))
    rows.push(...(await asOwner(`select to_jsonb(t)::text as row from ${String(table)} t where tenant = $1`, tenant)));
  return rows.map(({ row }) => String(row)).join("\n");
}

/** Everything in the storage of an object. */
export async function readObject(stub: DurableObjectStub<undefined>): Promise<string> {
  return await runInDurableObject(stub, (_, { storage: { sql } }) => {
    const tables = sql.exec<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
    );
    const rows = tables.toArray().flatMap(({ name }) => sql.exec(`SELECT * FROM "${name}"`).toArray());
    return rows.flatMap((row) => Object.values(row).map(toText)).join("\n");
  });
}

function toText(value: unknown): string {
  return value instanceof ArrayBuffer ? new TextDecoder("latin1").decode(value) : String(value);
}

/** The forms in which a value may be written. */
function toForms(value: string): readonly string[] {
  const base64 = [0, 1, 2].map((shift) => btoa("x".repeat(shift) + value).slice(shift === 0 ? 0 : 4, -4));
  return [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1), ...base64];
}

export async function countPrompts(text: string): Promise<number> {
  return await (await fetch(`${inject("servers").recorderUrl}/prompts?${encodeURIComponent(text)}`)).json();
}

/** Searches each text, and the prompts that models received. */
export async function expectNowhere(canaries: Canaries, texts: Texts): Promise<void> {
  for (const [name, text] of texts) expect(text.length, name).toBeGreaterThan(50);
  for (const [name, value] of canaries) {
    expect(value.length, name).toBeGreaterThan(20);
    for (const form of toForms(value)) {
      for (const [where, text] of texts) expect(text.includes(form), `${name} in ${where}`).toBe(false);
      expect(await countPrompts(form), `${name} in a prompt`).toBe(0);
    }
  }
}
