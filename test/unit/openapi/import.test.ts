import { describe, expect, test } from "vitest";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import { readApiDocument } from "../../../core/openapi/document.ts";
import { importOpenApi, type ImportOptions, toSlug } from "../../../core/openapi/import.ts";
import type { HttpTemplate, OutsideTool } from "../../../core/tool/source.ts";
import { IMPORT_OPTIONS } from "./import-options.ts";

type Json = Record<string, unknown>;

const operation = (given: Json, more: Json = {}): Json => ({
  openapi: "3.1.0",
  info: { title: "Api" },
  servers: [{ url: "https://api.example/v1/" }],
  paths: { "/things/{id}": { post: { operationId: "makeThing", ...given } } },
  ...more,
});
const ID = { name: "id", in: "path", required: true, schema: { type: "integer" } };
const json = (schema: unknown, required = true) => ({ required, content: { "application/json": { schema } } });

async function read(document: unknown, options: Partial<ImportOptions> = {}) {
  const parsed = readApiDocument(document);
  if (!parsed.ok) return { tools: [], skipped: [], error: parsed.error };
  const made = await importOpenApi(
    parsed.value,
    { ...IMPORT_OPTIONS, ...options },
    { patterns: linearPatterns, giveWay: async () => {} },
  );
  return made.ok ? { ...made.value, error: null } : { tools: [], skipped: [], error: made.error };
}

async function only(
  document: unknown,
  options: Partial<ImportOptions> = {},
): Promise<OutsideTool & { request: HttpTemplate }> {
  const { tools, error } = await read(document, options);
  const [tool] = tools;
  if (tool === undefined || tool.origin.kind !== "http") throw new Error(`no tool: ${JSON.stringify(error)}`);
  return { ...tool, request: tool.origin.request };
}

describe("an operation", () => {
  test("becomes a tool with its parameters and its body's members as arguments", async () => {
    const given = {
      summary: "Make a thing.",
      parameters: [
        ID,
        { name: "dry", in: "query", description: "Only look.", schema: { type: "boolean" } },
        { name: "tags", in: "query", schema: { type: "array", items: { type: "string" } } },
        { name: "X-Trace", in: "header", schema: { type: "string" } },
        { name: "Authorization", in: "header", required: true, schema: { type: "string" } },
      ],
      requestBody: json({
        type: "object",
        properties: { title: { type: "string", nullable: true }, id_of_server: { type: "string", readOnly: true } },
        required: ["title", "id_of_server"],
      }),
    };
    const tool = await only(operation(given));
    expect(tool).toMatchObject({
      name: "api.make_thing",
      summary: "Make a thing. (POST /things/{id})",
      toolbox: "api",
      security: "dangerous",
      effect: "once",
      permissions: ["network"],
    });
    expect(tool.input).toEqual({
      type: "object",
      properties: {
        id: { type: "integer" },
        dry: { description: "Only look.", type: "boolean" },
        tags: { type: "array", items: { type: "string" } },
        "X-Trace": { type: "string" },
        title: { type: ["string", "null"] },
      },
      required: ["id", "title"],
      additionalProperties: false,
    });
    expect(tool.request).toMatchObject({
      method: "POST",
      url: "https://api.example/v1/things/{id}",
      contentType: "application/json",
    });
    expect(tool.request.places).toMatchObject({
      "X-Trace": { in: "header", name: "X-Trace" },
      title: { in: "body", name: "title" },
    });
  });

  test.each([
    ["a list", { type: "array", items: { type: "integer" } }],
    ["a choice", { oneOf: [{ type: "object", properties: { a: {} } }] }],
    ["an object of any names", { type: "object", properties: { a: {} }, additionalProperties: { type: "string" } }],
    ["an object with a parameter's name", { type: "object", properties: { id: { type: "string" } } }],
  ])("whose body is %s takes it as one argument", async (_what, schema) => {
    const tool = await only(operation({ parameters: [ID], requestBody: json(schema) }));
    expect(tool.request.places["body"]).toEqual({ in: "payload", name: "body" });
    expect(tool.input["required"]).toEqual(["id", "body"]);
  });

  test("follows references, recursive schemas up to their repetition", async () => {
    const components = {
      parameters: { Id: ID },
      requestBodies: { Thing: json({ $ref: "#/components/schemas/Thing" }) },
      schemas: {
        Thing: {
          type: "object",
          properties: { name: { $ref: "#/components/schemas/A~1Name" }, next: { $ref: "#/components/schemas/Thing" } },
        },
        "A/Name": { type: "string", maxLength: 5 },
      },
    };
    const given = {
      parameters: [{ $ref: "#/components/parameters/Id" }],
      requestBody: { $ref: "#/components/requestBodies/Thing" },
    };
    const { input } = await only(operation(given, { components }));
    expect(input["properties"]).toMatchObject({ name: { type: "string", maxLength: 5 }, next: {} });
    expect(JSON.stringify(input)).not.toContain("$ref");
  });

  test("stays small when its schemas multiply", async () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => {
        const next = { $ref: `#/components/schemas/S${index + 1}` };
        return [`S${index}`, { type: "object", properties: { a: next, b: next, c: next } }];
      }),
    );
    const document = operation(
      { parameters: [ID], requestBody: json({ $ref: "#/components/schemas/S0" }) },
      { components: { schemas } },
    );
    const { input } = await only(document);
    expect(JSON.stringify(input).length).toBeLessThan(200_000);
  });

  test("drops an invalid pattern", async () => {
    const schema = {
      type: "object",
      properties: { a: { type: "string", pattern: "(?=x)" }, b: { type: "string", pattern: "^b+$" } },
    };
    const { input } = await only(operation({ parameters: [ID], requestBody: json(schema) }));
    expect(input["properties"]).toMatchObject({ a: { type: "string" }, b: { pattern: "^b+$" } });
    expect(JSON.stringify(input)).not.toContain("(?=");
  });

  test.each([
    ["a cookie", { parameters: [ID, { name: "s", in: "cookie", required: true, schema: {} }] }, "cookie"],
    [
      "an object in the query",
      { parameters: [ID, { name: "f", in: "query", required: true, style: "deepObject", schema: { type: "object" } }] },
      "style",
    ],
    [
      "files",
      { parameters: [ID], requestBody: { required: true, content: { "multipart/form-data": {} } } },
      "multipart/form-data",
    ],
    ["credentials that nobody named", { parameters: [ID], security: [{ key: [] }] }, "name a secret"],
    ["a part of its address that it does not describe", {}, "{id}"],
  ])("that needs %s is skipped, with the reason", async (_what, given, said) => {
    const { error } = await read(operation(given));
    expect(error?.message).toContain("POST /things/{id}");
    expect(error?.message).toContain(said);
  });

  test("omits optional parts that tools do not support", async () => {
    const parameters = [ID, { name: "s", in: "cookie", schema: {} }];
    const tool = await only(operation({ parameters, requestBody: { content: { "image/png": {} } } }));
    expect(Object.keys(tool.input["properties"] ?? {})).toEqual(["id"]);
  });
});

