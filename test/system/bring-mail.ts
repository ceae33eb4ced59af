/** Mail as Email Routing brings it to the started system. */
import type { StartedSystem } from "../drill/started-system.ts";

export interface BroughtMail {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Whether the receiving server verified the sender's domain. Default: true. */
  readonly isVerified?: boolean;
}

/** Brings a mail with a key, of the tenant of its address. An unknown address answers with an error and its 550. */
export async function bringMail(
  { url, key }: Pick<StartedSystem, "url" | "key">,
  mail: BroughtMail,
): Promise<Response> {
  const { from, to, subject, text, isVerified = true } = mail;
  const domain = from.slice(from.lastIndexOf("@") + 1);
  const raw = [
    `Authentication-Results: mx.cloudflare.net; dmarc=${isVerified ? "pass" : "fail"} header.from=${domain}`,
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    `Message-ID: <${crypto.randomUUID()}@${domain}>`,
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "",
    ...text.split("\n"),
  ].join("\r\n");
  const query = new URLSearchParams({ from, to });
  return await fetch(`${url}/cdn-cgi/local/email?${query.toString()}`, {
    method: "POST",
    body: raw,
    headers: key === "" ? {} : { authorization: `Bearer ${key}` },
  });
}
