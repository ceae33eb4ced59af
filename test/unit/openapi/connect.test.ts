import { describe, expect, test } from "vitest";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import { hashAppSettings } from "../../../core/connections/app-settings.ts";
import { connectSchema, omitClientSecret, toAppSettings } from "../../../core/openapi/connect.ts";
import { readApiDocument } from "../../../core/openapi/document.ts";
import { importOpenApi, type ImportOptions } from "../../../core/openapi/import.ts";
import type { HttpTemplate, OutsideTool } from "../../../core/tool/source.ts";
import { IMPORT_OPTIONS } from "./import-options.ts";

const ISSUER = { kind: "oauth2", issuer: "https://login.example", scopes: ["read"], per: "person" } as const;
const ENDPOINTS = {
  kind: "oauth2",
  authorization_endpoint: "https://login.example/authorize",
  token_endpoint: "https://login.example/token",
  client_id: "otto",
  scopes: [],
  per: "shared",
} as const;

const SCHEMES = {
  login: { type: "oauth2", flows: {} },
  token: { type: "http", scheme: "bearer" },
  name: { type: "http", scheme: "basic" },
  key: { type: "apiKey", in: "header", name: "X-Key" },
  query: { type: "apiKey", in: "query", name: "api key" },
  cookie: { type: "apiKey", in: "cookie", name: "session" },
};

interface Given {
  readonly security?: unknown;
  readonly schemes?: Readonly<Record<string, unknown>>;
  readonly paths?: Readonly<Record<string, unknown>>;
}

const documentOf = ({ security, schemes = SCHEMES, paths }: Given) => ({
  openapi: "3.1.0",
  info: { title: "Crm" },
  servers: [{ url: "https://api.example/v1" }],
  paths: paths ?? { "/notes": { get: { operationId: "notes" } } },
  components: { securitySchemes: schemes },
  ...(security === undefined ? {} : { security }),
});

async function read(given: Given, connect: unknown, options: Partial<ImportOptions> = {}) {
  const document = readApiDocument(documentOf(given));
  const parsed = connectSchema.parse(connect);
  if (!document.ok) throw new Error(document.error.message);
  const whole = { ...IMPORT_OPTIONS, name: "crm", connect: omitClientSecret(parsed), ...options };
  return await importOpenApi(document.value, whole, { patterns: linearPatterns, giveWay: async () => {} });
}

async function only(...given: Parameters<typeof read>): Promise<OutsideTool & { request: HttpTemplate }> {
  const made = await read(...given);
  const tool = made.ok ? made.value.tools[0] : undefined;
  if (tool?.origin.kind !== "http") throw new Error(JSON.stringify(made));
  return { ...tool, request: tool.origin.request };
}

describe("the input", () => {
  const faultsOf = (connect: unknown) =>
    connectSchema.safeParse(connect).error?.issues.flatMap((issue) => JSON.stringify(issue)) ?? [];

  test.each([
    ISSUER,
    ENDPOINTS,
    { ...ISSUER, client_id: "otto", client_secret: "s", params: { access_type: "offline" }, scheme: "login" },
    { kind: "api_key" },
    {
      kind: "basic",
      fields: [
        { name: "user", label: "User" },
        { name: "pin", label: "PIN", hint: "Four digits" },
      ],
    },
    { kind: "bearer", per: "shared", scheme: "token" },
  ])("is accepted: %j", (connect) => {
    expect(faultsOf(connect)).toEqual([]);
  });

  test.each([
    ["issuer", { ...ISSUER, issuer: undefined }],
    ["issuer", { ...ENDPOINTS, issuer: "https://login.example" }],
    ["issuer", { ...ISSUER, revocation_endpoint: "https://login.example/revoke" }],
    ["token_endpoint", { ...ENDPOINTS, token_endpoint: undefined }],
    ["authorization_endpoint", { ...ENDPOINTS, authorization_endpoint: undefined }],
    ["client_id", { ...ENDPOINTS, client_id: undefined }],
    ["client_id", { ...ISSUER, client_secret: "s" }],
    ["params", { ...ISSUER, params: { state: "forged" } }],
    ["params", { ...ISSUER, params: { redirect_uri: "https://evil.example" } }],
    ["issuer", { ...ISSUER, issuer: "ftp://login.example" }],
    ["scopes", { ...ISSUER, scopes: ["read write"] }],
    ["fields", { kind: "basic", fields: [{ name: "user", label: "User" }] }],
    [
      "fields",
      {
        kind: "api_key",
        fields: [
          { name: "a", label: "A" },
          { name: "b", label: "B" },
        ],
      },
    ],
    ["per", { ...ISSUER, per: "either" }],
    ["acts_for", { ...ISSUER, acts_for: "per_1" }],
  ])("is refused for %s: %j", (field, connect) => {
    expect(faultsOf(connect).join()).toContain(field);
  });

  test("is stored without its secret", () => {
    const connect = connectSchema.parse({ ...ISSUER, client_id: "otto", client_secret: "canary" });
    expect(JSON.stringify(omitClientSecret(connect))).not.toContain("canary");
  });
});

