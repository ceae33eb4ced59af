/** The routes of how channels are set up, and what they received and sent. */
import type { App } from "../http/context.ts";
import { mailRoutes } from "../channels/mail/routes.ts";
import { hookRoutes } from "../channels/webhooks/hook-routes.ts";
import { deliveryRoutes } from "../channels/outbox/routes.ts";
import { slackRoutes } from "../channels/slack/routes.ts";
import { webhookRoutes } from "../channels/webhooks/routes.ts";
import { webhookDeliveryRoutes } from "../channels/webhooks/delivery-routes.ts";
import { localMailRoutes } from "../channels/mail/local-routes.ts";

export function channelsGroup(app: App): void {
  mailRoutes(app);
  hookRoutes(app);
  deliveryRoutes(app);
  slackRoutes(app);
  webhookRoutes(app);
  webhookDeliveryRoutes(app);
  localMailRoutes(app);
}
