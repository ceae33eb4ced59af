/** The accounts of an import: what the form requests. */
import { expect, it } from "vitest";
import { type ConnectDraft, NO_CONNECT, toConnect } from "../../../web/src/pages/tools/connect-draft.ts";

it.each<[string, Partial<ConnectDraft>, string, object | null]>([
  ["no accounts", {}, "left", null],
  [
    "an issuer, at which Otto registers itself",
    { kind: "oauth2", issuer: " https://a.example ", scopes: "read\n write ", authorization: "https://left.example" },
    "",
    { kind: "oauth2", per: "person", issuer: "https://a.example", scopes: ["read", "write"] },
  ],
  [
    "endpoints, a client and more fields",
    {
      kind: "oauth2",
      per: "shared",
      at: "endpoints",
      issuer: "https://left.example",
      authorization: "https://a.example/authorize",
      token: "https://a.example/token",
      clientId: "otto",
      params: "access_type=offline\n\nhint = a=b",
      scheme: "login",
    },
    " s ",
    {
      kind: "oauth2",
      per: "shared",
      authorization_endpoint: "https://a.example/authorize",
      token_endpoint: "https://a.example/token",
      client_id: "otto",
      client_secret: " s ",
      scopes: [],
      params: { access_type: "offline", hint: "a=b" },
      scheme: "login",
    },
  ],
  ["a key", { kind: "api_key", issuer: "https://left.example" }, "left", { kind: "api_key", per: "person" }],
  [
    "a token with a label",
    { kind: "bearer", firstLabel: "Personal token" },
    "",
    { kind: "bearer", per: "person", fields: [{ name: "token", label: "Personal token" }] },
  ],
  [
    "a name and a password, one with a label",
    { kind: "basic", secondLabel: "App password" },
    "",
    {
      kind: "basic",
      per: "person",
      fields: [
        { name: "username", label: "User name" },
        { name: "password", label: "App password" },
      ],
    },
  ],
])("requests %s", (_what, change, secret, expected) => {
  expect(toConnect({ ...NO_CONNECT, ...change }, secret)).toEqual(expected);
});
