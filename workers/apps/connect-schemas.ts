/** The shapes of connecting apps in the API. Their names are those of document 002. */
import { z } from "zod";

const MAX_NAME = 200;
const MAX_URL = 2_000;

const appName = z
  .string()
  .min(1)
  .max(MAX_NAME)
  .describe("The name of the app. That of the catalogue counts in any case.");
const owner = z.enum(["me", "shared"]).optional();

export const connectInput = z
  .strictObject({
    app_name: appName,
    callback_url: z
      .string()
      .max(MAX_URL)
      .optional()
      .describe("Where the browser goes once the account is connected: an address of this Otto."),
    owner: owner.describe("`me` (the default): the key's person. `shared`: everyone, by an administrator."),
  })
  .meta({ id: "ConnectAppInput" });

export const redirectSchema = z
  .strictObject({
    redirect_url: z.string().describe("The page on which the person connects the account. Give it to nobody else."),
    app_name: z.string(),
  })
  .meta({ id: "ConnectAppLink" });

export const disconnectInput = z
  .strictObject({
    app_name: appName,
    owner: owner.describe("`me` (the default): the key's person. `shared`: everyone's, by an administrator."),
  })
  .meta({ id: "DisconnectAppInput" });

export const disconnectedSchema = z
  .strictObject({ status: z.literal("success"), message: z.string(), app_name: z.string() })
  .meta({ id: "DisconnectedApp" });

export const refreshedSchema = z
  .strictObject({
    checked: z.int().describe("Active connections that were read at the provider."),
    expired: z.int(),
    revoked: z.int(),
    unread: z.int().describe("Those that the provider did not answer for. They stay as they are."),
    left: z.int().describe("Those that this request did not reach, or that were checked less than a minute ago."),
  })
  .meta({ id: "RefreshedConnections" });
