/**
 * The published catalogue of apps. A row names the current version, and the bucket has its files, which never change. An
 * isolate holds the latest version that it read, and the schemas of the apps that were used last.
 */
import {
  type AppFile,
  getAppKey,
  getListKey,
  getSnapshotKey,
  parseActionList,
  parseApp,
  parseSnapshot,
  type SnapshotFile,
} from "../../core/apps/compiled.ts";
import { getLogosKey, parseLogos } from "../../core/apps/logo.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { AppCatalogue, CatalogueSnapshot, ListedAction } from "../../core/ports/app-catalogue.ts";
import type { AppCatalogueTable, CataloguePointer } from "../../core/ports/app-catalogue-table.ts";
import type { BlobPort } from "../../core/ports/blobs.ts";
import { ByteCache } from "./byte-cache.ts";

/** How long a version is served without a look at the row; without any version, a first one is to appear soon. */
const CHECK_EVERY_MS = 60_000;
const CHECK_EMPTY_EVERY_MS = 5_000;
/** Bytes of the files of apps that an isolate holds. */
const MAX_APP_BYTES = 8_000_000;

export interface AppCatalogueDeps {
  readonly table: Pick<AppCatalogueTable, "pointer">;
  readonly blobs: Pick<BlobPort, "get">;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export function openAppCatalogue({ table, blobs, now }: AppCatalogueDeps): AppCatalogue {
  const appFiles = new ByteCache<AppFile>(MAX_APP_BYTES);
  let known: (Held & { readonly checkedAt: number }) | null = null;

  async function refresh(held: Held): Promise<Result<Held>> {
    const pointer = await table.pointer();
    if (!pointer.ok || pointer.value === null) return pointer.ok ? ok(NOTHING) : pointer;
    const { logos, ...version } = pointer.value;
    const snapshot = await openVersion(held.snapshot, version);
    if (!snapshot.ok) return snapshot;
    if (snapshot.value === held.snapshot && logos === held.logos) return ok(held);
    const read = logos === null ? null : await readFile(blobs, getLogosKey(logos), parseLogos);
    // Without its logos, a version is served all the same, and the next look tries them again.
    if (read?.ok === false) return ok({ snapshot: snapshot.value, logos: null });
    return ok({ snapshot: addLogos(snapshot.value, read?.value.value ?? new Map()), logos });
  }

  async function openVersion(
    current: CatalogueSnapshot | null,
    { snapshot: hash, syncedAt }: Omit<CataloguePointer, "logos">,
  ): Promise<Result<CatalogueSnapshot>> {
    if (current?.hash === hash && current.syncedAt === syncedAt) return ok(current);
    const file = await readFile(blobs, getSnapshotKey(hash), parseSnapshot);
    return file.ok ? ok(openSnapshot({ hash, syncedAt, file: file.value.value }, blobs, appFiles)) : file;
  }

  return {
    async snapshot() {
      const held = known;
      const every = held?.snapshot === null ? CHECK_EMPTY_EVERY_MS : CHECK_EVERY_MS;
      if (held !== null && now() - held.checkedAt < every) return ok(held.snapshot);
      // Other requests are served what is held, while this one looks.
      if (held !== null) known = { ...held, checkedAt: now() };
      const found = await refresh(held ?? NOTHING);
      if (found.ok) known = { ...found.value, checkedAt: now() };
      if (!found.ok && held === null) return found;
      return ok(found.ok ? found.value.snapshot : (held?.snapshot ?? null));
    },
  };
}

/** What an isolate has. `logos`: the hash of the file with which its apps got their logos. */
interface Held {
  readonly snapshot: CatalogueSnapshot | null;
  readonly logos: string | null;
}

const NOTHING: Held = { snapshot: null, logos: null };

/** The same version with other logos. What was read of it is shared. */
function addLogos(snapshot: CatalogueSnapshot, logos: ReadonlyMap<string, string>): CatalogueSnapshot {
  return { ...snapshot, apps: snapshot.apps.map((app) => ({ ...app, logo: logos.get(app.app) ?? null })) };
}

function openSnapshot(
  { hash, syncedAt, file }: { readonly hash: string; readonly syncedAt: number; readonly file: SnapshotFile },
  blobs: AppCatalogueDeps["blobs"],
  appFiles: ByteCache<AppFile>,
): CatalogueSnapshot {
  const compiled = new Map(file.apps.map((app) => [app.app, app.compiled]));
  let list: readonly ListedAction[] | null = null;

  async function readApp(app: string): Promise<Result<AppFile>> {
    const key = getAppKey(app, compiled.get(app) ?? "");
    if (!compiled.has(app))
      return failed("not_found", "The catalogue has no app of this name. GET /api/tools/marketplace lists them.");
    const held = appFiles.get(key);
    if (held !== undefined) return ok(held);
    const read = await readFile(blobs, key, parseApp);
    if (!read.ok) return read;
    appFiles.set(key, read.value.value, read.value.bytes);
    return ok(read.value.value);
  }

  return {
    hash,
    syncedAt,
    stats: file.stats,
    apps: file.apps.map((app) => ({ ...app, logo: null })),
    async actions() {
      if (list !== null) return ok(list);
      const read = await readFile(blobs, getListKey(file.list), parseActionList);
      if (!read.ok) return read;
      list ??= read.value.value;
      return ok(list);
    },
    async actionsOf(app) {
      const read = await readApp(app);
      return read.ok ? ok(read.value.actions) : read;
    },
    async triggersOf(app) {
      const read = await readApp(app);
      return read.ok ? ok(read.value.triggers) : read;
    },
  };
}

/** A file that the row names and the bucket lacks is an outage: a `not_found` would say that the app is unknown. */
async function readFile<T>(
  blobs: AppCatalogueDeps["blobs"],
  key: string,
  parse: (text: string) => T,
): Promise<Result<{ readonly value: T; readonly bytes: number }>> {
  const read = await blobs.get(key);
  if (!read.ok) return read.error.code === "not_found" ? MISSING : read;
  return ok({ value: parse(new TextDecoder().decode(read.value)), bytes: read.value.byteLength });
}

const MISSING = failed("upstream_failed", "A file of the catalogue of apps is missing. Start a full sync.");
