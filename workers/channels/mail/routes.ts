/** Mail of a tenant: how it leaves, where it comes in, and what was only kept. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { mailFromEnv, mailOutboxFromEnv, mailSenderFromEnv, ownAddressesFromEnv } from "../../../adapters/env/mail.ts";
import { answers, withKey } from "../../http/answers.ts";
import { pageOf } from "../../http/schemas.ts";
import { auditEntry } from "../../http/audit-entry.ts";
import type { App, AppContext } from "../../http/context.ts";
import { requireScope } from "../../http/middleware/require-scope.ts";
import { receivedItemSchema, receivedPage, replayedSchema, replayReceived } from "../inbox/view.ts";
import { pageQuery } from "../../http/list-query.ts";
import { tenantOf } from "../../http/principal.ts";
import { unwrap } from "../../http/unwrap.ts";

/** Mails that one answer shows. */
const MOST_SHOWN = 50;

const mailSchema = z
  .strictObject({
    provider: z.enum(["resend", "smtp", "outbox"]).describe("`outbox`: mail is kept to be looked at, and never sent."),
    from: z.string().describe("Whom mail comes from."),
    address: z.string().nullable().describe("Where mail of this tenant comes in; null: no domain is set up for it."),
  })
  .meta({ id: "MailSettings" });

const keptMailSchema = z
  .strictObject({
    id: z.string(),
    sent: z.literal(false).describe("Nobody has got it."),
    from: z.string(),
    to: z.array(z.string()),
    cc: z.array(z.string()),
    reply_to: z.string().nullable(),
    subject: z.string(),
    html: z.string(),
    text: z.string(),
    attachments: z.array(z.strictObject({ filename: z.string(), content_type: z.string(), size: z.int() })),
    kept_at: z.iso.datetime(),
  })
  .meta({ id: "KeptMail" });

const tags = ["Mail"];
const shared = { tags, ...withKey, middleware: [requireScope("tasks:read")] };

const show = createRoute({
  ...shared,
  method: "get",
  operationId: "mail.getSettings",
  path: "/v1/mail",
  summary: "Show how mail leaves and comes in",
  description:
    "A mail to `address` whose subject begins with `New Task` makes a task of its text and files, when it is proven to come from a person of the tenant. What Otto asks by mail is answered by a reply.",
  responses: answers({ 200: { description: "The mail of the tenant.", json: mailSchema } }),
});

const outbox = createRoute({
  ...shared,
  method: "get",
  operationId: "mail.listOutbox",
  path: "/v1/mail/outbox",
  summary: "List the mails that were kept and not sent",
  description: `While neither RESEND_API_KEY nor SMTP_URL is set. The newest first, at most ${MOST_SHOWN}.`,
  responses: answers({
    200: { description: "Mails that nobody has got.", json: z.strictObject({ data: z.array(keptMailSchema) }) },
  }),
});

const received = createRoute({
  ...shared,
  method: "get",
  operationId: "mail.listReceived",
  path: "/v1/mail/received",
  summary: "List the mail that came in and what it came to, the latest first",
  description:
    "Of the last 30 days, and what still waits; of more than 100,000 the latest. `note` says why a mail was not taken: its sender is nobody of the tenant, is not proven, no person wrote it, it is too large. The mail itself is not kept.",
  request: { query: z.strictObject(pageQuery) },
  responses: answers({ 200: { description: "A page of mail.", json: pageOf(receivedItemSchema) } }, [422]),
});

const replay = createRoute({
  tags,
  ...withKey,
  middleware: [requireScope("admin")],
  method: "post",
  operationId: "mail.replayReceived",
  path: "/v1/mail/received/{message}/replay",
  summary: "Try a dead mail again",
  description: "409 for a mail that is not dead.",
  request: { params: z.object({ message: z.string().describe("Its `message_id`") }) },
  responses: answers({ 202: { description: "It waits to be worked.", json: replayedSchema } }, [404, 409]),
});

export function mailRoutes(app: App): void {
  app.openapi(show, async (c) => {
    const { provider } = mailFromEnv(c.env);
    const address = (await ownAddressesFromEnv(c.env)?.ofTenant(tenantOf(c))) ?? null;
    return c.json({ provider, from: mailSenderFromEnv(c.env), address }, 200);
  });

  app.openapi(outbox, async (c) => {
    const kept = unwrap(await mailOutboxFromEnv(c.env).list(tenantOf(c), MOST_SHOWN));
    const data = kept.map(({ to, cc, replyTo, attachments, keptAt, ...mail }) => ({
      ...mail,
      sent: false as const,
      to: [...to],
      cc: [...cc],
      reply_to: replyTo,
      attachments: attachments.map(({ filename, contentType, size }) => ({
        filename,
        content_type: contentType,
        size,
      })),
      kept_at: keptAt,
    }));
    return c.json({ data }, 200);
  });

  app.openapi(received, async (c) => c.json(await receivedPage(c, inboxOf(c), c.req.valid("query")), 200));

  app.openapi(replay, async (c) => {
    const { message } = c.req.valid("param");
    const act = await auditEntry(c, "mail.replay", message);
    return c.json(await replayReceived(c, inboxOf(c), message, act), 202);
  });
}

function inboxOf(c: AppContext) {
  return { name: `email/${tenantOf(c)}`, since: 0 };
}
