/** Where something can be sent. Written by `npm run api-types` from the OpenAPI document; not edited by hand. */
export const DELIVERY_TARGETS = [
  {"name":"person","label":"A person","hint":"A person's name or id; uses the person's preferred channel"},
  {"name":"email","label":"Mail","hint":"One address, or several with commas"},
  {"name":"slack","label":"Slack","hint":"#channel, or the id of a channel or a person"},
  {"name":"webhook","label":"Webhook","hint":"The id of one of your webhooks"},
] as const;
