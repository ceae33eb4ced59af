import { env } from "cloudflare:workers";
import { describe, expect, inject, test } from "vitest";
import { createApp } from "../../../workers/app.ts";
import { ROUTE_GROUPS } from "../../../workers/route-groups/groups.ts";
import { VERSION } from "../../../core/base/version.ts";
import { knock, makeCaller } from "./entry.ts";
import { NOTICE_TYPES } from "../../../core/task/notice.ts";

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> };
}

const document = async () => (await knock("GET", "/openapi.json")).json;

describe("the OpenAPI document", () => {
  test("holds every route of the app and no other", async () => {
    const { openapi, paths } = await document();
    expect(openapi).toBe("3.1.0");
    const written = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations as object).map((method) => `${method.toUpperCase()} ${path}`),
    );
    // What stands for the platform on one machine is 404 in the cloud, and not of the API.
    const app = createApp();
    for (const { prefixes } of ROUTE_GROUPS) await app.request(prefixes[0] ?? "", { method: "OPTIONS" }, env);
    const served = app.routes
      .filter(({ method, path }) => method !== "ALL" && !path.startsWith("/cdn-cgi/"))
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)(\{[^}]*\})?/g, "{$1}")}`);
    expect(written.toSorted()).toEqual([...new Set(served)].toSorted());
  });

  test("has only references that lead somewhere", async () => {
    const text = JSON.stringify(await document());
    const names = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref ?? "");
    expect(names.length).toBeGreaterThan(0);
    const components = Object.entries(JSON.parse(text).components).flatMap(([kind, parts]) =>
      Object.keys(parts as object).map((name) => `#/components/${kind}/${name}`),
    );
    expect(names.filter((name) => !components.includes(name))).toEqual([]);
    expect(text).not.toContain("$defs");
    // The events of a stream: a description names them, and no reference does.
    expect(components).toContain("#/components/schemas/TaskChange");
  });

  test("names every operation, body, list of values and union of objects", async () => {
    const { paths, webhooks, components } = await document();
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods as Record<string, Operation>));
    const ids = operations.map(({ operationId }) => operationId);
    expect(ids.filter((id) => !/^[a-z]+(?:[A-Z][a-z]+)*\.[a-z]+(?:[A-Z][a-z]+)*$/.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operationId, requestBody } of operations) {
      const body = requestBody?.content["application/json"];
      if (body !== undefined) expect(body.schema, operationId).toHaveProperty("$ref");
    }
    const unnamed = (value: unknown, isNamed: boolean, at: string): string[] => {
      if (typeof value !== "object" || value === null) return [];
      const { enum: values, oneOf, discriminator } = value as Record<string, unknown>;
      const own =
        ((values !== undefined || isTitledList(oneOf)) && !isNamed) ||
        (oneOf !== undefined && !isTitledList(oneOf) && discriminator === undefined)
          ? [at]
          : [];
      return [...own, ...Object.entries(value).flatMap(([name, part]) => unnamed(part, false, `${at}/${name}`))];
    };
    // Values with a title each, which is no union of objects.
    function isTitledList(members: unknown): boolean {
      return Array.isArray(members) && members.every((member: object) => "const" in member);
    }
    expect(unnamed(paths, false, "paths")).toEqual([]);
    for (const [name, schema] of Object.entries(components.schemas)) expect(unnamed(schema, true, name)).toEqual([]);
    expect(Object.keys(webhooks).toSorted()).toEqual(
      [...NOTICE_TYPES, "webhook.test", "delivery.result", "delivery.notification"].toSorted(),
    );
  });

  test("offers the key of safe repeats on every POST that takes an API key", async () => {
    const { paths } = await document();
    const posts = Object.entries(paths).flatMap(([path, operations]) => {
      const { post } = operations as { post?: { parameters: { name: string }[] } };
      return post !== undefined && /^\/(?:v1|api)\//.test(path) && path !== "/v1/session"
        ? [post.parameters.map(({ name }) => name)]
        : [];
    });
    expect(posts.length).toBeGreaterThan(5);
    for (const names of posts) expect(names).toContain("Idempotency-Key");
  });

  test("says of every route under /v1 and /api that it needs a key, but for the one that signs in and the provider's return, and how it fails", async () => {
    const { paths } = await document();
    for (const [path, operations] of Object.entries(paths)) {
      for (const [method, operation] of Object.entries(
        operations as Record<string, { security: unknown; responses: object; parameters: unknown[] }>,
      )) {
        if (!/^\/(?:v1|api)\//.test(path)) continue;
        // A browser comes back here from the provider's page.
        if (path === "/api/composio/callback") continue;
        const isSignIn = method === "post" && path === "/v1/session";
        expect(operation.security, path).toEqual(isSignIn ? [] : [{ key: [] }]);
        expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(["401", "403", "429", "500"]));
        for (const name of path.match(/\{\w+\}/g) ?? []) {
          expect(operation.parameters).toContainEqual(
            expect.objectContaining({ name: name.slice(1, -1), in: "path", required: true }),
          );
        }
      }
    }
  });

  test("documents at each route what is rejected before it runs, such as a repeated query parameter and a body that is not JSON", async () => {
    const caller = await makeCaller();
    const { paths } = await document();
    const requests = [
      { method: "POST", path: "/v1/webhooks/whk_x/rotate", of: "/v1/webhooks/{id}/rotate" },
      { method: "POST", path: "/v1/schedules/sch_x/run", of: "/v1/schedules/{id}/run" },
      { method: "POST", path: "/v1/slack/authorize", of: "/v1/slack/authorize" },
      { method: "DELETE", path: "/v1/people/per_x", of: "/v1/people/{id}" },
    ];
    const bodies = [
      { status: 413, body: "x".repeat(1_048_577), type: "application/json" },
      { status: 415, body: "a", type: "text/plain" },
      { status: 422, body: "{", type: "application/json" },
    ];
    for (const { method, path, of } of requests) {
      for (const { status, body, type } of bodies) {
        const answer = await caller.send(method, path, body, { "content-type": type });
        expect([of, answer.status]).toEqual([of, status]);
        expect(Object.keys(paths[of][method.toLowerCase()].responses), of).toContain(String(status));
      }
    }
    for (const [path, of] of [
      ["/v1/people/per_x?a=1&a=2", "/v1/people/{id}"],
      ["/slack/oauth?code=1&code=2", "/slack/oauth"],
    ] as const) {
      expect((await caller.send("GET", path)).status).toBe(422);
      expect(Object.keys(paths[of].get.responses), of).toContain("422");
    }
  });

  test("is served as a page that loads nothing", async () => {
    const docs = await knock("GET", "/docs");
    expect([docs.status, docs.headers.get("content-type")]).toEqual([200, "text/html; charset=UTF-8"]);
    expect(docs.text).toContain("/v1/tasks/{id}/events");
    expect(docs.text).not.toMatch(/<script|<link|<img|src=|@import/);
  });
});

test("health lists the parts of the deployment and no secret", async () => {
  await makeCaller();
  const health = await knock("GET", "/health");
  expect([health.status, health.json]).toEqual([
    200,
    {
      status: "ok",
      mode: "test",
      model: "mock-model",
      embeddings: "hashing",
      apps: "off",
      vectors: "pgvector",
      database: "ok",
      sidecar: "ok",
      isolation: expect.stringMatching(/^(bubblewrap|container|none)$/),
      version: VERSION,
      disk: null,
      // Of all tenants, those of other tests too.
      reindex: { running: expect.any(Number), not_rebuilt: expect.any(Object) },
      deployment: expect.any(String),
      problems: [],
    },
  ]);
  for (const value of [env.SIDECAR_SECRET, env.OTTO_SECRET_KEY, env.OPENAI_API_KEY, inject("servers").databaseUrl]) {
    expect(health.text).not.toContain(value);
  }
});
