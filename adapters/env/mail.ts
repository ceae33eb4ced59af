/** Mail: its variables, how it leaves, and where it comes in. */
import { checkAddress, type Env, set } from "./bindings.ts";
import { sealingFromEnv } from "./secrets.ts";
import { type MailsIn, openMailsIn } from "../mail/mail-in.ts";
import { mailOfTask, type MailSettings, openMail } from "../mail/mail.ts";
import { type MailOutbox, openMailOutbox } from "../mail/outbox.ts";
import { openOwnAddresses, type OwnAddresses } from "../mail/own-addresses.ts";
import { getOwn } from "../../core/base/own-field.ts";
import { parseMailbox } from "../../core/channels/mail/address.ts";
import type { MailPort, TaskMailPort } from "../../core/ports/mail.ts";
import type { TaskFacts } from "../../core/task/state.ts";

export type { MailHead } from "../mail/mail-in.ts";

const RESEND_API = "https://api.resend.com";

const DEFAULT_SMTP_PORTS: Readonly<Record<string, number>> = { "smtp:": 587, "smtps:": 465 };

/** Resend where its key is set, else SMTP where its URL is. */
export function mailSettings(env: Env): MailSettings {
  checkAddress(env.RESEND_BASE_URL, "RESEND_BASE_URL");
  const from = set(env.OTTO_MAIL_FROM) ?? "Otto <otto@localhost>";
  if (!parseMailbox(from, "from").ok)
    throw new RangeError("OTTO_MAIL_FROM has to be an address of mail, such as Otto <otto@example.com>");
  const apiKey = set(env.RESEND_API_KEY);
  const baseUrl = (set(env.RESEND_BASE_URL) ?? RESEND_API).replace(/\/+$/, "");
  const smtp = smtpServer(set(env.SMTP_URL));
  if (apiKey === null && smtp === null) return { kind: "outbox", from };
  if (set(env.OTTO_MAIL_FROM) === null)
    throw new RangeError("OTTO_MAIL_FROM is not set: mail needs a sender, such as Otto <otto@example.com>");
  if (apiKey !== null) return { kind: "resend", baseUrl, apiKey, from };
  return smtp === null ? { kind: "outbox", from } : { kind: "smtp", ...smtp, from };
}

/** The domain whose mail comes to the Worker; null: none does. */
export function mailDomain(env: Env): string | null {
  const domain = set(env.OTTO_MAIL_DOMAIN)?.toLowerCase() ?? null;
  if (domain !== null && !/^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(domain))
    throw new RangeError("OTTO_MAIL_DOMAIN has to be a domain, such as otto.example.com");
  return domain;
}

function smtpServer(text: string | null) {
  if (text === null) return null;
  const url = URL.parse(text);
  const port = getOwn(DEFAULT_SMTP_PORTS, url?.protocol ?? "");
  const login = url === null ? null : loginOf(url);
  if (url === null || port === undefined || url.hostname === "" || login === null)
    throw new RangeError("SMTP_URL has to be smtp://user:password@host:port or smtps://…");
  return {
    host: url.hostname,
    port: url.port === "" ? port : Number(url.port),
    secure: url.protocol === "smtps:",
    ...login,
  };
}

/** Null: it is not encoded as a URL has it. */
function loginOf({ username, password }: URL) {
  try {
    return {
      username: username === "" ? null : decodeURIComponent(username),
      password: password === "" ? null : decodeURIComponent(password),
    };
  } catch {
    return null;
  }
}

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
