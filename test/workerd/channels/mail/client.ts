/** Mail as it is brought, and what the tests of it read: what came in, and the tasks that were made. */
import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import type { TaskView } from "../../../../core/task/view.ts";
import { acceptMail } from "../../../../workers/channels/mail/entry.ts";
import { type Caller, makeCaller } from "../../http/entry.ts";

export const SOON = { timeout: 25_000, interval: 50 };

export interface Brought {
  readonly from: string;
  readonly to: string;
  readonly subject?: string;
  readonly text?: string;
  readonly id?: string;
  /** What the server that received it says; null: nothing. */
  readonly results?: string | null;
  readonly headers?: readonly string[];
  readonly files?: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  readonly envelopeFrom?: string;
}

/** Brings a mail as Email Routing does; gives why it was refused, or null. */
export async function bring(mail: Brought): Promise<string | null> {
  const { from, to, subject = "", text = "", files = [], id = crypto.randomUUID() } = mail;
  const domain = from.slice(from.lastIndexOf("@") + 1);
  const results = mail.results === undefined ? `mx.cloudflare.net; dmarc=pass header.from=${domain}` : mail.results;
  const head = [
    ...(results === null ? [] : [`Authentication-Results: ${results}`]),
    ...(mail.headers ?? []),
    `From: Somebody <${from}>`,
    `To: <${to}>`,
    `Subject: ${subject}`,
    `Message-ID: <${id}@${domain}>`,
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="b"',
  ];
  const parts = [
    `--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${text.replaceAll("\n", "\r\n")}`,
    ...files.map(
      ({ name, bytes }) =>
        `--b\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${btoa(String.fromCharCode(...bytes)).replace(/.{76}/g, "$&\r\n")}`,
    ),
  ];
  const raw = new TextEncoder().encode(`${head.join("\r\n")}\r\n\r\n${parts.join("\r\n")}\r\n--b--\r\n`);
  let refusal: string | null = null;
  const message = {
    from: mail.envelopeFrom ?? from,
    to,
    raw: new Blob([raw]).stream(),
    rawSize: raw.length,
    headers: new Headers({ "message-id": `<${id}@${domain}>`, subject }),
    setReject: (why: string) => {
      refusal = why;
    },
  };
  await acceptMail(env, message);
  return refusal;
}

async function addressOf(caller: Caller): Promise<string> {
  const { json } = await caller.send("GET", "/v1/mail");
  expect(json).toMatchObject({ provider: "smtp", from: "Otto <otto@mail.test>" });
  return json.address;
}

/** A tenant with a person who has an address of mail. */
export async function withPerson(more: Record<string, unknown> = {}) {
  const caller = await makeCaller();
  const ana = `ana.${crypto.randomUUID()}@example.com`;
  const body = { name: "Ana", addresses: [{ kind: "email", address: ana }], ...more };
  expect((await caller.send("POST", "/v1/people", body)).status).toBe(201);
  return { caller, ana, address: await addressOf(caller) };
}

export async function tasksOf(caller: Caller): Promise<TaskView[]> {
  return (await caller.send("GET", "/v1/tasks")).json.data;
}

/** What came in by mail, as the API shows it, once so many are over. */
export async function receivedOf(caller: Caller, over = 0) {
  return await vi.waitFor(async () => {
    const { status, json, text } = await caller.send("GET", "/v1/mail/received");
    expect(status, text).toBe(200);
    const data = json.data as Record<"message_id" | "state" | "note" | "from" | "subject", string>[];
    expect(data.filter(({ state }) => state !== "waiting").length).toBeGreaterThanOrEqual(over);
    return data;
  }, SOON);
}
