/** The rows of MCP servers, and what is sealed in them. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import { openRegistry } from "../../../adapters/mcp/registry.ts";
import { openSealing } from "../../../adapters/secrets/sealing.ts";
import type { Database } from "../../../core/ports/database.ts";
import type { McpServerCheck } from "../../../core/ports/mcp-server-table.ts";
import type { McpTool } from "../../../core/ports/mcp.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { act, makeTenant, mcpServer, START } from "./rows.ts";
import { valueOf } from "../value-of.ts";

let server: TestDatabase;
let database: Database;
let tenant: string;

beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
  tenant = (await makeTenant(database)).tenant.id;
});
afterAll(() => server.close());

const tool = (name: string): McpTool => ({
  name,
  description: "with \u{1f41f}",
  input: { type: "object" },
  output: null,
  readOnly: false,
  idempotent: false,
});

const check = (hash: string, change: Partial<McpServerCheck> = {}): McpServerCheck => ({
  status: "connected",
  error: null,
  seen: { tools: [tool(hash)], hash, refused: [{ name: "bad", reason: "because" }] },
  protocolVersion: "2026-07-28",
  prior: { era: "legacy" },
  at: START,
  ...change,
});

const put = (name: string, isOther = false) =>
  database.mcpServers.put(tenant, mcpServer(name, isOther), act("mcp_server.set", name));

describe("a server", () => {
  test("is put, listed, and removed, and each change is in the log", async () => {
    const made = valueOf(await put("a"));
    expect(made).toMatchObject({ name: "a", version: 1, status: "failed", approved: null, seen: null });
    expect(valueOf(await put("a")).version).toBe(2);
    expect(valueOf(await database.mcpServers.all(tenant)).map(({ name }) => name)).toContain("a");
    valueOf(await database.mcpServers.remove(tenant, "a", act("mcp_server.delete", "a")));
    expect(await database.mcpServers.remove(tenant, "a", act("mcp_server.delete", "a"))).toMatchObject({
      error: { code: "not_found" },
    });
    const acts = valueOf(await database.audit.page(tenant, { after: null, limit: 100 })).items;
    expect(
      acts
        .filter(({ target }) => target === "a")
        .map(({ action }) => action)
        .toSorted(),
    ).toEqual(["mcp_server.delete", "mcp_server.set", "mcp_server.set"]);
  });

  test("stores the result of a check, but not of a check of an earlier version", async () => {
    valueOf(await put("b"));
    const seen = valueOf(await database.mcpServers.saveCheck(tenant, "b", 1, check("h1")));
    expect(seen).toMatchObject({
      status: "connected",
      seen: { hash: "h1", tools: [tool("h1")] },
      refused: [{ name: "bad" }],
    });
    expect(valueOf(await database.mcpServers.access(tenant, "b")).prior).toEqual({ era: "legacy" });
    const away = valueOf(
      await database.mcpServers.saveCheck(tenant, "b", 1, check("", { status: "failed", error: "away", seen: null })),
    );
    expect(away).toMatchObject({ status: "failed", error: "away", seen: { hash: "h1" } });
    valueOf(await put("b"));
    expect(await database.mcpServers.saveCheck(tenant, "b", 1, check("h2"))).toMatchObject({
      error: { code: "not_found" },
    });
  });

  test("has the tools that were agreed to, and no others than those that were seen", async () => {
    valueOf(await put("c"));
    valueOf(await database.mcpServers.saveCheck(tenant, "c", 1, check("h1")));
    expect(valueOf(await database.mcpServers.approve(tenant, "c", "h1", null)).approved).toMatchObject({ hash: "h1" });
    valueOf(await database.mcpServers.saveCheck(tenant, "c", 1, check("h2")));
    const wrong = await database.mcpServers.approve(tenant, "c", "h1", act("mcp_server.approve", "c"));
    expect(wrong).toMatchObject({ error: { code: "conflict", field: "hash" } });
    const agreed = valueOf(await database.mcpServers.approve(tenant, "c", "h2", act("mcp_server.approve", "c")));
    expect(agreed.approved).toEqual({ hash: "h2", tools: [tool("h2")] });
    const acts = valueOf(await database.audit.page(tenant, { after: null, limit: 100 })).items;
    expect(acts.filter(({ action }) => action === "mcp_server.approve")).toHaveLength(1);
    expect(valueOf(await put("c")).approved).toMatchObject({ hash: "h2" });
    expect(valueOf(await put("c", true)).approved).toBeNull();
  });

  test("is stale from the moment that it says so until the next look", async () => {
    valueOf(await put("d"));
    valueOf(await database.mcpServers.noteListChanged(tenant, "d", START + 5));
    expect(valueOf(await database.mcpServers.get(tenant, "d")).listChangedAt).toBe(START + 5);
    expect(valueOf(await database.mcpServers.saveCheck(tenant, "d", 1, check("h"))).listChangedAt).toBeNull();
  });

  test("goes with its tenant", async () => {
    const gone = (await makeTenant(database)).tenant.id;
    valueOf(await database.mcpServers.put(gone, mcpServer("e"), act("mcp_server.set", "e")));
    valueOf(await database.tenants.erase(gone, act("tenant.erase", gone)));
    valueOf(await database.tenants.purge(gone));
    expect(valueOf(await database.mcpServers.all(gone))).toEqual([]);
  });
});

describe("the lease of its tokens", () => {
  test("is one caller's, for these tokens, until it ends or others are stored", async () => {
    const table = database.mcpServers;
    valueOf(await put("leased"));
    valueOf(await table.saveAuth(tenant, "leased", "first"));
    const lease = async (auth: string, ms = 60_000) => valueOf(await table.leaseAuth(tenant, "leased", auth, ms));
    const leases = await Promise.all([lease("first"), lease("first"), lease("first")]);
    expect(leases.filter(Boolean)).toHaveLength(1);
    expect(await lease("other")).toBe(false);
    valueOf(await table.endLease(tenant, "leased", "other"));
    expect(await lease("first")).toBe(false);
    valueOf(await table.endLease(tenant, "leased", "first"));
    expect(await lease("first", 1)).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await lease("first")).toBe(true);
    valueOf(await table.saveAuth(tenant, "leased", "second"));
    expect([await lease("first"), await lease("second")]).toEqual([false, true]);
  });
});

describe("what is sealed", () => {
  const secrets = { headers: [["x-api-key", "canary-71"]] as const, clientSecret: "canary-72" };

  test("opens for its tenant and its name only, and is stored nowhere unsealed", async () => {
    const sealing = openSealing(randomBytes(32).toString("base64"));
    const reseal = () => Promise.resolve();
    const registry = openRegistry(database.mcpServers, { sealing, reseal }, tenant);
    const sealed = await registry.sealSecrets("f", secrets);
    expect(sealed).not.toContain("canary");
    valueOf(await database.mcpServers.put(tenant, { ...mcpServer("f"), sealed }, act("mcp_server.set", "f")));
    valueOf(await registry.authOf("f").save({ tokens: { access_token: "canary-73" } }));
    expect(valueOf(await registry.find("f"))).toMatchObject({ headers: secrets.headers, oauth: null });
    expect(valueOf(await registry.authOf("f").load())).toEqual({ tokens: { access_token: "canary-73" } });
    const stored = valueOf(await database.mcpServers.access(tenant, "f"));
    expect(JSON.stringify(stored)).not.toContain("canary");

    valueOf(await database.mcpServers.put(tenant, { ...mcpServer("g"), sealed }, act("mcp_server.set", "g")));
    const closed = { ok: false, error: { code: "not_available", message: expect.stringContaining("Set it again") } };
    expect(await registry.find("g")).toMatchObject(closed);
    const foreign = openSealing(randomBytes(32).toString("base64"));
    const other = openRegistry(database.mcpServers, { sealing: foreign, reseal }, tenant);
    expect(await other.find("f")).toMatchObject(closed);
  });
});
