/** The port to mail providers. */
import type { Result } from "../base/errors.ts";

/** The limit of one file, and of all files of a mail: as base64 they have to fit the providers' limit (40 MB). */
export const MAX_ATTACHMENT_BYTES = 10 * 1024 * 1024;
export const MAX_ATTACHMENTS_BYTES = 20 * 1024 * 1024;
export const MAX_ATTACHMENTS = 20;
/** The most addresses of a mail, `to` and `cc` together. */
export const MAX_RECIPIENTS = 50;

export interface MailFile {
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** A sender or recipient. */
export interface Mailbox {
  /** Empty for the address alone. */
  readonly name: string;
  readonly address: string;
}

/** A mail from the configured sender. */
export interface Mail {
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  /** Null: replies go to the sender. */
  readonly replyTo: Mailbox | null;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly attachments: readonly MailFile[];
  /** Further headers in ASCII, such as `In-Reply-To`. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** `id` is the provider's. */
export interface SentMail {
  readonly id: string;
}

/**
 * A mail provider. Never throws. Final failures are `invalid_input`, `too_large`, `forbidden`, `not_available` or
 * `conflict`; retryable ones `upstream_failed`, `timeout`, `rate_limited` or `quota_exceeded`. `happened` is "no" if
 * the mail was not sent.
 */
export interface MailPort {
  readonly provider: "resend" | "smtp" | "outbox";
  /**
   * How long the provider remembers a key, in ms: a mail that is repeated within that time is sent once. Null if it
   * honours no key.
   */
  readonly keyedForMs: number | null;
  send(
    tenant: string,
    mail: Mail,
    options: { readonly key: string; readonly signal: AbortSignal },
  ): Promise<Result<SentMail>>;
}

/** The mail of one task's tree, for its tools. */
export interface TaskMailPort {
  readonly provider: MailPort["provider"];
  readonly keyedForMs: MailPort["keyedForMs"];
  send(mail: Mail, options: { readonly key: string; readonly signal: AbortSignal }): Promise<Result<SentMail>>;
  /**
   * Counts the mail of a key, once, against the tree's limit; `budget_exceeded` above `most`. Concurrent mails may
   * exceed the limit by their number.
   */
  reserve(key: string, most: number): Promise<Result<void>>;
  /** Takes back the count of a mail that was not sent. Never fails. */
  release(key: string): Promise<void>;
  /** Waits between two attempts. False if the signal aborted. */
  pause(ms: number, signal: AbortSignal): Promise<boolean>;
}
