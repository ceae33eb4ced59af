/** What a provider describes, as it is stored. What cannot be stored is rejected, one item at a time. */
import { failed, ok, type Result } from "../../base/errors.ts";
import { storable } from "../../base/storable.ts";
import type { ListedApp, StoredAction } from "../../ports/app-catalogue-table.ts";
import { hashAction } from "../workspace/approved-form.ts";
import type { DescribedAction, DescribedApp } from "../catalogue.ts";
import { listParameters } from "../parameters.ts";
import type { SyncDeps } from "./state.ts";

/**
 * Counts with an app's version: raise it when actions are stored or judged otherwise, so that the next sync reads all of
 * them again.
 */
const FORM = 3;
/** Part of the provider itself, and no app of a person. */
const NEVER_LISTED: ReadonlySet<string> = new Set(["rag", "memory", "nl2sql", "codegraph"]);

const APP = /^[a-z0-9][a-z0-9_-]{0,99}$/;
const ACTION = /^[A-Z0-9][A-Z0-9_]{0,199}$/;
/** UTF-16 units. */
const MAX_TEXT = 1_024;
const MAX_TITLE = 200;
const MAX_SCHEMAS = 400_000;
const MAX_WORDS = 200;
const MAX_PARAMETERS = 100;

/** False for what is part of the provider itself. */
export function isListed(app: string): boolean {
  return !NEVER_LISTED.has(app.toLowerCase());
}

export function prepareApp(app: DescribedApp): Result<ListedApp> {
  if (!APP.test(app.app)) return failed("invalid_input", "Its slug may have a-z, 0-9, _ and - alone.");
  const { version, updatedAt, actionCount, triggerCount } = app;
  return ok({
    ...app,
    title: cut(app.title, MAX_TITLE),
    description: cut(app.description, MAX_TEXT),
    logoUrl: cutOrNull(app.logoUrl),
    guideUrl: cutOrNull(app.guideUrl),
    version: cutOrNull(version),
    updatedAt: cutOrNull(updatedAt),
    categories: cutAll(app.categories),
    authSchemes: cutAll(app.authSchemes),
    managedSchemes: cutAll(app.managedSchemes),
    listedAs: storable(JSON.stringify([FORM, version, updatedAt, actionCount, triggerCount])),
  });
}

export async function prepareAction(judge: SyncDeps["judge"], action: DescribedAction): Promise<Result<StoredAction>> {
  if (!ACTION.test(action.action)) return failed("invalid_input", "Its name may have A-Z, 0-9 and _ alone.");
  const characters = JSON.stringify([action.input, action.output]).length;
  if (characters > MAX_SCHEMAS) return failed("too_large", `Its schemas have more than ${MAX_SCHEMAS} characters.`);
  const described = {
    ...action,
    title: cut(action.title, MAX_TITLE),
    description: cut(action.description, MAX_TEXT),
    version: cut(action.version, MAX_TITLE),
    tags: cutAll(action.tags),
    scopes: cutAll(action.scopes),
  };
  try {
    const schemaHash = await hashAction(described);
    const parameters = listParameters(action.input)
      .slice(0, MAX_PARAMETERS)
      .map((name) => cut(name, MAX_TITLE));
    return ok({ ...described, ...judge(described), parameters, schemaHash });
  } catch (thrown) {
    return failed("invalid_input", `It could not be judged: ${String(thrown)}`);
  }
}

function cut(text: string, most: number): string {
  return storable(text.slice(0, most));
}

function cutOrNull(text: string | null): string | null {
  return text === null ? null : cut(text, MAX_TEXT);
}

function cutAll(words: readonly string[]): string[] {
  return words.slice(0, MAX_WORDS).map((word) => cut(word, MAX_TITLE));
}
