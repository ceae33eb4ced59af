import { env } from "cloudflare:workers";
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { SandboxRpc } from "../../../core/sandbox/rpc.ts";
import { SANDBOX_MAX_BYTES, SANDBOX_MAX_FILES, type SandboxWrite } from "../../../core/sandbox/write.ts";
import { OUTSIDE, TENANT } from "../../../core/provenance/label.ts";
import type { SandboxObject } from "../../../durable-objects/sandbox/object.ts";
import { SandboxStore } from "../../../durable-objects/sandbox/store.ts";
import { SandboxTables } from "../../../durable-objects/sandbox/tables.ts";

const namespace = (env as unknown as { SANDBOXES: DurableObjectNamespace<SandboxObject> }).SANDBOXES;

function open() {
  const name = `ten_1/tree/${crypto.randomUUID()}`;
  const stub = () => namespace.get(namespace.idFromName(name));
  return { stub, rpc: () => stub() as unknown as SandboxRpc };
}

let keys = 0;
function write(path: string, change: Partial<SandboxWrite> = {}): SandboxWrite {
  keys += 1;
  return { key: `key-${keys}`, path, size: 1, hash: `hash-${keys}`, ...change };
}

const rowsOf = (stub: DurableObjectStub<SandboxObject>, query: string) =>
  runInDurableObject(stub, (_, state) => state.storage.sql.exec(query).toArray());

