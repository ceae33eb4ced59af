/**
 * Lazy re-sealing: a stored value that an earlier key sealed is sealed with the present one when it is used, so that
 * the earlier key can be removed. A failure changes nothing: the next use tries again.
 */
import { FailurePause } from "../../core/base/failure-pause.ts";
import { fromBase64, toBase64 } from "../../core/base/base64.ts";
import type { SealedColumn, SealedValues } from "../../core/ports/sealed-values.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Sealing } from "./sealing.ts";

/** After a failure this isolate re-seals nothing for this long: each attempt would wait for the database. */
const PAUSE_MS = 60_000;
/** Values that this isolate re-sealed. A cache may still return the earlier form for a while. */
const MAX_KNOWN = 10_000;

/** A sealed value of a row, in base64. */
export interface SealedValue {
  readonly tenant: string;
  readonly column: SealedColumn;
  readonly sealed: string;
  readonly context: string;
}

/** Stores the value under the present key if an earlier one sealed it. Never throws. */
export type Reseal = (value: SealedValue) => Promise<void>;

/** What an isolate re-sealed, and the pause after a failure. */
export class ResealedValues {
  readonly pause = new FailurePause(PAUSE_MS);
  private readonly known = new Set<string>();

  has(sealed: string): boolean {
    return this.known.has(sealed);
  }

  add(sealed: string): void {
    if (this.known.size >= MAX_KNOWN) this.known.clear();
    this.known.add(sealed);
  }
}

interface ResealSettings {
  readonly sealing: Pick<Sealing, "seal" | "open" | "isStale">;
  readonly values: SealedValues;
  readonly resealed: ResealedValues;
  readonly clock: Clock;
}

export function openReseal({ sealing, values, resealed, clock }: ResealSettings): Reseal {
  return async ({ tenant, column, sealed, context }) => {
    if (!sealing.isStale(fromBase64(sealed)) || resealed.has(sealed) || resealed.pause.isOn(clock.now())) return;
    const bytes = await sealing.open(fromBase64(sealed), context).catch(() => null);
    if (bytes === null) return;
    const stored = await values.replace(tenant, column, { sealed, by: toBase64(await sealing.seal(bytes, context)) });
    if (stored.ok) resealed.add(sealed);
    else resealed.pause.begin(clock.now());
  };
}
