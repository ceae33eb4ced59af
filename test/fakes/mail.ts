/** A provider of mail in memory: what was sent to it stands in `sent`; `fails` has tries fail, the first one first. */
import { type Failure, failed, ok } from "../../core/errors.ts";
import { checkMail } from "../../core/mail/check.ts";
import type { Mail, TaskMailPort } from "../../core/mail/port.ts";

export interface FakeMail extends TaskMailPort {
  readonly sent: readonly { readonly mail: Mail; readonly key: string }[];
  /** Milliseconds of every pause. */
  readonly pauses: readonly number[];
  readonly tries: () => number;
}

export function fakeMail(
  options: { readonly provider?: TaskMailPort["provider"]; readonly fails?: readonly (Failure | null)[] } = {},
): FakeMail {
  const { provider = "resend", fails = [] } = options;
  const sent: { mail: Mail; key: string }[] = [];
  const reserved = new Set<string>();
  const pauses: number[] = [];
  let tries = 0;
  return {
    provider,
    isKeyed: provider !== "smtp",
    sent,
    pauses,
    tries: () => tries,
    send(mail, { key }) {
      const checked = checkMail(mail);
      if (!checked.ok) return Promise.resolve(checked);
      const failure = fails[tries] ?? null;
      tries += 1;
      if (failure !== null) return Promise.resolve({ ok: false, error: failure });
      const isKnown = provider !== "smtp" && sent.some((one) => one.key === key);
      if (!isKnown) sent.push({ mail, key });
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
