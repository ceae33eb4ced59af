/** The directory of apps with MCP servers of their own. */
import { type Env, readText } from "./bindings.ts";
import { checkSignInFromEnv } from "./connections.ts";
import { findAuthorityFromEnv } from "./mcp.ts";
import { oncePerEnv } from "./once-per-env.ts";
import { settingsFromEnv } from "./settings.ts";
import { describeDeadEntry, type DirectoryApp, readReplacedDirectory, toListedApp } from "../../core/apps/directory.ts";
import { DIRECTORY } from "../../core/apps/directory-list.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import type { CatalogueApp } from "../../core/ports/app-catalogue.ts";

/** A person waits for it. */
const CHECK_MS = 10_000;
const FORM = "OTTO_APP_DIRECTORY has to be no, or name=url pairs of apps of the directory, separated by commas";

/** An entry, and the app as lists show it. Both are the same for every request. */
export interface ListedDirectoryApp {
  readonly entry: DirectoryApp;
  readonly app: CatalogueApp;
}

/** All entries by title. Throws a RangeError for an invalid setting. */
export const directoryFromEnv: (env: Env) => readonly ListedDirectoryApp[] = oncePerEnv((env) =>
  readDirectory(env).map((entry) => ({ entry, app: toListedApp(entry) })),
);

/** Finds an entry by its name in lower case; null without one. */
export function findDirectoryApp(env: Env, name: string): DirectoryApp | null {
  return directoryFromEnv(env).find(({ entry }) => entry.app === name)?.entry ?? null;
}

/** `no`: nothing is listed. Outside production also other addresses, for tests. */
function readDirectory(env: Env): readonly DirectoryApp[] {
  const text = readText(env.OTTO_APP_DIRECTORY);
  if (text === null || text === "yes") return DIRECTORY;
  if (text === "no") return [];
  if (settingsFromEnv(env).mode === "production")
    throw new RangeError("OTTO_APP_DIRECTORY with addresses is for development and refused in production");
  const replaced = readReplacedDirectory(text, DIRECTORY);
  if (replaced === null) throw new RangeError(FORM);
  return replaced;
}

/**
 * Checks whether the server of an entry answers, says who signs people in, and lets Otto register there. Stores nothing.
 * A failure says what to do about the entry.
 */
export async function checkDirectoryAppFromEnv(env: Env, tenant: string, entry: DirectoryApp): Promise<Result<void>> {
  const { app: name, url, title } = entry;
  const found = await findAuthorityFromEnv(env, tenant, { name, url }, AbortSignal.timeout(CHECK_MS));
  const checked = found.ok ? await checkSignInFromEnv(env, tenant, { title, issuer: found.value.issuer }) : found;
  if (checked.ok) return ok(undefined);
  const { field: _, ...error } = checked.error;
  return { ok: false, error: { ...error, message: describeDeadEntry(entry, checked.error.message) } };
}
