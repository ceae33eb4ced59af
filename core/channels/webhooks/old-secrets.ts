/** How long a replaced webhook secret stays valid, in both directions. */

/** The default period. */
export const OLD_SECRET_MS = 24 * 60 * 60_000;
/** The longest period. */
export const MAX_OLD_SECRET_MS = 7 * OLD_SECRET_MS;
/** Replaced secrets that are valid at one time; a further replacement ends the oldest. */
export const MAX_OLD_SECRETS = 3;

/** A replaced secret, sealed, in base64, with its expiry in milliseconds since the epoch. */
export interface OldSecret {
  readonly sealed: string;
  readonly until: number;
}

/** The valid ones. An expiry beyond the longest period is invalid. */
export function selectValidSecrets(old: readonly OldSecret[], now: number): readonly OldSecret[] {
  return old.filter(({ until }) => until > now && until <= now + MAX_OLD_SECRET_MS);
}

/** When the last of them expires; null without a valid one. */
export function getOldSecretEnd(old: readonly Pick<OldSecret, "until">[], now: number): number | null {
  const until = Math.max(...old.map((one) => one.until));
  return until > now ? until : null;
}
