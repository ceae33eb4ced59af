/** The apps that tenants added, and the rights of their agents: the tables on Postgres and the fake behave alike. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import type { AppAssignment } from "../../../core/apps/workspace/access.ts";
import { type AppConfiguration, MAX_WORKSPACE_APPS } from "../../../core/apps/workspace/workspace.ts";
import type { Database } from "../../../core/ports/database.ts";
import type { WorkspaceAppTable } from "../../../core/ports/workspace-app-table.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { runAsOwner } from "../apps/owner.ts";
import { fakeWorkspaceApps } from "../../fakes/workspace-apps.ts";
import { valueOf } from "../value-of.ts";
import { act, makeTenant, newTenant } from "./rows.ts";

const configurationOf = (...enabledActions: string[]): AppConfiguration => ({
  enabledActions,
  overrides: {},
  approved: Object.fromEntries(enabledActions.map((name) => [name, `hash of ${name}`])),
});
const assignment = (app: string, change: Partial<AppAssignment> = {}): AppAssignment => ({
  app,
  isActive: true,
  level: "full",
  actions: [],
  ...change,
});

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
});
afterAll(() => server.close());

/** Two tenants. `actions` are those of the audit log about a target. */
interface Opened {
  readonly table: WorkspaceAppTable;
  readonly a: string;
  readonly b: string;
  /** Makes an action part of the catalogue. */
  offer(action: string, schemaHash: string, isDestructive: boolean): Promise<void>;
  actions(target: string): Promise<readonly string[]>;
}

const BACKENDS: Readonly<Record<string, () => Promise<Opened>>> = {
  "the fake": async () => {
    const catalogue = new Map<string, { readonly schemaHash: string; readonly isDestructive: boolean }>();
    const table = fakeWorkspaceApps(catalogue);
    const find = (target: string) => table.acts.filter((one) => one.target === target).map(({ action }) => action);
    return await Promise.resolve({
      table,
      a: newTenant().id,
      b: newTenant().id,
      offer: async (action, schemaHash, isDestructive) => {
        await Promise.resolve(catalogue.set(action, { schemaHash, isDestructive }));
      },
      actions: async (target) => await Promise.resolve(find(target).toSorted()),
    });
  },
  Postgres: async () => {
    const [a, b] = [await makeTenant(database), await makeTenant(database)];
    const table = database.workspaceApps;
    return {
      table,
      a: a.tenant.id,
      b: b.tenant.id,
      offer: offerAction,
      actions: async (target) => {
        const page = valueOf(await database.audit.page(a.tenant.id, { after: null, limit: 100 }, { target }));
        return page.items.map(({ action }) => action).toSorted();
      },
    };
  },
};

async function offerAction(action: string, schemaHash: string, isDestructive: boolean): Promise<void> {
  await runAsOwner(
    server,
    `insert into composio_apps_cache (app_name, display_name, description, categories, action_count, trigger_count,
       auth_schemes, managed_schemes, is_open, status, listed_as, listed_by, updated_at)
     values ('crm', 'Crm', '', '{}', 1, 0, '{}', '{}', false, 'active', '', '', now()) on conflict do nothing`,
  );
  await runAsOwner(
    server,
    `insert into composio_actions_cache (action_name, app_name, display_name, description, parameters, parameter_names, tags,
       scopes, capability_tags, destructive, effect, security, because, version, is_open, schema_hash, status, added_by,
       read_by, updated_at)
     values ('${action}', 'crm', '', '', '{}', '{}', '{}', '{}', '{}', ${isDestructive}, 'probe', 'dangerous', '', '1', false,
       '${schemaHash}', 'active', '', '', now())
     on conflict (action_name) do update set schema_hash = excluded.schema_hash, destructive = excluded.destructive`,
  );
}

