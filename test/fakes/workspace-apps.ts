/** Fake tables of the apps that tenants added. They pass the same contract as those on Postgres. */
import type { AppRights } from "../../core/ports/app-rights.ts";
import {
  formatConfiguration,
  listOverrides,
  MAX_WORKSPACE_APPS,
  type WorkspaceApp,
} from "../../core/apps/workspace/workspace.ts";
import { failed, ok } from "../../core/base/errors.ts";
import type { CatalogueAction } from "../../core/ports/app-catalogue.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import type { AgentAppSettings, WorkspaceAppTable } from "../../core/ports/workspace-app-table.ts";

const NOTHING: AgentAppSettings = { assignments: [], permissions: new Map() };

export interface FakeWorkspaceApps extends WorkspaceAppTable {
  /** The acts that changed something. */
  readonly acts: readonly AuditEntry[];
}

/** `catalogue`: the actions that are offered now. */
export function fakeWorkspaceApps(
  catalogue: ReadonlyMap<string, Pick<CatalogueAction, "schemaHash" | "isDestructive">> = new Map(),
  now: () => number = Date.now,
): FakeWorkspaceApps {
  const apps = new Map<string, WorkspaceApp>();
  const agents = new Map<string, AgentAppSettings>();
  const followed = new Map<string, string>();
  const acts: AuditEntry[] = [];
  const ofTenant = (tenant: string) =>
    [...apps]
      .filter(([key]) => key.startsWith(`${tenant} `))
      .map(([, app]) => app)
      .toSorted((one, other) => (one.app < other.app ? -1 : 1));
  return {
    acts,
    all: (tenant) => Promise.resolve(ok(ofTenant(tenant))),
    find: (tenant, app) => Promise.resolve(ok(apps.get(`${tenant} ${app}`) ?? null)),
    async put(tenant, { app, before, after }, act) {
      const present = apps.get(`${tenant} ${app}`);
      const format = (one: WorkspaceApp | undefined) =>
        one === undefined ? null : formatConfiguration(one.configuration);
      if (before !== null && present === undefined) return await Promise.resolve(failed("not_found", "not added"));
      if (format(present) !== (before === null ? null : formatConfiguration(before)))
        return failed("conflict", "changed meanwhile");
      if (present === undefined && ofTenant(tenant).length >= MAX_WORKSPACE_APPS)
        return failed("quota_exceeded", "full");
      const made: WorkspaceApp = {
        app,
        configuration: structuredClone(after),
        version: (present?.version ?? 0) + 1,
        createdAt: present?.createdAt ?? now(),
        updatedAt: now(),
      };
      apps.set(`${tenant} ${app}`, made);
      followed.delete(`${tenant} ${app}`);
      acts.push(act);
      return ok(made);
    },
    remove(tenant, app, act) {
      const removed = apps.delete(`${tenant} ${app}`);
      followed.delete(`${tenant} ${app}`);
      if (removed) acts.push(act);
      return Promise.resolve(ok(removed));
    },
    rights(tenant, agent) {
      const { assignments, permissions } = agents.get(`${tenant} ${agent}`) ?? NOTHING;
      const added = ofTenant(tenant).map((one) => [one.app, new Set(one.configuration.enabledActions)] as const);
      const sorted = assignments.toSorted((one, other) => (one.app < other.app ? -1 : 1));
      const set = ofTenant(tenant).flatMap((one) =>
        listOverrides(one.configuration, (action) => catalogue.get(action)),
      );
      const rights: AppRights = { assignments: sorted, permissions, added: new Map(added), overrides: new Map(set) };
      return Promise.resolve(ok(rights));
    },
    setAgent(tenant, agent, settings, act) {
      agents.set(`${tenant} ${agent}`, settings);
      acts.push(act);
      return Promise.resolve(ok(undefined));
    },
    toFollow(version, limit) {
      const behind = [...apps.keys()].filter((key) => followed.get(key) !== version).slice(0, limit);
      return Promise.resolve(
        ok(behind.map((key) => ({ tenant: key.split(" ")[0] ?? "", app: key.split(" ")[1] ?? "" }))),
      );
    },
    markFollowed({ tenant, app }, version) {
      if (apps.has(`${tenant} ${app}`)) followed.set(`${tenant} ${app}`, version);
      return Promise.resolve(ok(undefined));
    },
  };
}
