/** The apps of one tenant to which people connect, and the settings of their providers, over their table. */
import { toCanonicalJson } from "../../core/base/canonical-json.ts";
import { failed, notSent, ok, type Result } from "../../core/base/errors.ts";
import type { AppClient, RegisteredClient } from "../../core/connections/app-client.ts";
import {
  type AppSecrets,
  type AppSettings,
  appSettingsSchema,
  toAppClient,
  toProviderSettings,
} from "../../core/connections/app-settings.ts";
import type { AppClientTable, StoredAppClient } from "../../core/ports/app-client-table.ts";
import type { AppDirectory, ProviderBook } from "../../core/ports/authorizations.ts";

/** Registrations that end at the same time replace each other's row this often. */
const MAX_TRIES = 5;

/** Where the apps of the catalogue are found, by their names in lower case. Others are absent from the result. */
export interface CatalogueApps {
  find(names: readonly string[]): Promise<Result<readonly AppClient[]>>;
}

/** An own app that was removed is not found, but one of the catalogue with its name is. */
export function openAppDirectory(table: Pick<AppClientTable, "find" | "all">, catalogue: CatalogueApps): AppDirectory {
  return {
    async find(app) {
      const own = await findOwn(table, app);
      if (own.ok || own.error.code !== "not_found") return own;
      const found = await catalogue.find([app]);
      if (!found.ok) return found;
      const [client] = found.value;
      return client === undefined ? own : ok(client);
    },

    async all(names = []) {
      const rows = await table.all();
      if (!rows.ok) return rows;
      const own = rows.value.flatMap((row) => {
        const { data } = appSettingsSchema.safeParse(row.settings);
        return data === undefined || data.isRemoved === true ? [] : [toAppClient(row, data)];
      });
      const known = new Set(own.map(({ app }) => app));
      const others = names.filter((name) => !known.has(name));
      if (others.length === 0) return ok(own);
      const found = await catalogue.find(others);
      return found.ok ? ok([...own, ...found.value]) : found;
    },
  };
}

async function findOwn(table: Pick<AppClientTable, "find">, app: string): Promise<Result<AppClient>> {
  const stored = await readSettings(table, app);
  if (!stored.ok) return stored;
  const { row, settings } = stored.value;
  return settings.isRemoved === true ? failRemoved(app) : ok(toAppClient(row, settings));
}

/** Also of a removed app: its tokens are still to be revoked. */
export function openProviderBook(table: Pick<AppClientTable, "find" | "secrets" | "replaceSecrets">): ProviderBook {
  return {
    async find(app) {
      const [stored, read] = await Promise.all([readSettings(table, app), table.secrets(app)]);
      if (!stored.ok) return stored;
      if (!read.ok) return read;
      const { receipt, secrets } = read.value;
      if (receipt !== null && secrets === null) return failSealed(app);
      return ok(toProviderSettings(stored.value.settings, (secrets ?? {}) as AppSecrets));
    },

    async register(app, client, before) {
      for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
        const read = await table.secrets(app);
        if (!read.ok) return read;
        const secrets = (read.value.secrets ?? {}) as AppSecrets;
        const present = secrets.registered ?? null;
        if (present !== null && !isSameClient(present, before)) return ok(present);
        const replaced = await table.replaceSecrets(app, read.value, { ...secrets, registered: client });
        if (!replaced.ok) return replaced;
        if (replaced.value) return ok(client);
      }
      return failed("conflict", `The settings of ${app} changed during the sign-in. Start again.`);
    },
  };
}

async function readSettings(
  table: Pick<AppClientTable, "find">,
  app: string,
): Promise<Result<{ readonly row: StoredAppClient; readonly settings: AppSettings }>> {
  const row = await table.find(app);
  if (!row.ok) return row;
  const { data } = appSettingsSchema.safeParse(row.value.settings);
  return data === undefined
    ? notSent("not_available", `The settings of ${app} are of a later release of Otto.`)
    : ok({ row: row.value, settings: data });
}

function isSameClient(one: RegisteredClient, other: RegisteredClient | null): boolean {
  return toCanonicalJson(one) === toCanonicalJson(other);
}

function failRemoved(app: string) {
  return notSent("not_found", `The app ${app} was removed, so nobody can connect to it.`);
}

function failSealed(app: string) {
  return notSent("not_available", `The client of ${app} can no longer be decrypted. Import the app again.`);
}