describe("credentials", () => {
  const securitySchemes = {
    key: { type: "apiKey", in: "header", name: "X-Api-Key" },
    query: { type: "apiKey", in: "query", name: "api key" },
    cookie: { type: "apiKey", in: "cookie", name: "sid" },
    bearer: { type: "http", scheme: "Bearer" },
    basic: { type: "http", scheme: "basic" },
    oauth: { type: "oauth2" },
    mutual: { type: "mutualTLS" },
  };
  const withSecurity = (security: unknown, auth: Record<string, string>) =>
    only(operation({ parameters: [ID], security }, { components: { securitySchemes } }), { auth });

  test.each([
    ["key", { "x-api-key": "{{secret.A}}" }],
    ["cookie", { cookie: "sid={{secret.A}}" }],
    ["bearer", { authorization: "Bearer {{secret.A}}" }],
    ["basic", { authorization: "Basic {{secret.A}}" }],
    ["oauth", { authorization: "Bearer {{secret.A}}" }],
  ])("of the scheme %s are a secret in a header", async (scheme, headers) => {
    expect((await withSecurity([{ [scheme]: [] }], { [scheme]: "A" })).request.headers).toEqual(headers);
  });

  test("in the query are added to the URL", async () => {
    const { request } = await withSecurity([{ query: [] }], { query: "A" });
    expect(request.url).toBe("https://api.example/v1/things/{id}?api%20key={{secret.A}}");
  });

  test("use the first alternative with secrets, and are empty if no secret is needed", async () => {
    const { request } = await withSecurity([{ key: [], mutual: [] }, { bearer: [] }], { bearer: "B", key: "A" });
    expect(request.headers).toEqual({ authorization: "Bearer {{secret.B}}" });
    expect((await withSecurity([{ key: [] }, {}], {})).request.headers).toEqual({});
    expect((await withSecurity([], {})).request.headers).toEqual({});
  });
});

