/** Schedules as their tests make them, read them, and find them due. */
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import type { Caller } from "../http/entry.ts";

export const HOUR = 3_600_000;

/** A task that ends at once, and one that waits for a person. */
export const quick = (more: object = {}) => ({ input: JSON.stringify({ replies: [{ text: "done" }] }), ...more });
export const waits = {
  input: JSON.stringify({ replies: [{ calls: [{ name: "ask_human", arguments: { query: "?" } }] }] }),
};

export const config = (more: object = {}) => ({
  name: "nightly",
  when: { kind: "interval", every_seconds: 3600 },
  task: quick(),
  ...more,
});

type Row = Record<string, unknown>;

/** The schedules of a caller, or of another one that is named. */
export function schedulesOf(caller: () => Caller) {
  const stub = (id: string, tenant = caller().tenant) => env.SCHEDULES.get(env.SCHEDULES.idFromName(`${tenant}/${id}`));

  async function make(more: object = {}, who = caller()) {
    const made = await who.send("POST", "/v1/schedules", config(more));
    expect(made.status, made.text).toBe(201);
    return made.json;
  }

  /** The schedule was due `agoMs` ago, and nothing decided about that yet. */
  async function wasDue(id: string, agoMs: number, tenant = caller().tenant): Promise<number> {
    const due = Date.now() - agoMs;
    await runInDurableObject(stub(id, tenant), (_, state) => {
      const [row] = state.storage.sql.exec<{ state: string }>("SELECT state FROM schedule").toArray();
      const stored = JSON.parse(row?.state ?? "{}");
      const when = { ...stored.config.when, anchor: new Date(due).toISOString() };
      const changed = { ...stored, config: { ...stored.config, when }, next: { due, at: due } };
      state.storage.sql.exec("UPDATE schedule SET state = ?", JSON.stringify(changed));
    });
    await abortAllDurableObjects();
    return due;
  }

  async function ledger(id: string, who = caller()): Promise<Row[]> {
    const read = await who.send("GET", `/v1/schedules/${id}/occurrences`);
    expect(read.status, read.text).toBe(200);
    return read.json.data;
  }

  async function until(id: string, wanted: (rows: Row[]) => boolean, who = caller()): Promise<Row[]> {
    return await vi.waitFor(
      async () => {
        const rows = await ledger(id, who);
        if (!wanted(rows)) throw new Error(JSON.stringify(rows));
        return rows;
      },
      { timeout: 25_000, interval: 50 },
    );
  }

  return { stub, make, wasDue, ledger, until };
}
