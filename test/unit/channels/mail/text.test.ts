/** The texts of mail: headers, Markdown as HTML, and the text above a quotation. */
import { describe, expect, it } from "vitest";
import { isAddress, parseMailboxes } from "../../../../core/channels/mail/address.ts";
import { checkMail, toMailContentType } from "../../../../core/channels/mail/check.ts";
import { writeMime } from "../../../../core/channels/mail/mime.ts";
import { markdownToHtml } from "../../../../core/channels/mail/markdown-html.ts";
import { REPLY_MARK, extractReply } from "../../../../core/channels/mail/reply-text.ts";
import { renderSubject, renderText } from "../../../../core/channels/mail/rendered-mail.ts";
import { TOO_LONG_TO_SHOW } from "../../../../core/people/format-call.ts";
import type { Ask } from "../../../../core/channels/outbox/message.ts";
import { mailTo } from "../../../contracts/channels/mail/suite.ts";
import { outMessage } from "../../../setup/out-message.ts";

const ASK: Ask = {
  kind: "question",
  id: "qst_1",
  task: "task_1",
  person: null,
  choices: ["North", "South"],
  call: null,
  reason: null,
  expiresAt: "2026-11-22T10:00:00.000Z",
};
const TOLD = { canReply: true, mayApprove: false, skipped: [] } as const;

it("an approval by mail names the account of its call", () => {
  const owner = { kind: "person", id: "per_ana", name: "Ana" } as const;
  const account = { connection: "con_1", app: "mail", provider: "oauth", owner, label: "ana@acme.example" } as const;
  const call = { tool: "send", arguments: {}, argumentsHash: "00" };
  const ask: Ask = { ...ASK, kind: "approval", choices: null, call, account };
  expect(renderText(outMessage({ ask }), TOLD)).toContain("Through ana@acme.example (Ana).");
});

describe("a mail address", () => {
  it.each(["a@b.de", "a.b+c@x-y.example", "o'brien@example.com"])("accepts %s", (text) => {
    expect(isAddress(text)).toBe(true);
  });

  it.each([
    "",
    "a",
    "@b.de",
    "a@",
    ".a@b.de",
    "a..b@c.de",
    "a@b..de",
    "a@-b.de",
    "a b@c.de",
    "a@b.de\n",
    "ä@b.de",
    "a@b.de>",
    `${"a".repeat(65)}@b.de`,
    `a@${"b.".repeat(130)}de`,
  ])("rejects %j", (text) => {
    expect(isAddress(text)).toBe(false);
  });

  it("may have a name with a comma", () => {
    expect(parseMailboxes('"Müller, Ben" <ben@x.de>,, ana@x.de; "A\\"B" <c@x.de>', "to")).toEqual({
      ok: true,
      value: [
        { name: "Müller, Ben", address: "ben@x.de" },
        { name: "", address: "ana@x.de" },
        { name: 'A"B', address: "c@x.de" },
      ],
    });
  });
});

describe("a mail on the wire", () => {
  it("is ASCII in lines of at most 76 characters for any content", () => {
    for (const subject of ["ä".repeat(300), "x".repeat(998), `${"short words ".repeat(70)}${"y".repeat(76)}`]) {
      const mail = mailTo("ana@example.com", {
        subject,
        html: `<p>${"long ".repeat(5_000)}</p>`,
        text: "👋".repeat(1_000),
        attachments: [{ filename: "売上.bin", contentType: "application/pdf", bytes: new Uint8Array(10_000) }],
      });
      const from = { name: "Ötto", address: "otto@example.org" };
      const envelope = { from, messageId: "1@example.org", at: 0, boundary: "b".repeat(32) };
      const text = [...writeMime(mail, envelope)].join("");
      expect(/^[\x20-\x7e\r\n]*$/.test(text)).toBe(true);
      const lines = text.split("\r\n");
      expect(lines.every((line) => !/[\r\n]/.test(line))).toBe(true);
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(76);
    }
  });
});

describe("the validation of a mail", () => {
  it("takes linear time for a content type", () => {
    expect(toMailContentType('text/plain; charset=utf-8; name="a;b=c"')).toBe(
      'text/plain; charset=utf-8; name="a;b=c"',
    );
    for (const wrong of [`a/b${";a=a".repeat(40)}\u0001`, `a/${"b".repeat(1_000)}`, "text/plain ; charset=utf-8", ""]) {
      expect(toMailContentType(wrong)).toBe("application/octet-stream");
      const attachments = [{ filename: "a", contentType: wrong, bytes: new Uint8Array() }];
      expect(checkMail(mailTo("ana@example.com", { attachments }))).toMatchObject({ error: { code: "invalid_input" } });
    }
  });
});

