/** The quota of bytes that all sandboxes of a tenant share: what the tenant's object counts, and what a sandbox holds of it. */
import type { SandboxWrite } from "../../../core/sandbox/write.ts";
import { env } from "cloudflare:workers";
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import type { SandboxRpc } from "../../../core/sandbox/rpc.ts";

const bindings: Env = env;
const LIMIT = 107_374_182_400;
const MIB = 1_048_576;

function tenant() {
  const id = `ten_${crypto.randomUUID()}`;
  const stub = () => bindings.TENANTS.get(bindings.TENANTS.idFromName(id));
  const rows = (query: string) => runInDurableObject(stub(), (_, state) => state.storage.sql.exec(query).toArray());
  return {
    rpc: () => tenantsFromEnv(bindings)(id),
    held: async () => (await rows("SELECT bytes FROM storage ORDER BY sandbox")).map(({ bytes }) => bytes),
    total: async () => (await rows("SELECT bytes FROM stored"))[0]?.["bytes"],
    sandbox(name: string): () => SandboxRpc {
      const object = bindings.SANDBOXES.idFromName(`${id}/tree/${name}`);
      return () => bindings.SANDBOXES.get(object) as unknown as SandboxRpc;
    },
  };
}

let keys = 0;
function write(path: string, size: number): SandboxWrite {
  keys += 1;
  return { key: `key-${keys}`, path, size, hash: `hash-${keys}` };
}

describe("a sandbox", () => {
  it("holds its bytes of the tenant's quota in steps, and asks no more often than it has to", async () => {
    const { held, total, sandbox } = tenant();
    const one = sandbox("one");
    await one().commit(write("a.txt", 1));
    expect(await held()).toEqual([65_536]);
    await one().commit(write("b.txt", 60_000));
    expect(await held()).toEqual([65_536]);
    await one().commit(write("c.txt", 10_000));
    await sandbox("two")().commit(write("a.txt", 70_000));
    expect(await held()).toEqual([131_072, 131_072]);
    expect(await total()).toBe(262_144);
  });

  it("gives back what it does not need, and everything when it is erased", async () => {
    const { held, total, sandbox } = tenant();
    const one = sandbox("one");
    await one().commit(write("a.bin", 10 * MIB));
    await one().commit(write("b.bin", 5));
    expect(await held()).toEqual([10 * MIB + 65_536]);
    await one().remove("a.bin", { key: "gone" });
    expect(await held()).toEqual([65_536]);
    await one().commit(write("b.bin", 3 * MIB));
    await one().commit(write("b.bin", 5));
    expect(await held()).toEqual([65_536]);
    await one().erase();
    await one().erase();
    expect([await held(), await total()]).toEqual([[], 0]);
  });

  it("is refused what does not fit, before its bytes are sent, and may still become smaller", async () => {
    const { rpc, held, sandbox } = tenant();
    const one = sandbox("one");
    await one().commit(write("a.bin", 10 * MIB));
    expect(await rpc().holdStorage("another", LIMIT - 10 * MIB - 100)).toEqual({ ok: true, value: undefined });
    expect(await one().admit(write("b.bin", 101))).toMatchObject({ ok: false, error: { code: "quota_exceeded" } });
    expect(await one().commit(write("b.bin", 101))).toMatchObject({ ok: false, error: { code: "quota_exceeded" } });
    expect(await one().commit(write("b.bin", 100))).toMatchObject({ ok: true });
    expect(await one().commit(write("a.bin", 8 * MIB))).toMatchObject({ ok: true });
    expect(await held()).toEqual([LIMIT - 10 * MIB - 100, 8 * MIB + 65_536]);
    expect(await sandbox("two")().commit(write("a.bin", 2 * MIB))).toMatchObject({ ok: false });
    expect(await sandbox("two")().commit(write("a.bin", MIB))).toMatchObject({ ok: true });
  });

  it("never has more than it holds, however many writes come at once", async () => {
    const { rpc, held, sandbox } = tenant();
    await rpc().holdStorage("another", LIMIT - 4 * MIB);
    const one = sandbox("one");
    const writes = Array.from({ length: 20 }, (_, index) => write(`${index}.bin`, MIB));
    const settled = await Promise.all(
      writes.map(async (each, index) => {
        const admitted = await one().admit(each);
        if (index % 3 === 0) await one().remove(`${index - 3}.bin`, { key: `r-${each.key}` });
        return admitted.ok ? await one().commit(each) : admitted;
      }),
    );
    const listed = await one().list("");
    const bytes = listed.ok ? listed.value.reduce((sum, { size }) => sum + size, 0) : Number.NaN;
    expect(bytes).toBeLessThanOrEqual(4 * MIB);
    expect(settled.filter(({ ok }) => ok).length).toBeGreaterThanOrEqual(4);
    const [, mine] = await held();
    expect(Number(mine)).toBeGreaterThanOrEqual(bytes);
  });

  it("holds the same after a crash", async () => {
    const { held, total, sandbox } = tenant();
    await sandbox("one")().commit(write("a.bin", MIB));
    await abortAllDurableObjects();
    await sandbox("one")().commit(write("b.bin", 1));
    expect([await held(), await total()]).toEqual([[MIB + 65_536], MIB + 65_536]);
  });
});

describe("an erased tenant", () => {
  it("lets no sandbox hold anything", async () => {
    const { rpc, held, sandbox } = tenant();
    await sandbox("one")().commit(write("a.bin", MIB));
    await rpc().erase();
    expect(await held()).toEqual([]);
    expect(await sandbox("one")().commit(write("b.bin", MIB))).toMatchObject({ ok: false });
    await sandbox("one")().erase();
  });
});
