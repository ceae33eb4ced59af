/** The mail channel. */
import type { Env } from "../../../adapters/env/bindings.ts";
import { inboxesFromEnv } from "../../../adapters/env/channels.ts";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { ok, type Result } from "../../../core/base/errors.ts";
import { resolveAddresses } from "../../../core/channels/mail/resolve-addresses.ts";
import type { AskDestination } from "../../../core/people/route-ask.ts";
import type { ChannelHandlers } from "../channel.ts";
import { receiveMail } from "./receiver.ts";
import { sendByEmail } from "./sender.ts";

export const mailHandlers: ChannelHandlers = {
  receive: receiveMail,
  send: sendByEmail,
  resolve: async (to) => resolveAddresses(to),
  findOwner: (inbox) => inbox.slice(inbox.indexOf("/") + 1),
  findStations,
  eraseInboxes: async (env, tenant) => await inboxesFromEnv(env)(`email/${tenant}`).erase(),
};

/** Only people can be asked by mail: an unknown address has nobody to answer. */
async function findStations(env: Env, tenant: string, to: string): Promise<Result<readonly AskDestination[]>> {
  const stations: AskDestination[] = [];
  for (const address of to.split(",").map((each) => each.trim())) {
    const found = await databaseFromEnv(env).people.findByAddress(tenant, { kind: "email", address });
    if (!found.ok) return found;
    if (found.value !== null) stations.push({ channel: "email", to: address, person: found.value });
  }
  return ok(stations);
}
