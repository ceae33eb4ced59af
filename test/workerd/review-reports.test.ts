import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { tasksFromEnv, tenantsFromEnv } from "../../adapters/from-env.ts";
import type { TenantRpc } from "../../core/objects.ts";
import { type Caller, makeCaller } from "./front-door.ts";
import { tenantStub } from "./tenant-client.ts";

const look = { calls: [{ name: "get_current_datetime", arguments: { timezone: "UTC" } }] };
const done = { text: "Done." };

async function tenantMethods(caller: Caller): Promise<TenantRpc> {
  return await runInDurableObject(tenantStub(caller.tenant), (object) => Object.getPrototypeOf(object) as TenantRpc);
}

describe("what a review found", () => {
  test("a tenant that is slow to hear is not told again at every step", async () => {
    const caller = await makeCaller();
    const methods = await tenantMethods(caller);
    const hear = methods.report;
    const report = vi.spyOn(methods, "report").mockImplementation(async function slow(this: TenantRpc, row) {
      await new Promise((resolve) => setTimeout(resolve, 60));
      return await hear.call(this, row);
    });
    const { id } = await caller.makeTask([...Array.from({ length: 90 }, () => look), done], { budget: { max_steps: 95 } });
    await caller.until(id, ({ status }) => status === "completed" || status === "failed");
    await new Promise((resolve) => setTimeout(resolve, 300));
    const told = report.mock.calls.filter(([row]) => row.task === id).map(([row]) => `${row.version} ${row.view.status}`);
    expect(told.length).toBeLessThan(5);
  });

  test("an ended task of an erased tenant is erased at the first try, also when its object was reloaded", async () => {
    const caller = await makeCaller();
    const { id } = await caller.makeTask([done]);
    await caller.until(id, ({ status }) => status === "completed");
    await new Promise((resolve) => setTimeout(resolve, 500));
    await abortAllDurableObjects();
    await tenantsFromEnv(env)(caller.tenant).erase();
    expect(await tasksFromEnv(env)(caller.tenant, id).erase()).toMatchObject({ ok: true });
  });

  test("a tenant that is gone while its task cannot be forgotten leaves no stray rejection", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const caller = await makeCaller();
    const tenant = await tenantMethods(caller);
    const { id } = await caller.makeTask([{ text: "late", delayMs: 3000 }]);
    await caller.until(id, ({ status }) => status === "running");
    vi.spyOn(tenant, "forget").mockImplementation(() => Promise.reject(new Error("away")));
    await tenantsFromEnv(env)(caller.tenant).erase();
    await tasksFromEnv(env)(caller.tenant, id).cancel("test");
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(vi.mocked(tenant.forget).mock.calls.length).toBeGreaterThan(0);
  });
});
