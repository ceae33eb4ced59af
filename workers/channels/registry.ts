/**
 * The channels, one line each. The API's list of names, the routing of items and deliveries, the secrets and the
 * console's labels follow from these lines.
 */
export { slack } from "./slack/channel.ts";
export { email } from "./mail/channel.ts";
export { webhook } from "./webhooks/channel.ts";
