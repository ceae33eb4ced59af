/** Whom the headers of a stored mail name as its senders, as the runtime parses them. */
import { describe, expect, test } from "vitest";
import { openMailsIn } from "../../../../adapters/mail/mail-in.ts";
import { judgeMail } from "../../../../core/channels/mail/judge-mail.ts";

describe("the senders of a mail", () => {
  /** A bucket whose every object is this mail. */
  const senders = async (...from: readonly string[]) => {
    const raw = new TextEncoder().encode(`${from.map((one) => `From: ${one}\r\n`).join("")}Subject: x\r\n\r\ntext`);
    const get = async () => ({ size: raw.length, arrayBuffer: async () => raw.buffer });
    const head = await openMailsIn({ get } as unknown as R2Bucket).readHead("tenant", "id");
    return head.ok ? head.value.from : head.error.code;
  };

  test.each([
    [["Ana <ana@example.com>, eve@evil.example"], ["ana@example.com", "eve@evil.example"]],
    [["ana@example.com,\r\n Eve <eve@evil.example>"], ["ana@example.com", "eve@evil.example"]],
    [["We: ana@example.com, eve@evil.example;"], ["ana@example.com", "eve@evil.example"]],
    [
      ["ana@example.com", "eve@evil.example"],
      ["eve@evil.example", "ana@example.com"],
    ],
    [['"Ana, of Sales" <ana@example.com>'], ["ana@example.com"]],
    [["=?utf-8?q?Ana=2C_eve=40evil.example?= <ana@example.com>"], ["ana@example.com"]],
  ])("%j are %j", async (from, expected) => {
    const found = await senders(...from);
    expect(new Set(found)).toEqual(new Set(expected));
    const headers = [
      { key: "authentication-results", value: "mx.cloudflare.net; dmarc=pass header.from=example.com" },
      ...from.map((value) => ({ key: "from", value })),
    ];
    const envelope = { envelopeFrom: "ana@example.com", own: "otto@otto.example" };
    const judged = judgeMail({ headers, from: found as string[] }, envelope);
    expect(judged.kind).toBe(expected.length === 1 ? "written" : "ignored");
  });
});
