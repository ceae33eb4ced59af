/**
 * Composio as a provider of apps. Like that of the model, its address is the operator's: it may be private, and no tenant
 * names it. All parts of one key share one budget of requests.
 */
import type { Result } from "../../core/base/errors.ts";
import type { AppLinks, AppsPort, AppTriggers, CatalogueSource } from "../../core/ports/apps.ts";
import { openCatalogueSource } from "./catalogue.ts";
import { checkKey } from "./check-key.ts";
import { executeAction } from "./execute.ts";
import { requestUpload } from "./files.ts";
import { openAppLinks } from "./links.ts";
import { probeCall } from "./probe.ts";
import type { ComposioAccess, ComposioSettings } from "./request.ts";
import { openRequestBudget } from "./request-budget.ts";
import { openAppTriggers } from "./triggers.ts";

/** The parts of a provider of apps. */
export interface AppProviderParts {
  readonly source: CatalogueSource;
  readonly apps: AppsPort;
  readonly links: AppLinks;
  readonly triggers: AppTriggers;
  /** Asks the provider if it accepts the key. `invalid_input` for one that it refuses. */
  readonly checkKey: () => Promise<Result<void>>;
}

/** `now`: milliseconds since the epoch. */
export function openComposio(settings: ComposioSettings, now: () => number = Date.now): AppProviderParts {
  const access: ComposioAccess = { ...settings, budget: openRequestBudget(), now };
  return {
    source: openCatalogueSource(access),
    apps: {
      execute: (call) => executeAction(access, call),
      probe: (lookup) => probeCall(access, lookup),
      requestUpload: (upload) => requestUpload(access, upload),
    },
    links: openAppLinks(access),
    triggers: openAppTriggers(access),
    checkKey: () => checkKey(access),
  };
}