describe("the object of a sandbox", () => {
  it("makes no table while it is only read", async () => {
    const { stub, rpc } = open();
    expect(await rpc().list("")).toEqual({ ok: true, value: [] });
    expect(await rpc().stat("a.txt")).toMatchObject({ error: { code: "not_found" } });
    expect(await rpc().walk("", null, 10)).toEqual({ ok: true, value: { files: [], next: null } });
    expect(await rpc().versions("a.txt")).toMatchObject({ error: { code: "not_found" } });
    expect(await rpc().remove("a.txt", { key: "x" })).toMatchObject({ error: { code: "not_found" } });
    expect(await rowsOf(stub(), "SELECT name FROM sqlite_master WHERE name = 'files'")).toEqual([]);
  });

  it("changes nothing when it admits a write", async () => {
    const { rpc } = open();
    await rpc().commit(write("a.txt"));
    await rpc().admit(write("b.txt"));
    expect(await rpc().list("")).toMatchObject({ value: [{ name: "a.txt" }] });
  });

  it("asks for bytes that it does not have, and says which write was applied", async () => {
    const { rpc } = open();
    const first = write("a.txt", { hash: "known" });
    const committed = await rpc().commit(first);
    expect(await rpc().admit(first)).toEqual({
      ok: true,
      value: { applied: committed.ok && committed.value, blobNeeded: false },
    });
    expect(await rpc().admit(write("b.txt", { hash: "known" }))).toMatchObject({
      value: { applied: null, blobNeeded: false },
    });
    expect(await rpc().admit(write("b.txt", { hash: "unknown" }))).toMatchObject({
      value: { applied: null, blobNeeded: true },
    });
  });

  it("survives a crash unchanged", async () => {
    const { rpc } = open();
    const first = write("a/b.txt", { size: 7 });
    const committed = await rpc().commit(first);
    await abortAllDurableObjects();
    expect(committed).toMatchObject(await rpc().stat("a/b.txt"));
    expect(await rpc().commit({ ...first, path: "other.txt" })).toEqual(committed);
    expect(await rpc().list("")).toMatchObject({ value: [{ name: "a", size: 7 }] });
  });

  it("stores the ten versions before the current one, and does not reuse version numbers after a deletion", async () => {
    const { stub, rpc } = open();
    for (let i = 1; i <= 13; i += 1) await rpc().commit(write("a.txt", { size: i }));
    await rpc().commit(write("b.txt"));
    expect(await rpc().stat("a.txt")).toMatchObject({ value: { version: 13, size: 13 } });
    const rows = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, index) => ({
        path: "a.txt",
        version: from + index,
        size: from + index,
      }));
    const query = "SELECT path, version, size FROM versions ORDER BY version";
    expect(await rowsOf(stub(), query)).toEqual(rows(3, 12));
    await rpc().remove("a.txt", { key: "gone" });
    expect(await rowsOf(stub(), query)).toEqual(rows(4, 13));
    expect(await rpc().commit(write("a.txt", { size: 14 }))).toMatchObject({ value: { version: 14, isNew: true } });
    expect(await rowsOf(stub(), query)).toEqual(rows(4, 13));
  });

  it("counts what it holds, over replacements", async () => {
    const { stub, rpc } = open();
    await rpc().commit(write("a.txt", { size: 10 }));
    await rpc().commit(write("b.txt", { size: 5 }));
    await rpc().commit(write("a.txt", { size: 3 }));
    expect(await rowsOf(stub(), "SELECT files, bytes FROM totals")).toEqual([{ files: 2, bytes: 8 }]);
  });

  it("holds to its quota of bytes, at both doors", async () => {
    const { rpc } = open();
    expect(await rpc().admit(write("a.bin", { size: SANDBOX_MAX_BYTES + 1 }))).toMatchObject({
      error: { code: "quota_exceeded" },
    });
    expect(await rpc().commit(write("a.bin", { size: SANDBOX_MAX_BYTES }))).toMatchObject({ ok: true });
    expect(await rpc().commit(write("b.bin"))).toMatchObject({ error: { code: "quota_exceeded" } });
    expect(await rpc().commit(write("a.bin", { size: 5 }))).toMatchObject({ ok: true });
    expect(await rpc().commit(write("b.bin"))).toMatchObject({ ok: true });
  });

  it("holds to its quota of files, and lists them all", async () => {
    const { stub, rpc } = open();
    await runInDurableObject(stub(), (_, state) => {
      const store = new SandboxStore(new SandboxTables(state.storage));
      for (let i = 0; i < SANDBOX_MAX_FILES; i += 1) store.put(write(`d/${i}.txt`), { files: i + 1, bytes: i + 1 }, 0);
    });
    await abortAllDurableObjects();
    expect(await rpc().commit(write("more.txt"))).toMatchObject({ error: { code: "quota_exceeded" } });
    expect(await rpc().commit(write("d/1.txt"))).toMatchObject({ ok: true });
    const listed = await rpc().list("d");
    expect(listed.ok && listed.value.length).toBe(SANDBOX_MAX_FILES);
  });

  it("checks the form of every path on its own", async () => {
    const { rpc } = open();
    for (const path of ["../a", "/a", "a//b", "a\\b", "a\0", "cafe\u0301.txt", "a".repeat(1_025)]) {
      expect((await rpc().commit(write(path))).ok).toBe(false);
      expect((await rpc().admit(write(path))).ok).toBe(false);
    }
    expect(await rpc().list("")).toEqual({ ok: true, value: [] });
  });

  it("takes names with every character that SQL or patterns could trip over", async () => {
    const { rpc } = open();
    const paths = ["a%/b_.txt", "a'/b\".txt", "a*/[b].txt", "a0", "a-", "😀/é.txt", `${"d/".repeat(500)}x`];
    for (const path of paths) expect(await rpc().commit(write(path))).toMatchObject({ ok: true });
    for (const path of paths) expect(await rpc().stat(path)).toMatchObject({ ok: true, value: { path } });
    expect(await rpc().list("a%")).toMatchObject({ value: [{ name: "b_.txt" }] });
    expect(await rpc().list("a_")).toMatchObject({ error: { code: "not_found" } });
    expect(await rpc().list("😀")).toMatchObject({ value: [{ name: "é.txt" }] });
  });

  it("takes over what an earlier release stored", async () => {
    const { stub, rpc } = open();
    await runInDurableObject(stub(), (_, state) => {
      state.storage.sql.exec(`
        CREATE TABLE files (path TEXT PRIMARY KEY, hash TEXT NOT NULL, size INTEGER NOT NULL, content_type TEXT NOT NULL,
          modified_at INTEGER NOT NULL, version INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE versions (path TEXT NOT NULL, version INTEGER NOT NULL, hash TEXT NOT NULL, size INTEGER NOT NULL,
          content_type TEXT NOT NULL, modified_at INTEGER NOT NULL, PRIMARY KEY (path, version)) WITHOUT ROWID;
        CREATE TABLE writes (key TEXT PRIMARY KEY, entry TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE totals (id INTEGER PRIMARY KEY CHECK (id = 1), files INTEGER NOT NULL, bytes INTEGER NOT NULL);
        INSERT INTO totals VALUES (1, 1, 70);
        INSERT INTO files VALUES ('a/old.txt', 'h2', 70, 'text/plain', 5, 2);
        INSERT INTO versions VALUES ('a/old.txt', 1, 'h1', 60, 'text/plain', 4);
      `);
    });
    await abortAllDurableObjects();
    expect(await rpc().stat("a/old.txt")).toMatchObject({ value: { version: 2, mode: 0o644, label: TENANT } });
    expect(await rpc().list("a")).toMatchObject({ value: [{ name: "old.txt", label: TENANT }] });
    const restored = await rpc().restore("a/old.txt", 1, { key: "r" });
    expect(restored).toMatchObject({ value: { version: 3, size: 60, label: TENANT } });
    expect(await rowsOf(stub(), "SELECT files, bytes FROM totals")).toEqual([{ files: 1, bytes: 60 }]);
  });

  it("reads files of a release without labels as the tenant's records", async () => {
    const { stub, rpc } = open();
    await rpc().admit(write("a/old.txt"));
    await rpc().commit({ ...write("a/old.txt"), label: OUTSIDE });
    await rpc().makeDirectory("empty", "d", OUTSIDE);
    await runInDurableObject(stub(), (_, state) => {
      for (const table of ["files", "versions", "directories"])
        state.storage.sql.exec(`ALTER TABLE ${table} DROP COLUMN label`);
      for (const table of ["files", "versions"]) state.storage.sql.exec(`ALTER TABLE ${table} DROP COLUMN is_uploaded`);
    });
    await abortAllDurableObjects();
    expect(await rpc().list("")).toMatchObject({
      value: [
        { name: "a", label: TENANT },
        { name: "empty", label: TENANT },
      ],
    });
    expect(await rpc().commit(write("a/new.txt"))).toMatchObject({ value: { label: OUTSIDE } });
  });

  it("takes what the release before uploads were marked stored for what tasks wrote", async () => {
    const { stub, rpc } = open();
    for (const label of [TENANT, OUTSIDE]) await rpc().commit({ ...write("a/old.txt"), label });
    await runInDurableObject(stub(), (_, state) => {
      for (const table of ["files", "versions"]) state.storage.sql.exec(`ALTER TABLE ${table} DROP COLUMN is_uploaded`);
    });
    await abortAllDurableObjects();
    expect(await rpc().stat("a/old.txt")).toMatchObject({ value: { label: OUTSIDE, isUploaded: false } });
    expect(await rpc().versions("a/old.txt")).toMatchObject({ value: [{ label: OUTSIDE }, { label: TENANT }] });
    expect(await rpc().commit({ ...write("a/new.txt"), isUploaded: true })).toMatchObject({
      value: { isUploaded: true },
    });
  });

  it("is empty after it was erased, and takes writes again", async () => {
    const { rpc } = open();
    const first = write("a.txt");
    await rpc().commit(first);
    await rpc().erase();
    expect(await rpc().list("")).toEqual({ ok: true, value: [] });
    expect(await rpc().commit(first)).toMatchObject({ ok: true, value: { version: 1 } });
  });
});
