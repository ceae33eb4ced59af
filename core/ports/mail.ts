/** How mail leaves Otto, whoever takes it. */
import type { Result } from "../base/errors.ts";

/** Of one file, and of all files of one mail together: as base64 they have to stay under what providers take (40 MB). */
export const MAX_ATTACHMENT_BYTES = 10 * 1024 * 1024;
export const MAX_ATTACHMENTS_BYTES = 20 * 1024 * 1024;
export const MAX_ATTACHMENTS = 20;
/** Addresses of one mail, `to` and `cc` together. */
export const MAX_RECIPIENTS = 50;

export interface MailFile {
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** Somebody whom mail goes to or comes from. */
export interface Mailbox {
  /** Empty: the address alone. */
  readonly name: string;
  readonly address: string;
}

/** A mail. It comes from the sender that is set up. */
export interface Mail {
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  /** Null: answers go to the sender. */
  readonly replyTo: Mailbox | null;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly attachments: readonly MailFile[];
  /** Further headers in ASCII, such as `In-Reply-To`. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** `id`: what the provider calls it. */
export interface SentMail {
  readonly id: string;
}

/**
 * A provider of mail. Never throws. Failures that no other try can mend are `invalid_input`, `too_large`, `forbidden`,
 * `not_available` or `conflict`; others `upstream_failed`, `timeout`, `rate_limited` or `quota_exceeded`. `happened` is
 * "no" where the mail surely did not leave.
 */
export interface MailPort {
  readonly provider: "resend" | "smtp" | "outbox";
  /**
   * How long the provider remembers a key, in ms: a mail that is repeated within that time leaves once. Null: it
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
   * Counts the mail of a key, once, among those of the tree; `budget_exceeded` when that makes more than `most`. Several
   * at one moment can together go over it by what of them is under way.
   */
  reserve(key: string, most: number): Promise<Result<void>>;
  /** The mail of this key surely did not leave: it counts no more. Never fails. */
  release(key: string): Promise<void>;
  /** Waits between two tries. False: the signal was aborted before that. */
  pause(ms: number, signal: AbortSignal): Promise<boolean>;
}
