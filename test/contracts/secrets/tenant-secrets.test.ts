/** The table of secrets, and the port that opens them for the egress module, together with its fake. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import { openSealing } from "../../../adapters/secrets/sealing.ts";
import { openSecrets, sealSecret, SecretCache } from "../../../adapters/secrets/secrets.ts";
import { DEFAULT_AGENT, type PinnedAgent } from "../../../core/agents/agent.ts";
import type { Database } from "../../../core/ports/database.ts";
import { OPERATOR_TENANT } from "../../../core/ports/audit.ts";
import type { SecretSetting } from "../../../core/ports/secret-table.ts";
import { failed } from "../../../core/base/errors.ts";
import { type SecretUser, SETUP, toSecretUser } from "../../../core/secrets/secret-use.ts";
import type { SecretsPort, TenantSecret } from "../../../core/ports/secrets.ts";
import { MAX_SECRETS } from "../../../core/secrets/tenant-secret.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { fakeSecrets } from "../../fakes/secrets.ts";
import { act, makeTenant, newId, secretOf, START } from "../database/rows.ts";

let server: TestDatabase;
let database: Database;
let tenant: string;

beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
});
afterAll(() => server.close());
beforeEach(async () => {
  tenant = (await makeTenant(database)).tenant.id;
});

const PAGE = { after: null, limit: 100 };
/** The bindings of a secret that is bound to its hosts only. */
const OPEN: Pick<SecretSetting, "agents" | "methods"> = { agents: null, methods: null };
const sealing = openSealing(randomBytes(32).toString("base64"));
const noReseal = () => Promise.resolve();

describe("the table of secrets", () => {
  it("stores a secret once, however often the request repeats, and records its creator", async () => {
    const secret = secretOf("KEY");
    const made = act("secret.create", secret.id);
    const { id, name, hosts, agents, methods } = secret;
    const stored = { ok: true, value: { id, name, hosts, agents, methods, createdAt: made.at, updatedAt: made.at } };
    expect(await database.secrets.create(tenant, secret, made)).toEqual(stored);
    expect(await database.secrets.create(tenant, secret, made)).toEqual(stored);
    expect(await database.secrets.get(tenant, "KEY")).toEqual(stored);
    expect(await database.audit.page(tenant, PAGE)).toMatchObject({ value: { items: [made] } });
    expect(await database.secrets.sealed(tenant)).toEqual({
      ok: true,
      value: [{ name, hosts, agents, methods, sealed: secret.sealed }],
    });
  });

  it("takes a name once", async () => {
    const [first, second] = [secretOf("KEY"), { ...secretOf("KEY"), sealed: "b3RoZXI=" }];
    await database.secrets.create(tenant, first, act("secret.create", first.id));
    const again = await database.secrets.create(tenant, second, act("secret.create", second.id));
    expect(again).toMatchObject({ ok: false, error: { code: "conflict", field: "name" } });
    expect(await database.secrets.sealed(tenant)).toMatchObject({ value: [{ sealed: first.sealed }] });
    expect(await database.audit.page(tenant, PAGE)).toMatchObject({ value: { items: [{ target: first.id }] } });
  });

  it("changes and deletes an existing secret, and records nothing for an unknown one", async () => {
    const secret = secretOf("KEY");
    await database.secrets.create(tenant, secret, act("secret.create", secret.id));
    const setting = {
      name: "KEY",
      hosts: ["*.example.org"],
      agents: ["agent_1", "agent_2"],
      methods: ["GET"],
      sealed: "b3RoZXI=",
    };
    const set = await database.secrets.update(tenant, setting, act("secret.update", secret.id, START + 5));
    expect(set).toMatchObject({
      ok: true,
      value: { id: secret.id, hosts: setting.hosts, agents: setting.agents, methods: ["GET"], updatedAt: START + 5 },
    });
    expect(await database.secrets.sealed(tenant)).toEqual({ ok: true, value: [setting] });
    const open = { ...setting, agents: null, methods: null };
    await database.secrets.update(tenant, open, act("secret.update", secret.id, START + 6));
    expect(await database.secrets.sealed(tenant)).toEqual({ ok: true, value: [open] });
    const gone = await database.secrets.remove(tenant, "KEY", act("secret.delete", secret.id, START + 9));
    expect(gone).toMatchObject({ ok: true, value: { id: secret.id } });
    for (const none of [
      await database.secrets.get(tenant, "KEY"),
      await database.secrets.update(tenant, setting, act("secret.update", secret.id)),
      await database.secrets.remove(tenant, "KEY", act("secret.delete", secret.id)),
    ]) {
      expect(none).toMatchObject({ ok: false, error: { code: "not_found" } });
    }
    const acts = await database.audit.page(tenant, PAGE);
    expect(acts.ok && acts.value.items.map(({ action }) => action)).toEqual([
      "secret.delete",
      "secret.update",
      "secret.update",
      "secret.create",
    ]);
  });

  it("lists the latest first, and holds as many as a tenant may have", async () => {
    for (let at = 0; at < MAX_SECRETS; at += 1) {
      const secret = secretOf(`KEY_${at}`, START + at);
      await database.secrets.create(tenant, secret, act("secret.create", secret.id, START + at));
    }
    const more = secretOf("ONE_MORE");
    const refused = await database.secrets.create(tenant, more, act("secret.create", more.id));
    expect(refused).toMatchObject({ ok: false, error: { code: "quota_exceeded" } });
    const page = await database.secrets.page(tenant, { after: null, limit: 2 });
    expect(page).toMatchObject({
      value: { items: [{ name: `KEY_${MAX_SECRETS - 1}` }, { name: `KEY_${MAX_SECRETS - 2}` }] },
    });
  });

  it("is empty for a tenant that was purged", async () => {
    const secret = secretOf("KEY");
    await database.secrets.create(tenant, secret, act("secret.create", secret.id));
    await database.tenants.erase(tenant, act("tenant.erase", tenant));
    await database.tenants.purge(tenant);
    expect(await database.secrets.sealed(tenant)).toEqual({ ok: true, value: [] });
    expect((await database.audit.page(OPERATOR_TENANT, PAGE)).ok).toBe(true);
  });
});

