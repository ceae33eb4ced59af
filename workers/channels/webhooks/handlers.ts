/** The webhook channel. */
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { failed, ok } from "../../../core/base/errors.ts";
import { isId } from "../../../core/base/ids.ts";
import type { ChannelHandlers } from "../channel.ts";
import { closeHooksOfTenant } from "./hook-settings.ts";
import { fromBody } from "./hook-item.ts";
import { webhookReceiver } from "./receiver.ts";
import { sendWebhook } from "./sender.ts";

export const webhookHandlers: ChannelHandlers = {
  receive: webhookReceiver,
  send: sendWebhook,
  async resolve(to, { env, tenant }) {
    if (!isId("endpoint", to)) return NO_ENDPOINT;
    const read = await databaseFromEnv(env).endpoints.get(tenant, to);
    if (read.ok) return ok([to]);
    return read.error.code === "not_found" ? NO_ENDPOINT : read;
  },
  findOwner: (_, item) => fromBody(item.body).tenant,
  eraseInboxes: closeHooksOfTenant,
};

const NO_ENDPOINT = failed("not_found", "is not an endpoint of this tenant. GET /v1/webhooks lists them");
