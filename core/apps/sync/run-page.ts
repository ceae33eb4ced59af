/** Runs one page of a sync. A page may run again after a crash, also next to an attempt that was given up. */
import type { Failure } from "../../base/errors.ts";
import { compileApps, publishCatalogue, settle } from "./compile-pages.ts";
import { readActions, readApps, readTriggers } from "./read-pages.ts";
import { fetchLogoPage } from "./logo-pages.ts";
import { beginPhase, isFinal, type Phase, type SyncDeps, type SyncPhase, type SyncState } from "./state.ts";

/** A sync that takes longer ends as failed, so that another can begin. */
export const MAX_RUN_MS = 6 * 3_600_000;

/**
 * `next`: the state for the next page. `ended`: the sync has ended, here or before. `later`: the same page again, after
 * `afterMs` or, when it is 0, a growing pause.
 */
export type PageOutcome =
  | { readonly kind: "next"; readonly state: SyncState; readonly note?: string }
  | { readonly kind: "ended"; readonly status: "completed" | "failed" | "ended before"; readonly note: string }
  | { readonly kind: "later"; readonly afterMs: number; readonly why: string };

const PHASES: Readonly<Record<Exclude<SyncPhase, "logos">, Phase>> = {
  apps: readApps,
  actions: readActions,
  triggers: readTriggers,
  settle,
  compile: compileApps,
  publish: publishCatalogue,
};

export async function runSyncPage(deps: SyncDeps, state: SyncState): Promise<PageOutcome> {
  if (state.phase === "logos") return await runLogoPage(deps, state);
  if (deps.now() - state.startedAt > MAX_RUN_MS)
    return await fail(deps, state, `It did not end within ${MAX_RUN_MS / 3_600_000} hours.`);
  const step = await PHASES[state.phase](deps, state);
  if (!step.ok) return isFinal(step.error) ? await fail(deps, state, step.error.message) : later(step.error);
  if (step.value.kind === "stopped") return await fail(deps, state, step.value.why);
  const { progress } = step.value.state;
  if (step.value.kind === "published") return next(beginPhase("logos", step.value.state, { after: null }));
  const isOpen = await deps.table.report(state.job, progress, deps.now());
  if (!isOpen.ok) return later(isOpen.error);
  if (!isOpen.value) return { kind: "ended", status: "ended before", note: "The sync has ended." };
  return next(step.value.state);
}

function next(state: SyncState): PageOutcome {
  return { kind: "next", state: { ...state, page: state.page + 1 } };
}

/** The catalogue is published, so nothing here fails the sync: what is left is the next sync's. */
async function runLogoPage(deps: SyncDeps, state: SyncState): Promise<PageOutcome> {
  const page = await fetchLogoPage(deps, state);
  const { actionsSynced } = state.progress;
  if (page.ok && page.value.state !== null) return { kind: "next", ...page.value, state: page.value.state };
  if (!page.ok && deps.now() - state.startedAt < MAX_RUN_MS) return later(page.error);
  const note = page.ok ? page.value.note : `the logos were given up: ${page.error.message}`;
  return { kind: "ended", status: "completed", note: `${actionsSynced} actions were read; ${note}` };
}

async function fail({ table, now }: SyncDeps, { job }: SyncState, why: string): Promise<PageOutcome> {
  const ended = await table.fail(job, why, now());
  return ended.ok ? { kind: "ended", status: "failed", note: why } : later(ended.error);
}

function later({ message, retryAfterMs = 0 }: Failure): PageOutcome {
  return { kind: "later", afterMs: retryAfterMs, why: message };
}
