/** The tenant's mail settings, received mail, and unsent mail. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { mailFromEnv, mailOutboxFromEnv, mailSenderFromEnv, ownAddressesFromEnv } from "../../../adapters/env/mail.ts";
import { answers, withKey } from "../../http/answers.ts";
import { pageOf } from "../../http/schemas.ts";
import { createAuditEntry } from "../../http/audit-entry.ts";
import type { App, AppContext } from "../../http/context.ts";
import { requireScope } from "../../http/middleware/require-scope.ts";
import { receivedItemSchema, listReceived, replayedSchema, replayReceived } from "../inbox/view.ts";
import { pageQuery } from "../../http/list-query.ts";
import { getTenant } from "../../http/principal.ts";
import { unwrap } from "../../http/unwrap.ts";

/** Mails in one reply. */
const MAX_MAILS = 50;

const mailSchema = z
  .strictObject({
    provider: z.enum(["resend", "smtp", "outbox"]).describe("`outbox`: mail is stored for inspection and never sent."),
    from: z.string().describe("The sender of outgoing mail."),
    address: z
      .string()
      .nullable()
      .describe("The address at which this tenant receives mail; null if no mail domain is set up."),
  })
  .meta({ id: "MailSettings" });

const storedMailSchema = z
  .strictObject({
    id: z.string(),
    sent: z.literal(false).describe("It was not sent."),
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
  summary: "Show the mail settings",
  description:
    "A mail to `address` whose subject starts with `New Task` creates a task from its text and files, if its sender is verified as a person of the tenant. Reply to a mail to answer its question.",
  responses: answers({ 200: { description: "The mail settings of the tenant.", json: mailSchema } }),
});

const outbox = createRoute({
  ...shared,
  method: "get",
  operationId: "mail.listOutbox",
  path: "/v1/mail/outbox",
  summary: "List stored mail that was not sent",
  description: `Without RESEND_API_KEY and SMTP_URL, mail is stored instead of sent. Newest first, at most ${MAX_MAILS}.`,
  responses: answers({
    200: { description: "The mail that was not sent.", json: z.strictObject({ data: z.array(storedMailSchema) }) },
  }),
});

const received = createRoute({
  ...shared,
  method: "get",
  operationId: "mail.listReceived",
  path: "/v1/mail/received",
  summary: "List received mail with its outcome, newest first",
  description:
    "Covers the last 30 days and mail that still waits, at most the latest 100,000. `note` explains why a mail was not accepted: its sender is not a person of the tenant or is unverified, no person wrote it, or it is too large. The mail itself is not stored.",
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
  summary: "Retry a dead mail",
  description: "409 if the mail is not dead.",
  request: { params: z.object({ message: z.string().describe("Its `message_id`") }) },
  responses: answers({ 202: { description: "It is waiting to be processed.", json: replayedSchema } }, [404, 409]),
});

export function mailRoutes(app: App): void {
  app.openapi(show, async (c) => {
    const { provider } = mailFromEnv(c.env);
    const address = (await ownAddressesFromEnv(c.env)?.ofTenant(getTenant(c))) ?? null;
    return c.json({ provider, from: mailSenderFromEnv(c.env), address }, 200);
  });

  app.openapi(outbox, async (c) => {
    const kept = unwrap(await mailOutboxFromEnv(c.env).list(getTenant(c), MAX_MAILS));
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

  app.openapi(received, async (c) => c.json(await listReceived(c, getInbox(c), c.req.valid("query")), 200));

  app.openapi(replay, async (c) => {
    const { message } = c.req.valid("param");
    const act = await createAuditEntry(c, "mail.replay", message);
    return c.json(await replayReceived(c, getInbox(c), message, act), 202);
  });
}

function getInbox(c: AppContext) {
  return { name: `email/${getTenant(c)}`, since: 0 };
}
