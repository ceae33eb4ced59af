/**
 * Changes of the apps that a tenant added. The row says what is enabled, and the source has its tools:
 *
 * 1. A source is published before its row is written, so that what cannot be published is not stored. Until the row is
 *    there, the new actions are refused (`core/apps/workspace/access.ts`).
 * 2. After each write, and after each refused one, the source is published again as the row has it then. Of two changes
 *    at the same time, the later row decides.
 */
import { appCatalogueFromEnv } from "../../adapters/env/app-catalogue.ts";
import { forgetAppRightsFromEnv, workspaceAppsFromEnv } from "../../adapters/env/app-rights.ts";
import { toolSourcesFromEnv } from "../../adapters/env/tool-sources.ts";
import { hasChanged } from "../../core/apps/workspace/changes.ts";
import { toAppTools } from "../../core/apps/workspace/outside-tools.ts";
import { type AppConfiguration, formatConfiguration, type WorkspaceApp } from "../../core/apps/workspace/workspace.ts";
import { type Failed, failed, ok, type Result } from "../../core/base/errors.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import type { CatalogueAction, CatalogueApp } from "../../core/ports/app-catalogue.ts";
import { type OutsideTool, toAppSource } from "../../core/tool/source.ts";
import { writeConnectionChange } from "../connections/changes.ts";
import type { AppPlace } from "../connections/apps.ts";

/** Retries when another change came first. */
const MAX_TRIES = 10;

/** An app of the catalogue with its actions. */
export interface KnownApp {
  readonly app: CatalogueApp;
  readonly actions: readonly CatalogueAction[];
}

/** Reads an app of the catalogue; null for one that it lacks, and before the first sync. */
export async function findKnownApp({ env }: Pick<AppPlace, "env">, name: string): Promise<Result<KnownApp | null>> {
  const snapshot = await appCatalogueFromEnv(env).snapshot();
  if (!snapshot.ok) return snapshot;
  const app = snapshot.value?.apps.find((one) => one.app === name);
  if (snapshot.value === null || app === undefined) return ok(null);
  const actions = await snapshot.value.actionsOf(name);
  return actions.ok ? ok({ app, actions: actions.value }) : actions;
}

/** What a change makes of the present configuration; null: the app is not added. */
export type Decide = (before: AppConfiguration | null) => Result<AppConfiguration>;

/** Makes the change of an app that is added. Fails for one that is not. */
export function ifAdded(known: KnownApp, change: (before: AppConfiguration) => Result<AppConfiguration>): Decide {
  return (before) => (before === null ? failNotAdded(known) : change(before));
}

export function failNotAdded({ app: { title } }: KnownApp): Failed {
  return failed("conflict", `${title} is not added to this workspace. Add it first.`);
}

/** Adds or changes an app, and publishes its enabled actions for later tasks. A change that changes nothing is no act. */
export async function changeApp(
  place: AppPlace,
  known: KnownApp,
  decide: Decide,
  act: AuditEntry,
): Promise<Result<WorkspaceApp>> {
  const { env, tenant } = place;
  const { app } = known.app;
  const table = workspaceAppsFromEnv(env);
  for (let tries = 1; ; tries += 1) {
    const found = await table.find(tenant, app);
    if (!found.ok) return found;
    const before = found.value?.configuration ?? null;
    const after = decide(before);
    if (!after.ok) return after;
    const isSame = before !== null && formatConfiguration(before) === formatConfiguration(after.value);
    const published = await publish(place, known, after.value);
    if (!published.ok) return published;
    if (isSame && found.value !== null) return ok(found.value);
    const put = await write(place, async () => await table.put(tenant, { app, before, after: after.value }, act));
    const settled = await publishStored(place, app);
    if (put.ok) return settled.ok ? put : settled;
    const isOvertaken = put.error.code === "conflict" && put.error.cause?.kind !== "constraint";
    if (!isOvertaken || tries === MAX_TRIES) return put;
  }
}

/** Removes an app: later tasks do not have its actions, and running ones are refused them. False if it is not added. */
export async function removeApp(place: AppPlace, app: string, act: AuditEntry): Promise<Result<boolean>> {
  const removed = await write(place, async () => await workspaceAppsFromEnv(place.env).remove(place.tenant, app, act));
  if (!removed.ok) return removed;
  const withdrawn = await publishStored(place, app);
  return withdrawn.ok ? removed : withdrawn;
}

/** Publishes the actions of an app as its row and the catalogue have them now. Idempotent. */
export async function publishStored(place: AppPlace, app: string): Promise<Result<void>> {
  const table = workspaceAppsFromEnv(place.env);
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const before = await table.find(place.tenant, app);
    if (!before.ok) return before;
    const known = before.value === null ? ok(null) : await findKnownApp(place, app);
    if (!known.ok) return known;
    const published = await publish(place, known.value, before.value?.configuration ?? null, app);
    if (!published.ok) return published;
    const after = await table.find(place.tenant, app);
    if (!after.ok) return after;
    if (isSameApp(before.value, after.value)) return ok(undefined);
  }
  return failed("conflict", `${app} is changed by others at the same time. Try again.`);
}

/** Publishes the tools of a configuration; null: none. An app that is no longer offered has none. */
async function publish(
  place: AppPlace,
  known: KnownApp | null,
  configuration: AppConfiguration | null,
  app: string = known?.app.app ?? "",
): Promise<Result<void>> {
  const isOffered = known !== null && known.app.status === "active" && configuration !== null;
  const tools = isOffered ? await buildTools(place, known, configuration) : ok([]);
  if (!tools.ok) return tools;
  const source = { name: toAppSource(app), tools: tools.value };
  const done = await toolSourcesFromEnv(place.env).publish(place.tenant, source, null);
  return done.ok ? ok(undefined) : done;
}

/** The published tools are read only if some have to stay as they are. */
async function buildTools(
  place: AppPlace,
  known: KnownApp,
  configuration: AppConfiguration,
): Promise<Result<readonly OutsideTool[]>> {
  const waits = hasChanged(configuration, known.actions);
  const published = waits ? await readPublished(place, known.app.app) : ok([]);
  return published.ok ? ok(await toAppTools(known, configuration, published.value)) : published;
}

/** Reads the published tools of an app. */
export async function readPublished({ env, tenant }: AppPlace, app: string): Promise<Result<readonly OutsideTool[]>> {
  const sources = toolSourcesFromEnv(env);
  const all = await sources.all(tenant);
  if (!all.ok) return all;
  const hash = all.value.find(({ name }) => name === toAppSource(app))?.hash ?? null;
  if (hash === null) return ok([]);
  const read = await sources.read(tenant, hash);
  // Lost content must not keep an app from being published again.
  return !read.ok && read.error.code === "not_found" ? ok([]) : read;
}

/** Writes a row, so that pages and calls read it again. */
async function write<T>({ env, tenant }: AppPlace, change: () => Promise<T>): Promise<T> {
  try {
    return await writeConnectionChange(env, tenant, change);
  } finally {
    forgetAppRightsFromEnv(env, tenant);
  }
}

function isSameApp(one: WorkspaceApp | null, other: WorkspaceApp | null): boolean {
  const format = (app: WorkspaceApp | null) => (app === null ? "" : formatConfiguration(app.configuration));
  return format(one) === format(other);
}
