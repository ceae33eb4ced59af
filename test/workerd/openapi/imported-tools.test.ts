import { describe, expect, test } from "vitest";
import { expectProblem, makeCaller } from "../http/entry.ts";
import { arrivedAt, serve, somewhere } from "../outside.ts";
import { callTool, namesOf } from "../tools/client.ts";

describe("an OpenAPI document", () => {
  const documentOf = (servers: string[], change = {}) => ({
    openapi: "3.1.0",
    info: { title: "City Weather", version: "1" },
    servers: servers.map((url) => ({ url })),
    paths: {
      "/cities/{city}": {
        parameters: [{ $ref: "#/components/parameters/City" }],
        get: {
          operationId: "getCity",
          summary: "Look at a city.",
          parameters: [{ name: "days", in: "query", schema: { type: "integer" } }],
        },
        put: {
          requestBody: {
            required: true,
            content: { "application/json": { schema: { $ref: "#/components/schemas/City" } } },
          },
        },
      },
      "/upload": { post: { requestBody: { required: true, content: { "multipart/form-data": { schema: {} } } } } },
    },
    components: {
      parameters: { City: { name: "city", in: "path", required: true, schema: { type: "string" } } },
      schemas: {
        City: {
          type: "object",
          properties: { mayor: { type: "string" }, sister: { $ref: "#/components/schemas/City" } },
          required: ["mayor"],
        },
      },
    },
    ...change,
  });

  test("becomes a tool for each operation that can be called, and says why the others cannot", async () => {
    const [caller, url] = [await makeCaller(), somewhere()];
    const body = { openapi: documentOf([url]), read_security: "safe", security: "cautious" };
    const made = await caller.send("POST", "/v1/tools/import", body);
    expect(made.status, made.text).toBe(201);
    expect(made.json).toEqual({
      source: "openapi:city_weather",
      tools: ["city_weather.get_city", "city_weather.put_cities_city"],
      skipped: [{ operation: "POST /upload", reason: "its body is multipart/form-data; tools send JSON or a form" }],
    });
    expect((await callTool(caller, "city_weather.get_city", { city: "Oslo", days: 3 })).json.result).toMatchObject({
      path: `${new URL(url).pathname}/cities/Oslo?days=3`,
    });
    expect((await callTool(caller, "city_weather_put_cities_city", { city: "Oslo", mayor: "Ana" })).json.ok).toBe(true);
    expect(await arrivedAt(`${url}/cities/Oslo`)).toEqual(['PUT {"mayor":"Ana"}']);
    expectProblem(await callTool(caller, "city_weather.put_cities_city", { city: "Oslo" }), 422, "arguments.mayor");
    expectProblem(await caller.send("POST", "/v1/tools/import", body), 409);
    expectProblem(await caller.send("DELETE", "/v1/tools/city_weather.get_city"), 409);
    expect((await caller.send("POST", "/v1/tools/import", { ...body, replace: true })).status).toBe(201);
    expect((await caller.send("DELETE", "/v1/tool-sources/openapi:city_weather")).json).toMatchObject({
      tools: 0,
      hash: null,
    });
    expect(await namesOf(caller, "?toolbox=city_weather")).toEqual([]);
    expectProblem(await caller.send("DELETE", "/v1/tool-sources/openapi:city_weather"), 404);
  });

  test("is read from its address, as YAML too, and again at a reload", async () => {
    const [caller, url, at] = [await makeCaller(), somewhere(), somewhere()];
    const yaml = (path: string) =>
      `openapi: 3.0.3\ninfo: {title: W, version: "1"}\nservers: [{url: "${url}"}]\npaths:\n  ${path}:\n    get: {operationId: look}\n`;
    await serve(at, yaml("/one"));
    const made = await caller.send("POST", "/v1/tools/import", { name: "w", url: at, read_security: "safe" });
    expect(made.status, made.text).toBe(201);
    expect((await callTool(caller, "w.look", {})).json.result.path).toMatch(/\/one$/);
    await serve(at, yaml("/two"));
    expect((await callTool(caller, "w.look", {})).json.result.path).toMatch(/\/one$/);
    expect((await caller.send("POST", "/v1/tools/w.look/reload")).status).toBe(200);
    expect((await callTool(caller, "w.look", {})).json.result.path).toMatch(/\/two$/);
    await serve(at, "openapi: 2.0");
    expectProblem(await caller.send("POST", "/v1/tools/w.look/reload"), 422);
    expect((await callTool(caller, "w.look", {})).json.result.path).toMatch(/\/two$/);
  });

  test("has no name that another tool has, with dots or with underscores, also after a reload", async () => {
    const [caller, url, at] = [await makeCaller(), somewhere(), somewhere()];
    const withPaths = (...operations: string[]) =>
      documentOf([url], {
        paths: Object.fromEntries(operations.map((operationId) => [`/${operationId}`, { get: { operationId } }])),
      });
    const refused = await caller.send("POST", "/v1/tools/import", { name: "read", openapi: withPaths("ok", "file") });
    expectProblem(refused, 409, "name");
    expect(refused.json.detail).toContain("read.file is registered twice: a built-in tool");
    await serve(at, JSON.stringify(withPaths("ok")));
    const made = await caller.send("POST", "/v1/tools/import", { name: "read", url: at });
    expect(made.json.tools, made.text).toEqual(["read.ok"]);
    await serve(at, JSON.stringify(withPaths("ok", "file")));
    expectProblem(await caller.send("POST", "/v1/tools/read.ok/reload"), 409, "name");
    expect(await namesOf(caller, "?toolbox=read")).toEqual(["read.ok"]);
  });

  test.each([
    ["neither text nor address", {}, "openapi"],
    ["both", { openapi: {}, url: "https://x.example/" }, "openapi"],
    ["Swagger 2", { openapi: { swagger: "2.0", paths: {} } }, "openapi"],
    ["text that is no document", { openapi: "a: [" }, "openapi"],
    ["an alias bomb", { openapi: `a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]` }, "openapi"],
    ["no server", { openapi: documentOf([]) }, "openapi"],
    ["an address inward", { url: "http://127.0.0.1:1/x" }, "url"],
  ])("is refused for %s", async (_what, body, field) => {
    const caller = await makeCaller();
    const refused = await caller.send("POST", "/v1/tools/import", body);
    expect([403, 422]).toContain(refused.status);
    expect(refused.json.errors?.[0]?.field ?? field, refused.text).toContain(field);
    expect((await caller.send("GET", "/v1/tool-sources")).json.data).toEqual([]);
  });
});
