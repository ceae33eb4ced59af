/** The catalogue of the demo apps in memory, compiled as a sync does: 880 apps and 12,000 actions, the same in every run. */
import { readAction } from "../../adapters/composio/catalogue-items.ts";
import { ActionListWriter, parseActionList } from "../../core/apps/compiled.ts";
import { judgeAction } from "../../core/apps/effects/judge.ts";
import { prepareAction } from "../../core/apps/sync/prepare.ts";
import type { CatalogueAction, ListedAction } from "../../core/ports/app-catalogue.ts";
import { ACTION_COUNT } from "../../scripts/demo-apps/app-list.ts";
import { openFaults } from "../../scripts/demo-apps/faults.ts";
import { listTools } from "../../scripts/demo-apps/listings.ts";

const PAGE = 1_000;

export interface DemoCatalogue {
  /** The file of the list, which an isolate reads. */
  readonly list: string;
  readonly listed: readonly ListedAction[];
  readonly byApp: ReadonlyMap<string, readonly CatalogueAction[]>;
}

/** Compiles the catalogue. An action that a sync rejects is left out. */
export async function compileDemoCatalogue(): Promise<DemoCatalogue> {
  const writer = new ActionListWriter();
  const byApp = new Map<string, CatalogueAction[]>();
  for (const [at, described] of listDescribed().entries()) {
    const read = readAction(described, at);
    const stored = "item" in read ? await prepareAction(judgeAction, read.item) : null;
    if (stored === null || !stored.ok) continue;
    writer.add(stored.value);
    const known = byApp.get(stored.value.app);
    if (known === undefined) byApp.set(stored.value.app, [stored.value]);
    else known.push(stored.value);
  }
  const list = writer.format();
  return { list, listed: parseActionList(list), byApp };
}

function listDescribed(): unknown[] {
  const faults = openFaults(false);
  return Array.from({ length: ACTION_COUNT / PAGE }, (_, at) => {
    const cursor = Buffer.from(String(at * PAGE)).toString("base64url");
    const query = new URLSearchParams({ limit: String(PAGE), ...(at === 0 ? {} : { cursor }) });
    return listTools(query, faults)?.items ?? [];
  }).flat();
}
