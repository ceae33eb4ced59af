/** What a person enters for an app with a key, and the credential that it makes. */
import { describe, expect, test } from "vitest";
import type { AppClient } from "../../../core/connections/app-client.ts";
import { isKeyApp, listKeyFields, readKeyValue } from "../../../core/connections/key-fields.ts";

const read = (kind: AppClient["kind"], values: Record<string, string>, fields: AppClient["fields"] = []) =>
  readKeyValue({ kind, fields }, new Map(Object.entries(values)));

test.each([
  ["api_key", [["key", true]]],
  ["bearer", [["token", true]]],
  [
    "basic",
    [
      ["username", false],
      ["password", true],
    ],
  ],
] as const)("an app with %s has fields of its own kind", (kind, names) => {
  expect(isKeyApp({ kind })).toBe(true);
  expect(listKeyFields({ kind, fields: [] }).map(({ name, isSecret }) => [name, isSecret])).toEqual(names);
});

test("the fields of the app replace them, in their order", () => {
  const fields = [
    { name: "site", label: "Site", hint: "As in the address." },
    { name: "pin", label: "PIN" },
  ];
  expect(listKeyFields({ kind: "basic", fields })).toEqual([
    { name: "site", label: "Site", hint: "As in the address.", isSecret: false },
    { name: "pin", label: "PIN", isSecret: true },
  ]);
  expect(listKeyFields({ kind: "api_key", fields })).toEqual([{ ...fields[0], isSecret: true }]);
  expect(isKeyApp({ kind: "oauth2" })).toBe(false);
});

describe("the credential", () => {
  test("is the key without the space around it", () => {
    expect(read("api_key", { key: " k 1 \n" })).toEqual({ ok: true, value: "k 1" });
  });

  test("is the base64 of name and password as they were entered", () => {
    expect(read("basic", { username: "ana", password: " a:b " })).toEqual({ ok: true, value: btoa("ana: a:b ") });
  });

  test.each([
    ["bearer", {}, "token"],
    ["bearer", { token: " \t" }, "token"],
    ["bearer", { token: "a\r\nx-other: b" }, "token"],
    ["bearer", { token: "tökén" }, "token"],
    ["api_key", { key: "x".repeat(8_001) }, "key"],
    ["basic", { username: "a:b", password: "p" }, "username"],
    ["basic", { username: "a", password: "" }, "password"],
    ["basic", { username: "a", password: "p\0" }, "password"],
    ["basic", { username: "a\ud800", password: "p" }, "username"],
  ] as const)("of %s %j is refused with the field, without the value", (kind, values, field) => {
    const refused = read(kind, values);
    expect(refused).toMatchObject({ ok: false, error: { code: "invalid_input", field } });
    const [secret = ""] = Object.values(values).filter((value) => value.trim().length > 3);
    if (secret !== "") expect(JSON.stringify(refused)).not.toContain(secret);
  });
});
