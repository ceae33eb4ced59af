/** Mail: its variables, how it is sent, and how it is received. */
import { checkAddress, type Env, readText } from "./bindings.ts";
import { oncePerEnv } from "./once-per-env.ts";
import { sealingFromEnv } from "./secrets.ts";
import { type MailsIn, openMailsIn } from "../mail/mail-in.ts";
import { openTaskMail, type MailSettings, openMail } from "../mail/mail.ts";
import { type MailOutbox, openMailOutbox } from "../mail/outbox.ts";
import { openOwnAddresses, type OwnAddresses } from "../mail/own-addresses.ts";
import { getOwn } from "../../core/base/own-field.ts";
import { parseMailbox } from "../../core/channels/mail/address.ts";
import type { MailPort, TaskMailPort } from "../../core/ports/mail.ts";
import type { TaskFacts } from "../../core/task/state.ts";

export type { MailHead } from "../mail/mail-in.ts";

const RESEND_API = "https://api.resend.com";

const DEFAULT_SMTP_PORTS: Readonly<Record<string, number>> = { "smtp:": 587, "smtps:": 465 };

/** Resend if its key is set, else SMTP if its URL is set. */
export const readMailSettings = oncePerEnv((env: Env): MailSettings => {
  checkAddress(env.RESEND_BASE_URL, "RESEND_BASE_URL");
  const from = readText(env.OTTO_MAIL_FROM) ?? "Otto <otto@localhost>";
  if (!parseMailbox(from, "from").ok)
    throw new RangeError("OTTO_MAIL_FROM has to be an email address, such as Otto <otto@example.com>");
  const apiKey = readText(env.RESEND_API_KEY);
  const baseUrl = (readText(env.RESEND_BASE_URL) ?? RESEND_API).replace(/\/+$/, "");
  const smtp = parseSmtpServer(readText(env.SMTP_URL));
  if (apiKey === null && smtp === null) return { kind: "outbox", from };
  if (readText(env.OTTO_MAIL_FROM) === null)
    throw new RangeError("OTTO_MAIL_FROM is not set: mail needs a sender, such as Otto <otto@example.com>");
  if (apiKey !== null) return { kind: "resend", baseUrl, apiKey, from };
  return smtp === null ? { kind: "outbox", from } : { kind: "smtp", ...smtp, from };
});

/** The domain whose mail the Worker receives; null without one. */
export function readMailDomain(env: Env): string | null {
  const domain = readText(env.OTTO_MAIL_DOMAIN)?.toLowerCase() ?? null;
  if (domain !== null && !/^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(domain))
    throw new RangeError("OTTO_MAIL_DOMAIN has to be a domain, such as otto.example.com");
  return domain;
}

function parseSmtpServer(text: string | null) {
  if (text === null) return null;
  const url = URL.parse(text);
  const port = getOwn(DEFAULT_SMTP_PORTS, url?.protocol ?? "");
  const login = url === null ? null : parseLogin(url);
  if (url === null || port === undefined || url.hostname === "" || login === null)
    throw new RangeError("SMTP_URL has to be smtp://user:password@host:port or smtps://…");
  return {
    host: url.hostname,
    port: url.port === "" ? port : Number(url.port),
    secure: url.protocol === "smtps:",
    ...login,
  };
}

/** Null if it is not encoded for a URL. */
function parseLogin({ username, password }: URL) {
  try {
    return {
      username: username === "" ? null : decodeURIComponent(username),
      password: password === "" ? null : decodeURIComponent(password),
    };
  } catch {
    return null;
  }
}

/** Sends mail by Resend or SMTP, or stores it in the local outbox. */
export const mailFromEnv = oncePerEnv((env: Env): MailPort => openMail(readMailSettings(env), env.FILES));

/** The mail that the tools of a task tree send. */
export function taskMailFromEnv(env: Env, tree: Pick<TaskFacts, "tenant" | "rootId">): TaskMailPort {
  return openTaskMail(mailFromEnv(env), env.FILES, tree);
}

/** The configured sender of mail. */
export function mailSenderFromEnv(env: Env): string {
  return readMailSettings(env).from;
}

/** Mail stored while no provider is configured. */
export function mailOutboxFromEnv(env: Env): MailOutbox {
  return openMailOutbox(env.FILES, readMailSettings(env).from);
}

/** Otto's own email addresses; null if no mail domain is configured. */
export function ownAddressesFromEnv(env: Env): OwnAddresses | null {
  const domain = readMailDomain(env);
  if (domain === null) return null;
  return openOwnAddresses(sealingFromEnv(env), env.FILES, domain);
}

/** Received mail that is not processed yet. */
export function mailsInFromEnv(env: Env): MailsIn {
  return openMailsIn(env.FILES);
}
