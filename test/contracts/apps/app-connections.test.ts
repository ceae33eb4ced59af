/** Whether a task can use an app: what Otto works out, and its fake, answer alike. */
import { beforeEach, describe, expect, test } from "vitest";
import { ERRORS, failed, notSent, ok } from "../../../core/base/errors.ts";
import type { ToolApp } from "../../../core/connections/account.ts";
import type { Connection } from "../../../core/connections/connection.ts";
import type { AppConnectionsPort } from "../../../core/ports/app-connections.ts";
import type { AppRights } from "../../../core/ports/app-rights.ts";
import { openAppConnections } from "../../../core/steps/app-connections.ts";
import type { Toolset } from "../../../core/steps/toolset.ts";
import type { Tool } from "../../../core/tool/tool.ts";
import { fakeAppConnections } from "../../fakes/app-connections.ts";
import { fakeConnections } from "../../fakes/connections.ts";
import { created } from "../../unit/task/play-task.ts";

/** What the apps of Ana's task are in every test. */
const APPS = ["search", "mail", "files", "crm", "chat", "books"] as const;

interface World {
  readonly port: AppConnectionsPort;
  /** The same while what it needs cannot be read. */
  readonly away: AppConnectionsPort;
}

function openFake(): World {
  const away = failed("upstream_failed", "The database is away. Try again later.");
  const needed = { kind: "needed" } as const;
  return {
    port: fakeAppConnections({
      search: { kind: "connected", account: null },
      mail: { kind: "connected", account: "ana@acme.example" },
      files: { kind: "connected", account: null },
      crm: { ...needed, reason: "expired", person: "per_ana" },
      chat: { ...needed, reason: "missing", person: "per_ana" },
      books: { ...needed, reason: "missing", person: null },
      slack: notSent("permission_denied", "slack is not assigned to this agent. Ask an administrator to assign it."),
    }),
    away: fakeAppConnections({ mail: away }),
  };
}

function openReal(): World {
  const needs = (app: string, owner: ToolApp["owner"] = "either"): ToolApp => ({
    app,
    provider: "composio",
    owner,
    scopes: [],
  });
  const wants = new Map<string, ToolApp | undefined>([
    ["search", undefined],
    ...["mail", "files", "crm", "chat", "slack"].map((app) => [app, needs(app)] as const),
    ["books", needs("books", "shared")],
  ]);
  const toolset: Pick<Toolset, "resolve" | "findable"> = {
    findable: [...[...wants.keys()].map((app) => `composio_${app}`), "read_file"],
    resolve(name) {
      const app = name.replace("composio_", "");
      if (app === name) return { name } as Tool;
      return { name, action: { app }, ...(wants.get(app) === undefined ? {} : { app: wants.get(app) }) } as Tool;
    },
  };
  const connections = fakeConnections();
  const connect = (app: string, change: Partial<Connection>) =>
    connections.set(`con_${app}`, { kind: "person", id: "per_ana", name: "Ana" }, { app, ...change });
  connect("mail", { label: "ana@acme.example" });
  connect("files", { label: null });
  connect("crm", { status: "expired" });
  connections.set("con_other", { kind: "person", id: "per_ben", name: "Ben" }, { app: "chat" });
  const { facts } = created({ actsFor: { person: "per_ana" } });
  const rights: AppRights = {
    assignments: [{ app: "slack", isActive: false, level: "full", actions: [] }].concat(
      APPS.map((app) => ({ app, isActive: true, level: "full", actions: [] })),
    ) as AppRights["assignments"],
    permissions: new Map(),
    overrides: new Map(),
    added: new Map([...wants.keys()].map((app) => [app, new Set<string>()])),
  };
  const appRights = { read: () => Promise.resolve(ok(rights)) };
  const isAway = { ...fakeConnections(), isAway: true };
  return {
    port: openAppConnections({ facts, toolset, connections, appRights }),
    away: openAppConnections({ facts, toolset, connections: isAway, appRights }),
  };
}

describe.each([
  { name: "the fake", open: openFake },
  { name: "the parts of a task", open: openReal },
])("an app of a task in $name", ({ open }) => {
  let at: World;
  beforeEach(() => {
    at = open();
  });

  test("that needs no account, or has one, is connected, with the name that people know it by", async () => {
    expect(await at.port.find("search")).toEqual(ok({ kind: "connected", account: null }));
    expect(await at.port.find("mail")).toEqual(ok({ kind: "connected", account: "ana@acme.example" }));
    expect(await at.port.find("files")).toEqual(ok({ kind: "connected", account: null }));
  });

  test("without a working account says who has to connect it, and why", async () => {
    const needed = { kind: "needed" } as const;
    expect(await at.port.find("crm")).toEqual(ok({ ...needed, reason: "expired", person: "per_ana" }));
    expect(await at.port.find("chat")).toEqual(ok({ ...needed, reason: "missing", person: "per_ana" }));
    expect(await at.port.find("books")).toEqual(ok({ ...needed, reason: "missing", person: null }));
  });

  test("is found in any case and with spaces around it, and no other one is", async () => {
    expect(await at.port.find(" MAIL ")).toEqual(await at.port.find("mail"));
    for (const app of ["other", "", "read_file"])
      expect(await at.port.find(app)).toMatchObject({ error: { code: "not_found", field: "app" } });
  });

  test("that the agent may not use is refused, with the remedy", async () => {
    const refused = { code: "permission_denied", happened: "no", message: expect.stringContaining("administrator") };
    expect(await at.port.find("slack")).toMatchObject({ error: refused });
  });

  test("fails for some time while it cannot be read", async () => {
    const found = await at.away.find("mail");
    if (found.ok) throw new Error("it was read");
    const { code, retry = ERRORS[code].retry } = found.error;
    expect(retry).toBe("later");
  });
});
