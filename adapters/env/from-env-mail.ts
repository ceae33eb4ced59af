/** What `from-env.ts` gives of mail: how it leaves, where it comes in, and what is kept of it. */
import type { MailPort, TaskMailPort } from "../../core/ports/mail.ts";
import type { TaskFacts } from "../../core/task/state.ts";
import { mailDomain, mailSettings } from "./channel-settings.ts";
import type { Env } from "./bindings.ts";
import { sealingFromEnv } from "./from-env-stores.ts";
import { mailOfTask, openMail } from "../mail/mail.ts";
import { type MailsIn, openMailsIn } from "../mail/mail-in.ts";
import { type MailOutbox, openMailOutbox } from "../mail/outbox.ts";
import { openOwnAddresses, type OwnAddresses } from "../mail/own-addresses.ts";

export type { MailHead } from "../mail/mail-in.ts";

/** What mail leaves by: Resend, a server of SMTP, or the outbox that only keeps it. */
export function mailFromEnv(env: Env): MailPort {
  return openMail(mailSettings(env), env.FILES);
}

/** The mail that the tools of a task's tree send. */
export function taskMailFromEnv(env: Env, tree: Pick<TaskFacts, "tenant" | "rootId">): TaskMailPort {
  return mailOfTask(mailFromEnv(env), env.FILES, tree);
}

/** Whom mail comes from, as the settings say. */
export function mailSenderFromEnv(env: Env): string {
  return mailSettings(env).from;
}

/** What was kept while no provider of mail was set up. */
export function mailOutboxFromEnv(env: Env): MailOutbox {
  return openMailOutbox(env.FILES, mailSettings(env).from);
}

/** Otto's own addresses of mail; null: no domain is set up whose mail comes here. */
export function ownAddressesFromEnv(env: Env): OwnAddresses | null {
  const domain = mailDomain(env);
  if (domain === null) return null;
  return openOwnAddresses(sealingFromEnv(env), env.FILES, domain);
}

/** Mail that came in and was not worked yet. */
export function mailsInFromEnv(env: Env): MailsIn {
  return openMailsIn(env.FILES);
}
