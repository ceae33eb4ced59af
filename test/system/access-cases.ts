/** The routes of keys and secrets, for the tenancy matrix. */
import type { Case } from "./tenancy-cases.ts";

export const ACCESS_CASES: readonly Case[] = [
  { route: "GET /v1/keys", path: () => "/v1/keys", other: "nothing of it", owner: 200 },
  {
    route: "POST /v1/keys",
    path: () => "/v1/keys",
    body: () => ({ name: "another", scopes: ["tasks:read"] }),
    other: "nothing of it",
    owner: 201,
  },
  {
    route: "POST /v1/keys",
    path: () => "/v1/keys",
    body: ({ agent }) => ({ name: "bound", scopes: ["tasks:read"], agents: [agent] }),
    other: 422,
    owner: 201,
  },
  { route: "DELETE /v1/keys/{id}", path: ({ key }) => `/v1/keys/${key}`, other: 404, owner: 200 },
  { route: "GET /v1/secrets", path: () => "/v1/secrets", other: "nothing of it", owner: 200 },
  {
    route: "POST /v1/secrets",
    path: () => "/v1/secrets",
    body: () => ({ name: "ANOTHER", value: "value", hosts: ["example.com"] }),
    other: "nothing of it",
    owner: 201,
  },
  {
    route: "POST /v1/secrets",
    path: () => "/v1/secrets",
    body: ({ agent }) => ({ name: "BOUND", value: "value", hosts: ["example.com"], agents: [agent] }),
    other: 422,
    owner: 201,
  },
  { route: "GET /v1/secrets/{secret}", path: ({ secret }) => `/v1/secrets/${secret}`, other: 404, owner: 200 },
  {
    route: "PUT /v1/secrets/{secret}",
    path: ({ secret }) => `/v1/secrets/${secret}`,
    body: () => ({ value: "value", hosts: ["example.com"] }),
    other: 404,
    owner: 200,
  },
  { route: "DELETE /v1/secrets/{secret}", path: ({ secret }) => `/v1/secrets/${secret}`, other: 404, owner: 200 },
];