describe("names", () => {
  test.each([
    ["getPetById", "get_pet_by_id"],
    ["get /pets/{id}", "get_pets_id"],
    ["pets.list-all", "pets_list_all"],
    ["2fa", "op_2fa"],
    ["文書", "op"],
  ])("are made of %s as %s", (text, slug) => {
    expect(toSlug(text)).toBe(slug);
  });

  test("that are too long or taken end in a part of their hash", async () => {
    const long = "a".repeat(100);
    const paths = Object.fromEntries([
      ["/a", { get: { operationId: "same" } }],
      ["/b", { get: { operationId: "same" } }],
      ["/c", { get: { operationId: long } }],
      ["/d", { get: { operationId: long } }],
    ]);
    const { tools } = await read(operation({}, { paths }));
    const made = tools.map(({ name }) => name);
    expect(made[0]).toBe("api.same");
    expect(made[1]).toMatch(/^api\.same_[0-9a-f]{10}$/);
    expect(made[2]).toMatch(/^api\.a{49}_[0-9a-f]{10}$/);
    expect([new Set(made).size, made[2]?.length]).toEqual([4, 64]);
  });

  test("select the operations to import", async () => {
    const paths = { "/a": { get: { operationId: "getA" }, delete: { operationId: "deleteA" } } };
    const { tools } = await read(operation({}, { paths }), { include: ["get_*"] });
    expect(tools.map(({ name }) => name)).toEqual(["api.get_a"]);
    expect((await read(operation({}, { paths }), { include: ["none"] })).error?.code).toBe("invalid_input");
  });
});

describe("the address of an operation", () => {
  const urlOf = async (more: Json, options: Partial<ImportOptions> = {}) =>
    (await only(operation({ parameters: [ID] }, more), options)).request.url.replace("/things/{id}", "");

  test("is the document's first server, relative to the document's URL", async () => {
    expect(await urlOf({})).toBe("https://api.example/v1");
    const from = { url: "https://docs.example/specs/api.json" };
    expect(await urlOf({ servers: [{ url: "/v2" }] }, from)).toBe("https://docs.example/v2");
    expect(await urlOf({ servers: undefined }, from)).toBe("https://docs.example");
    const servers = [
      { url: "https://{region}.example/{v}", variables: { region: { default: "eu" }, v: { default: "v3" } } },
    ];
    expect(await urlOf({ servers })).toBe("https://eu.example/v3");
    expect(await urlOf({}, { baseUrl: "https://own.example/x/" })).toBe("https://own.example/x");
  });

  test.each([
    [[{ url: "/v2" }]],
    [[{ url: "ftp://x.example" }]],
    [[{ url: "https://{region}.example" }]],
    [[{ url: 7 }]],
    ["no list"],
  ])("has to be absolute: %j", async (servers) => {
    const { error } = await read(operation({ parameters: [ID] }, { servers }));
    expect(error?.code).toBe("invalid_input");
  });
});

test.each([
  ["no object", []],
  ["Swagger 2", { swagger: "2.0", paths: {} }],
  ["no paths", { openapi: "3.0.0" }],
  ["no operation", { openapi: "3.0.0", paths: {} }],
  ["an invalid version", { openapi: "4.0", paths: {} }],
  ["paths that are no objects", { openapi: "3.0.0", paths: { "/a": 7, b: {}, "/c": { get: [] } } }],
  ["a reference in a circle", { openapi: "3.0.0", paths: { "/a": { $ref: "#/paths/~1a" } } }],
])("a document with %s is rejected", async (_what, document) => {
  expect((await read(document)).error).toMatchObject({ code: "invalid_input", field: "openapi" });
});

describe("references to large schemas", () => {
  const list = Array.from({ length: 20_000 }, (_, index) => `value number ${index}`);
  const wide = Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [`p${index}`, { $ref: "#/components/schemas/Value" }]),
  );
  const components = {
    schemas: {
      Value: { type: "string", enum: list },
      Text: { type: "string", description: "x".repeat(1_000) },
      Wide: { type: "object", properties: wide },
      Long: {
        type: "object",
        properties: Object.fromEntries(Object.keys(wide).map((name) => [name, { $ref: "#/components/schemas/Text" }])),
      },
    },
  };
  const reference = (name: string) => json({ $ref: `#/components/schemas/${name}` });

  test("keep a tool small: a part without room accepts anything", async () => {
    const { input } = await only(operation({ parameters: [ID], requestBody: reference("Wide") }, { components }));
    expect(JSON.stringify(input).length).toBeLessThan(500_000);
    expect(Object.keys(input["properties"] as Json)).toHaveLength(201);
  });

  test("keep an import small, and a part of it can be selected", async () => {
    const paths = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [
        `/t${index}`,
        { post: { operationId: `t${index}`, requestBody: reference("Long") } },
      ]),
    );
    const document = operation({}, { components, paths });
    expect((await read(document)).error).toMatchObject({ code: "too_large" });
    expect((await read(document, { include: ["t1*"] })).tools).toHaveLength(11);
  });
});
