/** Cases of the tenancy matrix: those of webhooks. All of them are disabled: none of their addresses is anybody's. */
import type { Case } from "./tenancy-cases.ts";

/** A webhook that is sent nothing. */
export const webhookAt = (path: string) => ({
  url: `https://receiver.example/${path}`,
  events: ["*"],
  enabled: false,
});

export const WEBHOOK_CASES: readonly Case[] = [
  { route: "GET /v1/webhooks", path: () => "/v1/webhooks", other: "nothing of it", owner: 200 },
  {
    route: "POST /v1/webhooks",
    path: () => "/v1/webhooks",
    body: () => webhookAt("another"),
    other: "nothing of it",
    owner: 201,
  },
  { route: "GET /v1/webhooks/{id}", path: ({ webhook }) => `/v1/webhooks/${webhook}`, other: 404, owner: 200 },
  {
    route: "PUT /v1/webhooks/{id}",
    path: ({ webhook }) => `/v1/webhooks/${webhook}`,
    body: () => webhookAt("set"),
    other: 404,
    owner: 200,
  },
  {
    route: "POST /v1/webhooks/{id}/rotate",
    path: ({ webhook }) => `/v1/webhooks/${webhook}/rotate`,
    other: 404,
    owner: 200,
  },
  {
    route: "POST /v1/webhooks/{id}/test",
    path: ({ webhook }) => `/v1/webhooks/${webhook}/test`,
    other: 404,
    owner: 409,
  },
  {
    route: "GET /v1/webhooks/{id}/deliveries",
    path: ({ webhook }) => `/v1/webhooks/${webhook}/deliveries`,
    other: 404,
    owner: 200,
  },
  {
    route: "POST /v1/webhooks/{id}/replay",
    path: ({ webhook }) => `/v1/webhooks/${webhook}/replay`,
    body: () => ({}),
    other: 404,
    owner: 409,
  },
  { route: "DELETE /v1/webhooks/{id}", path: ({ webhook }) => `/v1/webhooks/${webhook}`, other: 404, owner: 204 },
];
