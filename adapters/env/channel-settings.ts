/** The variables of Slack and mail: what each may be. A setting that cannot be right throws a RangeError that names it. */
import { getOwn } from "../../core/base/own-field.ts";
import { readMailbox } from "../../core/channels/mail/address.ts";
import { checkAddress, type Env, set } from "./bindings.ts";

const SLACK_API = "https://slack.com/api/";
const RESEND_API = "https://api.resend.com";
const DEFAULT_SMTP_PORTS: Readonly<Record<string, number>> = { "smtp:": 587, "smtps:": 465 };

/** Null parts: what needs them is not set up. */
export interface SlackSettings {
  /** Ends with a slash. */
  readonly apiUrl: string;
  /** What Slack signs its requests with; null: none is taken. */
  readonly signingSecret: string | null;
  /** Of the app, for installing it in a workspace by OAuth; null: only a bot's token can be pasted. */
  readonly client: { readonly id: string; readonly secret: string } | null;
}

/** How mail leaves; `outbox`: no provider is set up, and what would be sent is kept to be looked at. */
export type MailSettings =
  | { readonly kind: "resend"; readonly baseUrl: string; readonly apiKey: string; readonly from: string }
  | {
      readonly kind: "smtp";
      readonly host: string;
      readonly port: number;
      /** TLS from the first byte; else STARTTLS where the server offers it. */
      readonly secure: boolean;
      readonly username: string | null;
      readonly password: string | null;
      readonly from: string;
    }
  | { readonly kind: "outbox"; readonly from: string };

export function slackSettings(env: Env): SlackSettings {
  checkAddress(env.SLACK_API_URL, "SLACK_API_URL");
  const [id, secret] = [set(env.SLACK_CLIENT_ID), set(env.SLACK_CLIENT_SECRET)];
  if ((id === null) !== (secret === null))
    throw new RangeError("SLACK_CLIENT_ID and SLACK_CLIENT_SECRET belong together: set both, or neither");
  const apiUrl = set(env.SLACK_API_URL) ?? SLACK_API;
  return {
    apiUrl: apiUrl.endsWith("/") ? apiUrl : `${apiUrl}/`,
    signingSecret: set(env.SLACK_SIGNING_SECRET),
    client: id === null || secret === null ? null : { id, secret },
  };
}

/** Resend where its key is set, else SMTP where its URL is. */
export function mailSettings(env: Env): MailSettings {
  checkAddress(env.RESEND_BASE_URL, "RESEND_BASE_URL");
  const from = set(env.OTTO_MAIL_FROM) ?? "Otto <otto@localhost>";
  if (!readMailbox(from, "from").ok)
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

/** Where people and providers reach this Worker, without a slash at its end; null: links take the address of the request. */
export function publicUrl(env: Env): string | null {
  checkAddress(env.OTTO_PUBLIC_URL, "OTTO_PUBLIC_URL");
  return set(env.OTTO_PUBLIC_URL)?.replace(/\/+$/, "") ?? null;
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
