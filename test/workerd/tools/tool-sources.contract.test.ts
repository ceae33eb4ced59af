/** The contract of tool sources, on Postgres, the bucket and the tenant's object; and what only they have. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { TenantObject } from "../../../durable-objects/tenant/object.ts";
import { tasksFromEnv } from "../../../adapters/env/tasks.ts";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { toolSourcesFromEnv } from "../../../adapters/env/tool-sources.ts";
import { shippedPin } from "../../../core/tool/shipped-skills.ts";
import { outsideToolOf, toolSourcesContract } from "../../contracts/tool/tool-sources-suite.ts";
import { makeCaller } from "../http/entry.ts";
import { watchDatabase } from "../tenant/client.ts";

const sources = toolSourcesFromEnv(env);

toolSourcesContract("Postgres and the bucket", async () => {
  const [a, b] = [await makeCaller(), await makeCaller()];
  return { sources, a: a.tenant, b: b.tenant };
});

describe("what was published", () => {
  it("is pinned by the tasks that are made after it, without the database, and by no task of another tenant", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const [a, b] = [await makeCaller(), await makeCaller()];
    const factsOf = async (caller: typeof a) => {
      const task = await caller.makeTask([], { hold: true });
      const facts = await tasksFromEnv(env)(caller.tenant, task.id).facts();
      return facts.ok ? facts.value.sources : null;
    };
    expect([await factsOf(a), await factsOf(b)]).toEqual([[shippedPin], [shippedPin]]);
    const made = await sources.publish(a.tenant, { name: "custom", tools: [outsideToolOf("one")] }, null);
    const watch = watchDatabase();
    watch.isAway = true;
    expect(await factsOf(a)).toEqual([{ name: "custom", hash: made.ok ? made.value.hash : "" }, shippedPin]);
    expect(await factsOf(b)).toEqual([shippedPin]);
    expect(watch.queries).toBeLessThanOrEqual(2);
  });

  it("is reported to the tenant's object later, if the first report was interrupted", async () => {
    const { tenant, send } = await makeCaller();
    const tell = vi.spyOn(TenantObject.prototype, "takeSource").mockRejectedValue(new Error("the tenant is away"));
    const body = {
      name: "mine",
      summary: "Read it.",
      input: { type: "object" },
      request: { url: "https://nowhere.example/" },
    };
    expect((await send("POST", "/v1/tools", body)).status).toBe(500);
    tell.mockRestore();
    expect((await send("GET", "/v1/tools/mine")).status).toBe(404);
    expect((await send("POST", "/v1/tools", body)).status).toBe(409);
    expect((await send("GET", "/v1/tools/mine")).status).toBe(200);
    expect(await sources.present(tenant)).toMatchObject({ value: [{ name: "custom" }] });
  });

  it("is taken by the tenant's object in the order of its versions, and never by one that was erased", async () => {
    const { tenant } = await makeCaller();
    const stub = tenantsFromEnv(env)(tenant);
    const take = (version: number, hash: string | null) => stub.takeSource({ name: "custom", version, hash });
    const pinned = async () => {
      const admission = await stub.admit({ keyHash: "x", keyRecord: key(tenant), idempotency: null });
      return admission.kind === "admitted" ? admission.sources : null;
    };
    await take(2, "two");
    await take(1, "one");
    expect(await pinned()).toEqual([{ name: "custom", hash: "two" }]);
    await take(3, null);
    await take(2, "two");
    expect(await pinned()).toEqual([]);
    await stub.erase();
    await take(9, "nine");
    expect(await pinned()).toBeNull();
  });
});

function key(tenant: string) {
  return { id: "key_test", tenant, name: "test", scopes: [], expiresAt: null };
}
