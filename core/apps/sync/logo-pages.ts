/**
 * The logos of a published catalogue, a page of them at a time. The sync has ended for everyone who waits for it: a logo that
 * cannot be fetched is left out, and the next sync tries it again. One that was fetched is not fetched again from its address.
 */
import { ok, type Result } from "../../base/errors.ts";
import { runConcurrently } from "../../base/run-concurrently.ts";
import { sha256Hex } from "../../base/sha256.ts";
import type { LogoAddress } from "../../ports/app-catalogue-table.ts";
import { type AppLogo, formatLogos, getLogoKey, getLogosKey } from "../logo.ts";
import { putText } from "./compile-pages.ts";
import type { SyncDeps, SyncState } from "./state.ts";

/** Logos of one page, of one sync, and those that are fetched at once. */
const PAGE_LOGOS = 40;
const SYNC_LOGOS = 1_000;
const CONCURRENT_LOGOS = 8;

/** `state` null: it was the last page. */
export interface LogoPage {
  readonly state: SyncState | null;
  readonly note: string;
}

export async function fetchLogoPage(deps: SyncDeps, state: SyncState): Promise<Result<LogoPage>> {
  const { logos: tried = 0 } = state;
  const due = await deps.table.logosToFetch(state.after, Math.min(PAGE_LOGOS, SYNC_LOGOS - tried));
  if (!due.ok) return due;
  const fetched: (AppLogo & LogoAddress)[] = [];
  let [reason, isAvailable] = ["", true];
  for await (const { address, hash } of runConcurrently(due.value, CONCURRENT_LOGOS, async (one) => ({
    address: one,
    hash: await storeLogo(deps, one.url),
  }))) {
    if (hash.ok) fetched.push({ ...address, hash: hash.value });
    else {
      reason = `; ${address.app}: ${hash.error.message}`;
      isAvailable &&= hash.error.code !== "not_available";
    }
  }
  const stored = fetched.length === 0 ? ok(undefined) : await deps.table.storeLogos(fetched);
  if (!stored.ok) return stored;
  const note = `${fetched.length} of ${due.value.length} logos were fetched${reason}`;
  const next: SyncState = {
    ...state,
    after: due.value.at(-1)?.app ?? null,
    logos: tried + due.value.length,
    page: state.page + 1,
  };
  if (isAvailable && due.value.length === PAGE_LOGOS) return ok({ state: next, note });
  const published = await publishLogos(deps);
  return published.ok ? ok({ state: null, note }) : published;
}

async function storeLogo({ fetchLogo, blobs }: SyncDeps, url: string): Promise<Result<string>> {
  const fetched = await fetchLogo(url);
  if (!fetched.ok) return fetched;
  const hash = await sha256Hex(fetched.value);
  const put = await blobs.put(getLogoKey(hash), fetched.value);
  return put.ok ? ok(hash) : put;
}

async function publishLogos({ table, blobs }: SyncDeps): Promise<Result<void>> {
  const [logos, pointer] = await Promise.all([table.logos(), table.pointer()]);
  if (!logos.ok) return logos;
  if (!pointer.ok) return pointer;
  const file = formatLogos(logos.value);
  const hash = await sha256Hex(file);
  if (pointer.value?.logos === hash) return ok(undefined);
  const put = await putText(blobs, file, getLogosKey);
  return put.ok ? await table.publishLogos(put.value) : put;
}
