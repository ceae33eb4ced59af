import { queryOptions } from "@tanstack/react-query";
import { answered, answeredWithTag, api } from "../../api/client.ts";
import type { WebhookSetting } from "./webhook-form.tsx";

/** A tenant has at most twenty of them. */
export const webhooksQuery = queryOptions({
  queryKey: ["webhooks", "list"],
  queryFn: async () => (await answered(api.GET("/v1/webhooks"))).data,
});

/** A webhook with the tag of its version. */
export function webhookQuery(id: string) {
  return queryOptions({
    queryKey: ["webhooks", "one", id],
    queryFn: async () => await answeredWithTag(api.GET("/v1/webhooks/{id}", { params: { path: { id } } })),
  });
}

/** Updates a webhook; with the header only at that version. */
export async function putWebhook(id: string, body: WebhookSetting, header: { readonly "if-match"?: string }) {
  return await answeredWithTag(api.PUT("/v1/webhooks/{id}", { params: { path: { id }, header }, body }));
}

/** A hook that takes calls from outside, with the tag of its version. */
export function incomingQuery(id: string) {
  return queryOptions({
    queryKey: ["incoming-webhooks", "one", id],
    queryFn: async () => await answeredWithTag(api.GET("/v1/incoming-webhooks/{id}", { params: { path: { id } } })),
  });
}