describe("the credential's place", () => {
  test.each([
    [ISSUER, [{ login: ["read"] }], "authorization", "Bearer {{connection}}", ["read"]],
    [ENDPOINTS, [{ login: [] }], "authorization", "Bearer {{connection}}", []],
    [{ kind: "bearer", scheme: "token" }, [{ token: [] }], "authorization", "Bearer {{connection}}", []],
    [{ kind: "basic" }, [{ name: [] }], "authorization", "Basic {{connection}}", []],
    [{ kind: "api_key" }, [{ key: [] }], "x-key", "{{connection}}", []],
  ] as const)("of %j is that of its scheme", async (connect, security, header, value, scopes) => {
    const tool = await only({ security }, connect);
    expect(tool.request.headers).toEqual({ [header]: value });
    const provider = connect.kind === "oauth2" ? "oauth" : "key";
    expect(tool.app).toEqual({ app: "crm", provider, owner: "per" in connect ? connect.per : "person", scopes });
  });

  test("of a key in the query is its field", async () => {
    const tool = await only({ security: [{ query: [] }] }, { kind: "api_key", scheme: "query" });
    expect(tool.request.url).toBe("https://api.example/v1/notes?api%20key={{connection}}");
  });

  test("of a document without schemes is the header of every operation, and unknown for a key", async () => {
    const tool = await only({ schemes: {} }, ISSUER);
    expect([tool.request.headers, tool.app?.scopes]).toEqual([{ authorization: "Bearer {{connection}}" }, []]);
    expect((await only({}, ISSUER)).request.headers).toEqual({ authorization: "Bearer {{connection}}" });
    expect(await read({ schemes: {} }, { kind: "api_key" })).toMatchObject({ error: { field: "connect.kind" } });
  });

  test("is absent from a public operation, and replaces neither a secret of another scheme nor the document's choice", async () => {
    const paths = {
      "/public": { get: { operationId: "public", security: [] } },
      "/both": { get: { operationId: "both", security: [{ login: [], key: [] }] } },
      "/either": { get: { operationId: "either", security: [{}, { key: [] }, { login: ["read"] }] } },
      "/other": { get: { operationId: "other", security: [{ key: [] }] } },
    };
    const made = await read({ paths }, ISSUER, { auth: { key: "KEY" } });
    const tools = made.ok ? made.value.tools : [];
    const headers = tools.map(({ origin }) => (origin.kind === "http" ? origin.request.headers : null));
    expect(headers).toEqual([
      {},
      { "x-key": "{{secret.KEY}}", authorization: "Bearer {{connection}}" },
      { authorization: "Bearer {{connection}}" },
      { "x-key": "{{secret.KEY}}" },
    ]);
    expect(tools.map(({ app }) => app?.scopes)).toEqual([undefined, [], ["read"], undefined]);
  });

  test("is that of the scheme of its kind, also behind another one that carries the same credential", async () => {
    const { cookie, key, login, token } = SCHEMES;
    const schemes = { token, login, cookie, key };
    const security = [{ login: [] }, { token: [] }, { key: [] }];
    const paths = Object.fromEntries(
      security.map((one, at) => [`/${at}`, { get: { operationId: `o${at}`, security: [one] } }]),
    );
    const usedBy = async (connect: unknown) => {
      const made = await read({ schemes, paths }, connect, { auth: {} });
      return made.ok ? made.value.tools.filter(({ app }) => app !== undefined).map(({ name }) => name) : made.error;
    };
    expect(await usedBy({ ...ISSUER, scopes: [] })).toEqual(["crm.o0"]);
    expect(await usedBy({ kind: "bearer" })).toEqual(["crm.o1"]);
    expect(await usedBy({ kind: "api_key" })).toEqual(["crm.o2"]);
  });

  test("is refused if no operation uses it", async () => {
    const paths = { "/public": { get: { operationId: "public", security: [] } } };
    expect(await read({ paths }, ISSUER)).toMatchObject({ ok: false, error: { field: "connect" } });
  });

  test.each([
    ["connect.scheme", { ...ISSUER, scheme: "nothing" }, {}],
    ["connect.scheme", { ...ISSUER, scheme: "key" }, {}],
    ["connect.scheme", { kind: "api_key", scheme: "cookie" }, {}],
    ["auth.login", ISSUER, { login: "KEY" }],
  ])("is refused with the field %s", async (field, connect, auth) => {
    expect(await read({}, connect, { auth })).toMatchObject({ ok: false, error: { field } });
  });

  test("an operation that needs a scope which is not requested becomes no tool", async () => {
    const paths = {
      "/notes": { get: { operationId: "notes", security: [{ login: ["read"] }] } },
      "/all": { delete: { operationId: "all", security: [{ login: ["write"] }] } },
    };
    const made = await read({ paths }, ISSUER);
    expect(made).toMatchObject({
      value: {
        skipped: [{ operation: "DELETE /all", reason: "it needs the scope write; name it in connect.scopes" }],
        account: { header: "authorization", hosts: ["api.example"] },
      },
    });
  });
});