/** What every port gives: the secrets that the tenant has. */
function secretsContract(name: string, open: (secrets: readonly TenantSecret[]) => Promise<SecretsPort>): void {
  describe(`secrets: ${name}`, () => {
    it("returns every secret of the tenant with its value and hosts, or an empty list", async () => {
      const secrets = [
        { name: "KEY", value: "s3cret\nwith é and 🦦", hosts: ["api.example.com", "*.example.org:8443"] },
        { name: "PIN", value: "4711", hosts: ["[2606:4700::1]"] },
      ];
      const all = await (await open(secrets)).all(0, 5_000);
      expect(all.ok && all.value.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual(secrets);
      expect(await (await open([])).all(0, 5_000)).toEqual({ ok: true, value: [] });
    });
  });
}

secretsContract("the fake in memory", (secrets) => Promise.resolve(fakeSecrets(secrets)));
secretsContract("the adapter and Postgres", async (secrets) => {
  const owner = (await makeTenant(database)).tenant.id;
  for (const { name, value, hosts } of secrets) {
    const sealed = await sealSecret(sealing, owner, { name, value: value ?? "" });
    const id = newId("secret");
    await database.secrets.create(
      owner,
      { id, name, hosts, agents: null, methods: null, sealed },
      act("secret.create", id),
    );
  }
  return openSecrets({
    table: database.secrets,
    sealing,
    reseal: noReseal,
    tenant: owner,
    user: SETUP,
    shelf: new SecretCache(),
    clock: { now: () => START },
  });
});

describe("the adapter's cache of secrets", () => {
  /** A table that a test takes away, and the port on it. */
  async function shelved() {
    const world = { now: START, reads: 0, isAway: false, hangs: false, names: ["KEY"], bindings: OPEN };
    const sealed = await sealSecret(sealing, "ten_1", { name: "KEY", value: "canary-value" });
    const table = {
      sealed: () => {
        world.reads += 1;
        if (world.hangs) return new Promise<never>(() => undefined);
        if (world.isAway) return Promise.resolve(failed("upstream_failed", "The database is away."));
        return Promise.resolve({
          ok: true as const,
          value: world.names.map((name) => ({ ...world.bindings, name, hosts: ["a.example"], sealed })),
        });
      },
    };
    const shelf = new SecretCache();
    const open = (tenant: string, key = sealing, user: SecretUser = SETUP) =>
      openSecrets({ table, sealing: key, reseal: noReseal, tenant, user, shelf, clock: { now: () => world.now } });
    return { world, shelf, open, secrets: open("ten_1") };
  }

  it("reports which secrets their user may not use, and which are bound to it, without opening a value", async () => {
    const { world, open } = await shelved();
    const userOf = (agent: PinnedAgent) => toSecretUser({ agent, via: { channel: "webhook", id: "hook_1" } });
    const own = { ...DEFAULT_AGENT, id: "agent_own" };
    world.bindings = { agents: ["agent_own"], methods: ["GET"] };
    const [mine, foreign] = [open("ten_1", sealing, userOf(own)), open("ten_1", sealing, userOf(DEFAULT_AGENT))];
    const bound = { name: "KEY", hosts: ["a.example"], value: "canary-value", methods: ["GET"] };
    expect(await mine.all(0, 5_000)).toEqual({ ok: true, value: [bound] });
    const refusal = expect.stringContaining("KEY is not bound to the agent default");
    expect(await foreign.all(60_000, 5_000)).toEqual({ ok: true, value: [{ ...bound, refusal }] });
    expect([...(await mine.boundToAgent())]).toEqual(["KEY"]);
    expect((await foreign.boundToAgent()).size).toBe(0);
    expect(world.reads).toBe(1);
    world.now += 60_001;
    world.bindings = OPEN;
    expect((await mine.boundToAgent()).size).toBe(0);
    expect(world.reads).toBe(2);
  });

  it("reports no bound secret while the database is away and no list is stored", async () => {
    const { world, open } = await shelved();
    world.bindings = { agents: ["agent_own"], methods: null };
    world.isAway = true;
    const user = toSecretUser({ agent: { ...DEFAULT_AGENT, id: "agent_own" }, via: { channel: "api", id: null } });
    expect((await open("ten_1", sealing, user).boundToAgent()).size).toBe(0);
  });

  it("is used until it expires, and contains no value in plain text", async () => {
    const { world, shelf, secrets } = await shelved();
    await secrets.all(5_000, 5_000);
    world.now += 5_000;
    expect(await secrets.all(5_000, 5_000)).toMatchObject({ ok: true, value: [{ value: "canary-value" }] });
    expect(world.reads).toBe(1);
    world.now += 1;
    world.names = [];
    expect(await secrets.all(5_000, 5_000)).toEqual({ ok: true, value: [] });
    expect(world.reads).toBe(2);
    expect(JSON.stringify(shelf.read("ten_1"))).not.toContain("canary");
  });

  it("serves secrets for ten minutes while the database is unavailable, without a query each time", async () => {
    const { world, secrets } = await shelved();
    await secrets.all(0, 5_000);
    world.isAway = true;
    world.now += 9 * 60_000;
    expect(await secrets.all(0, 5_000)).toMatchObject({ ok: true, value: [{ value: "canary-value" }] });
    await secrets.all(0, 5_000);
    expect(world.reads).toBe(2);
    world.now += 2 * 60_000;
    expect(await secrets.all(0, 5_000)).toMatchObject({
      ok: false,
      error: { code: "upstream_failed", retryAfterMs: 1_000 },
    });
    world.isAway = false;
    expect((await secrets.all(0, 5_000)).ok).toBe(false);
    world.now += 5_000;
    expect((await secrets.all(0, 5_000)).ok).toBe(true);
  });

  it("stops waiting for a slow database, and does not query it again for five seconds", async () => {
    const { world, open, secrets } = await shelved();
    await secrets.all(0, 5_000);
    world.hangs = true;
    world.now += 1;
    expect(await secrets.all(0, 20)).toMatchObject({ ok: true, value: [{ value: "canary-value" }] });
    expect(world.reads).toBe(2);
    expect((await open("ten_2").all(0, 600_000)).ok).toBe(false);
    expect(world.reads).toBe(2);
    world.now += 5_000;
    await secrets.all(0, 20);
    expect(world.reads).toBe(3);
  });

  it("is forgotten by a change, and is each tenant's own", async () => {
    const { world, shelf, open, secrets } = await shelved();
    await secrets.all(60_000, 5_000);
    shelf.forget("ten_1");
    await secrets.all(60_000, 5_000);
    expect(world.reads).toBe(2);
    await open("ten_2").all(60_000, 5_000);
    expect(world.reads).toBe(3);
  });

  it("opens for the tenant and the name that it was sealed for only, and with the key only", async () => {
    const { world, open } = await shelved();
    expect(await open("ten_2").all(0, 5_000)).toMatchObject({ value: [{ name: "KEY", value: null }] });
    expect(await open("ten_1", openSealing(randomBytes(32).toString("base64"))).all(0, 5_000)).toMatchObject({
      value: [{ value: null }],
    });
    world.names = ["OTHER"];
    world.now += 1;
    expect(await open("ten_1").all(0, 5_000)).toMatchObject({ value: [{ name: "OTHER", value: null }] });
  });
});
