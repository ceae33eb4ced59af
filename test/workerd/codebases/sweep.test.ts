/** What the sweep does for codebases: deleted ones whose request to remove them was lost leave nothing. */
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { codeIndexFromEnv } from "../../../adapters/env/codebases.ts";
import { sweepCodebases } from "../../../workers/codebases/sweep.ts";
import { act, newId } from "../../contracts/database/rows.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { indexText } from "../../fakes/code-reader.ts";
import { makeCaller } from "../http/entry.ts";

const HOUR = 3_600_000;
const MINUTE = 60_000;
const WAIT = { timeout: 20_000, interval: 200 } as const;

test("a deleted codebase whose removal was lost is removed within the hour, with its vectors", {
  timeout: 60_000,
}, async () => {
  const { tenant } = await makeCaller();
  const { table, vectors, embedder } = codeIndexFromEnv(env);
  const users = { agents: ["coder"], projects: null, people: null };
  const add = async (name: string): Promise<string> => {
    const given = { id: newId("codebase"), name, source: { project: name }, ...users, every: null, dueAt: null };
    const { id } = valueOf(await table.create(tenant, given, act("codebase.create", given.id)));
    const { build } = valueOf(await table.begin(tenant, id, 1));
    valueOf(await table.add(tenant, id, build, [indexText("a.ts", "export function alpha() {}")]));
    return id;
  };
  const [gone, stays] = [await add("gone"), await add("stays")];
  const { chunks } = valueOf(await table.old(tenant, null, 10));
  expect(chunks).toEqual([]);
  valueOf(await table.remove(tenant, gone, act("codebase.delete", gone)));
  const [id = ""] = valueOf(await table.old(tenant, gone, 10)).chunks;
  const values = new Float32Array(384).fill(1 / Math.sqrt(384));
  const stored = { id, project: gone, collection: "code", kind: "code", values } as const;
  valueOf(await vectors.upsert(tenant, embedder.model, [stored]));
  const near = { values, scope: [gone], collection: "code", kind: "code", limit: 1, among: null } as const;
  const countVectors = async () => valueOf(await vectors.query(tenant, embedder.model, near)).length;
  const count = async () => valueOf(await table.old(tenant, null, 10)).files.length;

  const hour = Math.ceil(Date.now() / HOUR) * HOUR;
  await sweepCodebases(env, hour + MINUTE);
  expect([await count(), await countVectors()]).toEqual([1, 1]);
  await sweepCodebases(env, hour);
  await vi.waitFor(async () => expect([await count(), await countVectors()]).toEqual([0, 0]), WAIT);
  expect(valueOf(await table.get(tenant, stays)).name).toBe("stays");
  const place = { codebase: stays, build: 1, deleted: [] };
  expect(valueOf(await table.listUnembedded(tenant, place, "m", 10)).length).toBe(1);
});