describe("Markdown as HTML", () => {
  it("renders headings, lists, quotes, code and inline marks", () => {
    const markdown =
      "# Plan\n\nSee **this** *now*: [x & y](https://e.com/?a=1&b=2) `a<b`\n\n- one\n- two\n\n1. a\n\n> q\n\n```js\n<b>\n```\n---";
    expect(markdownToHtml(markdown)).toBe(
      [
        "<h1>Plan</h1>",
        '<p>See <strong>this</strong> <em>now</em>: <a href="https://e.com/?a=1&amp;b=2">x &amp; y</a> <code>a&lt;b</code></p>',
        "<ul>\n<li>one</li>\n<li>two</li>\n</ul>",
        "<ol>\n<li>a</li>\n</ol>",
        "<blockquote>q</blockquote>",
        "<pre><code>&lt;b&gt;</code></pre>",
        "<hr>",
      ].join("\n"),
    );
  });

  it.each([
    "<script>alert(1)</script>",
    '<img src="https://evil.example/x.png">',
    "[x](javascript:alert(1))",
    '[x](https://e.com/"onmouseover="alert(1))',
    "![x](https://evil.example/x.png)",
    "`<b>` <b>",
    "# <b>",
    "- <b>",
    "> <b>",
    "| <b> |",
    "**<b>**",
    "[<b>](https://e.com)",
    "```\n</code></pre><b>",
  ])("escapes tags in it: %s", (markdown) => {
    const html = markdownToHtml(markdown);
    const tags = html.match(/<[^>]*>/g) ?? [];
    for (const tag of tags)
      expect(tag).toMatch(/^<\/?(?:p|h1|ul|li|blockquote|pre|code|strong|em|a)>$|^<a href="https:\/\/[^"<>]*">$/);
    expect(html).not.toContain("<img");
  });

  it("takes time by its length", () => {
    for (const part of ["**a", "[a](", "`", "*a ", "> ", "#", "- - "])
      expect(markdownToHtml(part.repeat(80_000 / part.length))).not.toBe("");
    for (const [sign, end] of [
      ["#", "\u2028"],
      ["# a", "b"],
      ["-", "\u2028"],
      ["1.", "\u2028"],
    ] as const)
      expect(markdownToHtml(`${sign}${" ".repeat(80_000)}${end}`)).not.toBe("");
    expect(markdownToHtml("## Plan \t##")).toBe("<h2>Plan</h2>");
  });
});

describe("a reply's text", () => {
  it.each([
    ["Yes.\n\nOn Mon, 2 Nov 2026 at 10:00, Otto <o@x.de> wrote:\n> Which?\n> a", "Yes."],
    ["Yes.\n\nOn Mon, 2 Nov 2026 at 10:00, Otto\n<o@x.de> wrote:\n\n> Which?", "Yes."],
    ["Ja.\n\nAm 02.11.26 um 10:00 schrieb Otto:\n> Welche?", "Ja."],
    ["Yes.\r\n-- \r\nAna\r\nDirector", "Yes."],
    ["Yes.\n________________________________\nFrom: Otto <o@x.de>\nSent: Monday", "Yes."],
    ["Yes.\n\nFrom: Otto <o@x.de>\nSent: Monday\nWhich?", "Yes."],
    ["Yes.\n-----Original Message-----\nWhich?", "Yes."],
    [`Yes.\n\nOtto schrieb:\n${REPLY_MARK}\nWhich?`, "Yes.\n\nOtto schrieb:"],
    [`First line:\nsecond line\n\n${REPLY_MARK}`, "First line:\nsecond line"],
    ["> Which?\nNorth", ""],
    ["North", "North"],
    ["", ""],
  ])("is the part above the quotation: %j", (text, own) => {
    expect(extractReply(text)).toBe(own);
  });
});

describe("a rendered mail", () => {
  it("asks with the choices, how to reply, and the expiry", () => {
    const text = renderText(outMessage({ text: "Which region?", ask: ASK }), TOLD);
    expect(text.startsWith(`${REPLY_MARK}\n\nWhich region?`)).toBe(true);
    expect(text).toContain("- North\n- South");
    expect(text).toContain("replying to this mail");
    expect(text).toContain("2026-11-22 10:00:00 UTC");
  });

  it("offers no decision to a person without permission", () => {
    const call = { tool: "http_request", arguments: { body: "```\n# evil" }, argumentsHash: "0" };
    const approval = outMessage({ ask: { ...ASK, kind: "approval", choices: null, call } });
    const may = renderText(approval, { ...TOLD, mayApprove: true });
    expect(may).toContain("**APPROVE**");
    expect(markdownToHtml(may)).not.toContain("<h1>");
    const mayNot = renderText(approval, { ...TOLD, canReply: false });
    expect(mayNot).not.toContain("APPROVE");
    expect(mayNot).toContain("cannot decide");
  });

  it("offers no approval of hidden arguments", () => {
    const call = { tool: "http_request", arguments: null, argumentsHash: "0" };
    const approval = outMessage({ ask: { ...ASK, kind: "approval", choices: null, call } });
    const text = renderText(approval, { ...TOLD, mayApprove: true });
    expect(text).not.toContain("APPROVE");
    expect(text).toContain("**REFUSE**");
    expect(text).toContain(TOO_LONG_TO_SHOW);
  });

  it("has a one-line subject", () => {
    expect(renderSubject(outMessage({ title: "a\r\nBcc: x@y.de" }))).toBe("a Bcc: x@y.de");
    expect(renderSubject(outMessage({ title: "x".repeat(500) }))).toHaveLength(200);
    expect(renderSubject(outMessage())).toBe("The report");
  });
});
