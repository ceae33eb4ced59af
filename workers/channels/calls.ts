/** Passes requests to `/channels/<name>/…`, such as a provider's events, to the channel, which checks the sender. */
import { raise } from "../../core/base/errors.ts";
import { type Channels, CHANNELS, loadHandlers } from "./channels.ts";
import type { App } from "../http/context.ts";

export function channelCallRoutes(app: App, channels: Channels = CHANNELS): void {
  app.all("/channels/:channel/*", async (c) => {
    const handlers = await loadHandlers(channels, c.req.param("channel"));
    if (handlers?.answer === undefined) raise("not_found", "There is no such route.");
    return await handlers.answer(c);
  });
}
