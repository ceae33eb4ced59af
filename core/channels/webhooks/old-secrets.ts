/** The rule by which a secret that was replaced counts beside the one that replaced it, of webhooks in both directions. */

/** How long, unless something else is said. */
export const OLD_SECRET_MS = 24 * 60 * 60_000;
/** The longest that can be asked for. */
export const MAX_OLD_SECRET_MS = 7 * OLD_SECRET_MS;
/** Replaced secrets that count at the same time; an older one ends when another is replaced. */
export const MAX_OLD_SECRETS = 3;

/** A replaced secret, sealed, in base64, and until when it counts: milliseconds since the epoch. */
export interface OldSecret {
  readonly sealed: string;
  readonly until: number;
}

/** Those that count now. One that is said to count for longer than can be asked for does not. */
export function stillCounting(old: readonly OldSecret[], now: number): readonly OldSecret[] {
  return old.filter(({ until }) => until > now && until <= now + MAX_OLD_SECRET_MS);
}

/** When the last of them ends; null: none counts. */
export function oldSecretUntil(old: readonly Pick<OldSecret, "until">[], now: number): number | null {
  const until = Math.max(...old.map((one) => one.until));
  return until > now ? until : null;
}
