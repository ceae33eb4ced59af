/**
 * A fake mail provider. `sent` lists delivered mails; `fails` makes attempts fail in order. It remembers keys for a day by `clock`, as
 * Resend does, and forever without a clock.
 */
import { type Failure, failed, ok } from "../../core/base/errors.ts";
import { checkMail } from "../../core/channels/mail/check.ts";
import type { Mail, TaskMailPort } from "../../core/ports/mail.ts";
import type { Clock } from "../../core/ports/clock.ts";

export interface FakeMail extends TaskMailPort {
  readonly sent: readonly { readonly mail: Mail; readonly key: string }[];
  /** The milliseconds of each pause. */
  readonly pauses: readonly number[];
  readonly tries: () => number;
}

export function fakeMail(
  options: {
    readonly provider?: TaskMailPort["provider"];
    readonly fails?: readonly (Failure | null)[];
    readonly clock?: Clock;
  } = {},
): FakeMail {
  const { provider = "resend", fails = [], clock = { now: () => 0 } } = options;
  const keyedForMs = provider === "smtp" ? null : 24 * 3_600_000;
  const sent: { mail: Mail; key: string; at: number }[] = [];
  const reserved = new Set<string>();
  const pauses: number[] = [];
  let tries = 0;
  return {
    provider,
    keyedForMs,
    sent,
    pauses,
    tries: () => tries,
    send(mail, { key }) {
      const checked = checkMail(mail);
      if (!checked.ok) return Promise.resolve(checked);
      const failure = fails[tries] ?? null;
      tries += 1;
      if (failure !== null) return Promise.resolve({ ok: false, error: failure });
      const oldest = clock.now() - (keyedForMs ?? 0);
      const isKnown = keyedForMs !== null && sent.some((one) => one.key === key && one.at > oldest);
      if (!isKnown) sent.push({ mail, key, at: clock.now() });
      return Promise.resolve(ok({ id: `mail-${provider === "smtp" ? sent.length : key}` }));
    },
    reserve(key, most) {
      if (!reserved.has(key) && reserved.size >= most)
        return Promise.resolve(failed("budget_exceeded", "The task has sent its mails."));
      reserved.add(key);
      return Promise.resolve(ok(undefined));
    },
    release(key) {
      reserved.delete(key);
      return Promise.resolve();
    },
    pause(ms, signal) {
      pauses.push(ms);
      return Promise.resolve(!signal.aborted);
    },
  };
}
