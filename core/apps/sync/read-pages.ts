/** The phases of a sync that read from the provider: its apps, their actions, and their triggers. */
import type { DescribedTrigger } from "../catalogue.ts";
import { ok, type Result } from "../../base/errors.ts";
import type { CataloguePage } from "../../ports/apps.ts";
import type { StoredAction } from "../../ports/app-catalogue-table.ts";
import { isListed, prepareAction, prepareApp } from "./prepare.ts";
import {
  addToProgress,
  beginPhase,
  followCursor,
  next,
  type Phase,
  type Rejected,
  type Step,
  stop,
  type SyncDeps,
  type SyncState,
} from "./state.ts";

/** Apps whose actions are read one by one. Beyond it, one listing of all actions takes fewer requests. */
const MAX_SINGLE_APPS = 30;
/** Actions of one statement. */
const BATCH = 250;
/** Apps whose triggers are asked for together, and the pages of the reply. */
const TRIGGER_APPS = 50;
const MAX_TRIGGER_PAGES = 20;

export const readApps: Phase = async (deps, state) => {
  if (state.kind === "backfill") return await chooseApps(deps, state);
  const page = await deps.source.apps(state.cursor);
  if (!page.ok) return page;
  const prepared = page.value.items
    .filter(({ app }) => isListed(app))
    .map((app) => ({ name: app.app, result: prepareApp(app) }));
  const { items, rejected } = divide(prepared, ({ app }) => app);
  const put = await deps.table.putApps(state.job, items, deps.now());
  if (!put.ok) return put;
  const read = addToProgress(state, { apps: items.length, rejected: [...page.value.rejected, ...rejected] });
  if (page.value.next !== null) return followCursor(read, page.value.next);
  if (read.progress.appsSynced === 0) return stop("The provider listed no apps.");
  return await chooseApps(deps, read);
};

async function chooseApps({ table }: SyncDeps, state: SyncState): Promise<Result<Step>> {
  const { job, kind } = state;
  if (kind !== "full") {
    const scope = kind === "backfill" ? { kind: "without_schemas" as const, limit: MAX_SINGLE_APPS } : CHANGED;
    const marked = await table.markScope(job, scope);
    if (!marked.ok) return marked;
    const apps = marked.value;
    if (apps.length === 0) return next(beginPhase("settle", state));
    if (apps.length <= MAX_SINGLE_APPS) return next(beginPhase("actions", state, { apps }));
  }
  const marked = await table.markScope(job, { kind: "all" });
  return marked.ok ? next(beginPhase("actions", state)) : marked;
}

const CHANGED = { kind: "changed" } as const;

export const readActions: Phase = async (deps, state) => {
  const [app, ...left] = state.apps ?? [];
  const page = await deps.source.actions(state.cursor, app === undefined ? undefined : { app });
  const isUnknown = !page.ok && page.error.code === "not_found" && app !== undefined;
  if (!page.ok && !isUnknown) return page;
  const read = page.ok
    ? await storeActions(deps, state, page.value)
    : ok(addToProgress(state, { rejected: [unknown(app)] }));
  if (!read.ok) return read;
  if (page.ok && page.value.next !== null) return followCursor(read.value, page.value.next);
  return next(
    left.length > 0
      ? beginPhase("actions", read.value, { apps: left })
      : beginPhase("triggers", read.value, { apps: null }),
  );
};

/** All tenants read what a sync rejected, and the key's project may have actions of its own. */
function hideName(): Rejected {
  return { name: "an action", why: "It is of the key's own project, or cannot be read." };
}

function unknown(app = ""): Rejected {
  return { name: app, why: "The provider does not know this app any more." };
}

async function storeActions(
  { source, table, judge, now }: SyncDeps,
  state: SyncState,
  page: CataloguePage<Parameters<typeof prepareAction>[1]>,
): Promise<Result<SyncState>> {
  const prepared = [];
  for (const action of page.items)
    if (isListed(action.app)) prepared.push({ name: action.action, result: await prepareAction(judge, action) });
  const { items, rejected } = divide(prepared, ({ action }) => action);
  const orphans: Rejected[] = [];
  for (let at = 0; at < items.length; at += BATCH) {
    const batch = items.slice(at, at + BATCH);
    const put = await table.putActions(state.job, batch, now());
    if (!put.ok) return put;
    orphans.push(...findOrphans(batch, new Set(put.value)));
  }
  const actions = items.length - orphans.length;
  const all = [...page.rejected, ...rejected, ...orphans];
  return ok(addToProgress(state, { actions, rejected: source.isOfTenant === true ? all.map(hideName) : all }));
}

function findOrphans(batch: readonly StoredAction[], stored: ReadonlySet<string>): Rejected[] {
  return batch
    .filter(({ action }) => !stored.has(action))
    .map(({ action, app }) => ({ name: action, why: `Its app ${app} is not among those that are read.` }));
}

/** One batch of apps, with all pages of the reply: the triggers of an app are replaced together. */
export const readTriggers: Phase = async ({ source, table }, state) => {
  const chosen = await table.appsWithTriggers(state.job, state.after, TRIGGER_APPS);
  if (!chosen.ok) return chosen;
  const apps = chosen.value;
  if (apps.length === 0) return next(beginPhase("settle", state));
  const found = new Map<string, DescribedTrigger[]>(apps.map((app) => [app, []]));
  const rejected: Rejected[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < MAX_TRIGGER_PAGES; pages += 1) {
    const page = await source.triggers(cursor, { apps });
    if (!page.ok) return page;
    for (const trigger of page.value.items) found.get(trigger.app)?.push(trigger);
    rejected.push(...page.value.rejected);
    cursor = page.value.next;
    if (cursor === null) break;
  }
  if (cursor !== null) return stop(`The triggers of ${apps.length} apps have more than ${MAX_TRIGGER_PAGES} pages.`);
  const put = await table.putTriggers(state.job, found);
  if (!put.ok) return put;
  const read = addToProgress(state, { rejected });
  const after = apps.at(-1) ?? null;
  return next(apps.length < TRIGGER_APPS ? beginPhase("settle", read) : { ...read, after });
};

/** The items that can be stored, each name once, and the others. */
function divide<T>(
  prepared: readonly { readonly name: string; readonly result: Result<T> }[],
  getName: (item: T) => string,
): { readonly items: T[]; readonly rejected: Rejected[] } {
  const items = new Map<string, T>();
  const rejected: Rejected[] = [];
  for (const { name, result } of prepared) {
    if (result.ok) items.set(getName(result.value), result.value);
    else rejected.push({ name, why: result.error.message });
  }
  return { items: [...items.values()], rejected };
}