test("an import without connect is as before, byte for byte", async () => {
  const document = readApiDocument(documentOf({ security: [{ key: [] }] }));
  const ports = { patterns: linearPatterns, giveWay: async () => {} };
  const made = document.ok && (await importOpenApi(document.value, { ...IMPORT_OPTIONS, auth: { key: "KEY" } }, ports));
  const [tool] = made && made.ok ? made.value.tools : [];
  expect(JSON.stringify(tool)).not.toContain('app":{');
  expect(made).toMatchObject({ value: { account: null } });
});

test("a model's argument refers to no account", async () => {
  const { fillTemplate } = await import("../../../core/gateway/http-template.ts");
  const paths = {
    "/notes/{id}/{part}": {
      get: {
        operationId: "note",
        parameters: ["id", "part"].map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
      },
    },
  };
  const { request } = await only({ paths }, ISSUER);
  for (const text of ["{{connection}}", "{{ connection }}", "%7B%7Bconnection%7D%7D"])
    expect(fillTemplate(request, { id: "1", part: text })).toMatchObject({ error: { code: "blocked_by_policy" } });
  expect(fillTemplate(request, { id: "1", part: "2" })).toMatchObject({
    value: { headers: [["authorization", "Bearer {{connection}}"]] },
  });
});

describe("the app", () => {
  const settingsOf = async (connect: unknown, change: { readonly hosts?: string[]; readonly header?: string } = {}) => {
    const { hosts = ["api.example"], header = "authorization" } = change;
    const settings = toAppSettings(omitClientSecret(connectSchema.parse(connect)), { header }, { title: "Crm", hosts });
    return await hashAppSettings(settings);
  };

  test("its hash changes with the provider, the client, the hosts and the place, and with nothing else", async () => {
    const base = { ...ISSUER, client_id: "otto" };
    const same = [
      { ...base, client_secret: "other" },
      { ...base, scopes: ["read", "write"] },
      { ...base, params: { prompt: "consent" } },
    ];
    const others = [
      { ...base, issuer: "https://evil.example" },
      { ...base, client_id: "evil" },
      ENDPOINTS,
      { kind: "bearer" },
    ];
    const hash = await settingsOf(base);
    for (const connect of same) expect(await settingsOf(connect)).toBe(hash);
    const changed = await Promise.all([
      ...others.map(async (connect) => await settingsOf(connect)),
      settingsOf(base, { hosts: ["evil.example"] }),
      settingsOf(base, { hosts: ["api.example", "evil.example"] }),
      settingsOf(base, { header: "x-key" }),
    ]);
    expect(new Set([hash, ...changed]).size).toBe(changed.length + 1);
    expect(await settingsOf(base, { hosts: ["b", "a"] })).toBe(await settingsOf(base, { hosts: ["a", "b", "a"] }));
  });

  test("asks for what its kind needs", () => {
    const fieldsOf = (connect: unknown) =>
      toAppSettings(omitClientSecret(connectSchema.parse(connect)), { header: "x" }, { title: "C", hosts: [] }).fields;
    expect(fieldsOf({ kind: "basic" }).map(({ name }) => name)).toEqual(["username", "password"]);
    expect(fieldsOf({ kind: "api_key", fields: [{ name: "key", label: "Crm key" }] })).toEqual([
      { name: "key", label: "Crm key" },
    ]);
    expect(fieldsOf(ISSUER)).toEqual([]);
  });
});
