/** The shapes of connections in the API. */
import { z } from "zod";
import { PROVIDERS } from "../../core/connections/account.ts";
import { MAX_ALIAS } from "../../core/connections/rules.ts";
import { optionalQuery, pageQuery } from "../http/list-query.ts";

const time = z.iso.datetime();
const MAX_APP = 200;

export const ownerSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("person"), id: z.string(), name: z.string() }).meta({ id: "PersonOwner" }),
  z.strictObject({ kind: z.literal("shared") }).meta({ id: "SharedOwner" }),
]);

export const connectionSchema = z
  .strictObject({
    id: z.string(),
    app: z.string(),
    provider: z.enum(PROVIDERS).describe("By which protocol it was given, and who stores its tokens."),
    owner: ownerSchema,
    alias: z.string().nullable().describe("Tells several connections of one owner and app apart."),
    is_default: z.boolean().describe("True for the one that tasks of its owner use."),
    status: z
      .enum(["pending", "active", "expired", "revoked", "failed"])
      .describe("`pending`: a link was opened, and the consent has not returned. It reverts after 15 minutes."),
    label: z.string().nullable().describe("How the app names the account, such as a mail address."),
    scopes: z.array(z.string()).nullable().describe("The granted scopes; null if the app did not say."),
    unattended: z.boolean().describe("True if tasks that a schedule or a webhook starts may use it."),
    delegate_approvals: z.boolean().describe("True if others who may approve decide in the owner's place."),
    why: z.string().nullable().describe("Why it is in its state."),
    revocation: z
      .strictObject({
        state: z.enum(["open", "unconfirmed"]).describe("`unconfirmed`: the app never confirmed; Otto gave up."),
        next_at: time.describe("When Otto tries again; of `unconfirmed`, when it gave up."),
      })
      .nullable()
      .describe("How far the app has confirmed the end of a revoked connection; null once it has."),
    last_used_at: time.nullable().describe("Noted at most once an hour."),
    last_checked_at: time.nullable(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: "Connection" });

export const connectUrlSchema = z
  .strictObject({
    connect_url: z.string().describe("The page on which the person connects the account. Give it to nobody else."),
    expires_at: time,
  })
  .meta({ id: "ConnectLink" });

export const connectionQuery = z.strictObject({
  app: optionalQuery(z.string().max(MAX_APP)),
  owner: optionalQuery(z.enum(["me", "shared", "all"])),
  ...pageQuery,
});

const alias = z.string().min(1).max(MAX_ALIAS);

export const newConnectionSchema = z
  .strictObject({
    app: z.string().min(1).max(MAX_APP).describe("The name of the app: of an import or an MCP server."),
    owner: z.enum(["me", "shared"]).optional().describe("`me` (the default): the key's person. `shared`: everyone."),
    alias: alias.optional().describe("For one more account of the same app."),
    unattended: z.boolean().optional().describe("Proposes that tasks of schedules and webhooks may use it."),
  })
  .meta({ id: "NewConnectionInput" });

export const connectionChangeSchema = z
  .strictObject({
    alias: alias.nullable().optional().describe("Null: none."),
    is_default: z
      .literal(true)
      .optional()
      .describe("Makes it the one that tasks use. Choose another one to change it."),
    unattended: z.boolean().optional(),
    delegate_approvals: z.boolean().optional(),
  })
  .meta({ id: "ConnectionChangeInput" });