describe.each(Object.keys(BACKENDS))("apps of a tenant in %s", (name) => {
  let at: Opened;
  const put = async (app: string, before: AppConfiguration | null, after: AppConfiguration, tenant = at.a) =>
    await at.table.put(tenant, { app, before, after }, act(before === null ? "app.add" : "app.enable", app));

  beforeEach(async () => {
    const open = BACKENDS[name];
    if (open === undefined) throw new Error("no backend");
    at = await open();
  });

  test("are added, changed, listed by name and removed, each with one act", async () => {
    const first = { ...configurationOf("GMAIL_SEND"), overrides: { GMAIL_SEND: { effect: "once" as const } } };
    const made = valueOf(await put("gmail", null, first));
    expect(made).toMatchObject({ app: "gmail", configuration: first, version: 1 });
    valueOf(await put("airtable", null, configurationOf()));
    const changed = valueOf(await put("gmail", made.configuration, configurationOf("GMAIL_LIST", "GMAIL_SEND")));
    expect(changed).toMatchObject({ version: 2, createdAt: made.createdAt });
    expect(valueOf(await at.table.find(at.a, "gmail"))).toEqual(changed);
    expect(valueOf(await at.table.all(at.a)).map(({ app }) => app)).toEqual(["airtable", "gmail"]);
    expect(valueOf(await at.table.remove(at.a, "gmail", act("app.remove", "gmail")))).toBe(true);
    expect(valueOf(await at.table.remove(at.a, "gmail", act("app.remove", "gmail")))).toBe(false);
    expect(valueOf(await at.table.find(at.a, "gmail"))).toBeNull();
    expect(await at.actions("gmail")).toEqual(["app.add", "app.enable", "app.remove"]);
  });

  test("change only from the configuration that their maker has read", async () => {
    const [one, two] = [configurationOf("A_ONE"), configurationOf("A_TWO")];
    expect(await put("a", one, two)).toMatchObject({ ok: false, error: { code: "not_found" } });
    valueOf(await put("a", null, one));
    expect(await put("a", null, two)).toMatchObject({ ok: false, error: { code: "conflict" } });
    expect(await put("a", two, configurationOf())).toMatchObject({ ok: false, error: { code: "conflict" } });
    const both = await Promise.all([put("a", one, two), put("a", one, configurationOf("A_THREE"))]);
    expect(both.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await at.actions("a")).toEqual(["app.add", "app.enable"]);
  });

  test("have a limit, and those below it can change when it is reached", async () => {
    for (let i = 0; i < MAX_WORKSPACE_APPS; i += 1) valueOf(await put(`app${i}`, null, configurationOf()));
    expect(await put("more", null, configurationOf())).toMatchObject({ error: { code: "quota_exceeded" } });
    valueOf(await put("app7", configurationOf(), configurationOf("APP7_ONE")));
    valueOf(await at.table.remove(at.a, "app8", act("app.remove", "app8")));
    valueOf(await put("more", null, configurationOf()));
  });

  test("make the rights of an agent, together with what was set for it", async () => {
    const nothing = { assignments: [], permissions: new Map(), added: new Map(), overrides: new Map() };
    expect(valueOf(await at.table.rights(at.a, "agent_x"))).toEqual(nothing);
    valueOf(await put("gmail", null, configurationOf("GMAIL_SEND", "GMAIL_LIST")));
    valueOf(await put("empty", null, configurationOf()));
    const added = new Map([
      ["empty", new Set()],
      ["gmail", new Set(["GMAIL_SEND", "GMAIL_LIST"])],
    ]);
    const set = {
      assignments: [
        assignment("gmail", { level: "list", actions: ["GMAIL_LIST"] }),
        assignment("empty", { isActive: false, level: "read_only" }),
      ],
      permissions: new Map([
        ["GMAIL_SEND", false],
        ["GMAIL_LIST", true],
      ]),
    };
    valueOf(await at.table.setAgent(at.a, "agent_x", set, act("agent.set_apps", "agent_x")));
    expect(valueOf(await at.table.rights(at.a, "agent_x"))).toEqual({
      assignments: [set.assignments[1], set.assignments[0]],
      permissions: set.permissions,
      added,
      overrides: new Map(),
    });
    expect(valueOf(await at.table.rights(at.a, "agent_y"))).toEqual({ ...nothing, added });
    const other = { assignments: [assignment("gmail")], permissions: new Map() };
    valueOf(await at.table.setAgent(at.a, "agent_x", other, act("agent.set_apps", "agent_x")));
    expect(valueOf(await at.table.rights(at.a, "agent_x"))).toEqual({ ...other, added, overrides: new Map() });
    expect(await at.actions("agent_x")).toEqual(["agent.set_apps", "agent.set_apps"]);
  });

  test("have the overrides that count now, of one form of an action while it has that form", async () => {
    const bound = { effect: "none", security: "cautious", schemaHash: "h1" } as const;
    const overrides = { CRM_BOUND: bound, CRM_FREE: { effect: "none" }, CRM_ODD: { security: "safe" } } as const;
    const first = { ...configurationOf("CRM_BOUND", "CRM_FREE"), overrides };
    valueOf(await put("crm", null, first));
    const read = async () => valueOf(await at.table.rights(at.a, "agent_x")).overrides;
    const others = [
      ["CRM_FREE", { effect: "none" }],
      ["CRM_ODD", { security: "safe" }],
    ] as const;
    expect(await read()).toEqual(new Map<string, unknown>(others));
    await at.offer("CRM_BOUND", "h1", false);
    await at.offer("CRM_FREE", "h1", false);
    const counts = ["CRM_BOUND", { effect: "none", security: "cautious" }] as const;
    expect(await read()).toEqual(new Map<string, unknown>([counts, ...others]));
    // Another form of the action, and one that destroys meanwhile.
    await at.offer("CRM_BOUND", "h2", false);
    await at.offer("CRM_FREE", "h1", true);
    expect(await read()).toEqual(new Map<string, unknown>([["CRM_FREE", {}], others[1]]));
    valueOf(await put("crm", first, { ...first, overrides: {} }));
    expect(await read()).toEqual(new Map());
    expect(valueOf(await at.table.rights(at.b, "agent_x")).overrides).toEqual(new Map());
  });

  test("are set for an agent as a whole, also by several at the same time", async () => {
    const sets = Array.from({ length: 6 }, (_, i) => ({
      assignments: [assignment("shared"), assignment(`app${i}`)],
      permissions: new Map([[`ACT_${i}`, false]]),
    }));
    const log = () => act("agent.set_apps", "agent_x");
    for (const set of await Promise.all(sets.map((one) => at.table.setAgent(at.a, "agent_x", one, log()))))
      valueOf(set);
    const { assignments, permissions } = valueOf(await at.table.rights(at.a, "agent_x"));
    const [own] = assignments;
    const last = sets.find((one) => one.assignments.some(({ app }) => app === own?.app));
    expect({ count: assignments.length, permissions }).toEqual({ count: 2, permissions: last?.permissions });
  });

  test("follow a version of the catalogue once they are marked, of all tenants", async () => {
    const follow = async (version: string) => {
      const found = valueOf(await at.table.toFollow(version, 10_000));
      return found.filter(({ tenant }) => tenant === at.a || tenant === at.b).map(({ app }) => app);
    };
    valueOf(await put("one", null, configurationOf("A")));
    valueOf(await put("two", null, configurationOf("B"), at.b));
    expect((await follow("v1")).toSorted()).toEqual(["one", "two"]);
    valueOf(await at.table.markFollowed({ tenant: at.a, app: "one" }, "v1"));
    valueOf(await at.table.markFollowed({ tenant: at.a, app: "two" }, "v1"));
    expect(await follow("v1")).toEqual(["two"]);
    expect(await follow("v2")).toHaveLength(2);
    // It may have been published from an isolate that has the catalogue before this one.
    valueOf(await put("one", configurationOf("A"), configurationOf("A", "C")));
    expect((await follow("v1")).toSorted()).toEqual(["one", "two"]);
    valueOf(await at.table.remove(at.a, "one", act("app.remove", "one")));
    valueOf(await put("one", null, configurationOf("A")));
    expect((await follow("v1")).toSorted()).toEqual(["one", "two"]);
    expect(valueOf(await at.table.toFollow("v1", 1))).toHaveLength(1);
  });

  test("belong to their tenant", async () => {
    valueOf(await put("gmail", null, configurationOf("GMAIL_SEND")));
    const set = { assignments: [assignment("gmail", { isActive: false })], permissions: new Map([["X", false]]) };
    valueOf(await at.table.setAgent(at.a, "agent_x", set, act("agent.set_apps", "agent_x")));
    expect(valueOf(await at.table.all(at.b))).toEqual([]);
    expect(valueOf(await at.table.find(at.b, "gmail"))).toBeNull();
    expect(valueOf(await at.table.remove(at.b, "gmail", act("app.remove", "gmail")))).toBe(false);
    expect(valueOf(await at.table.rights(at.b, "agent_x"))).toMatchObject({ assignments: [], added: new Map() });
    valueOf(
      await at.table.setAgent(at.b, "agent_x", { assignments: [], permissions: new Map() }, act("agent.set_apps", "y")),
    );
    expect(valueOf(await at.table.rights(at.a, "agent_x"))).toMatchObject(set);
    expect(valueOf(await at.table.find(at.a, "gmail"))).not.toBeNull();
  });
});

test("what a tenant set goes when it is purged", async () => {
  const { tenant } = await makeTenant(database);
  const apps = database.workspaceApps;
  valueOf(await apps.put(tenant.id, { app: "x", before: null, after: configurationOf("X_ONE") }, act("app.add", "x")));
  const set = { assignments: [assignment("x")], permissions: new Map([["X_ONE", false]]) };
  valueOf(await apps.setAgent(tenant.id, "agent_x", set, act("agent.set_apps", "agent_x")));
  valueOf(await database.tenants.erase(tenant.id, act("tenant.erase", tenant.id)));
  valueOf(await database.tenants.purge(tenant.id));
  for (const table of ["workspace_tool_config", "agent_app_assignments", "agent_tool_permissions"])
    expect(await runAsOwner(server, `select * from ${table} where tenant = '${tenant.id}'`)).toEqual([]);
});
