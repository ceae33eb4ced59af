import { env } from "cloudflare:workers";
import { describe, expect, inject, test } from "vitest";
import { createApp } from "../../workers/app.ts";
import { VERSION } from "../../workers/version.ts";
import { knock, makeCaller } from "./front-door.ts";

const document = async () => (await knock("GET", "/openapi.json")).json;

describe("the OpenAPI document", () => {
  test("holds every route of the app and no other", async () => {
    const { openapi, paths } = await document();
    expect(openapi).toBe("3.1.0");
    const written = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations as object).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const served = createApp()
      .routes.filter(({ method }) => method !== "ALL")
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)(\{[^}]*\})?/g, "{$1}")}`);
    expect(written.toSorted()).toEqual([...new Set(served)].toSorted());
  });

  test("has only references that lead somewhere", async () => {
    const text = JSON.stringify(await document());
    const { components } = JSON.parse(text);
    const names = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref ?? "");
    expect(names.length).toBeGreaterThan(0);
    for (const name of names)
      expect(Object.keys(components.schemas).map((id) => `#/components/schemas/${id}`)).toContain(name);
    expect(text).not.toContain("$defs");
  });

  test("offers the key of safe repeats on every POST that takes an API key", async () => {
    const { paths } = await document();
    const posts = Object.entries(paths).flatMap(([path, operations]) => {
      const { post } = operations as { post?: { parameters: { name: string }[] } };
      return post !== undefined && path.startsWith("/v1") ? [post.parameters.map(({ name }) => name)] : [];
    });
    expect(posts.length).toBeGreaterThan(5);
    for (const names of posts) expect(names).toContain("Idempotency-Key");
  });

  test("says of every route under /v1 that it needs a key and how it fails", async () => {
    const { paths } = await document();
    for (const [path, operations] of Object.entries(paths)) {
      for (const operation of Object.values(
        operations as Record<string, { security: unknown; responses: object; parameters: unknown[] }>,
      )) {
        if (!path.startsWith("/v1/")) continue;
        expect(operation.security, path).toEqual([{ key: [] }]);
        expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(["401", "403", "429", "500"]));
        for (const name of path.match(/\{\w+\}/g) ?? []) {
          expect(operation.parameters).toContainEqual(
            expect.objectContaining({ name: name.slice(1, -1), in: "path", required: true }),
          );
        }
      }
    }
  });

  test("is shown as a page that loads nothing", async () => {
    const docs = await knock("GET", "/docs");
    expect([docs.status, docs.headers.get("content-type")]).toEqual([200, "text/html; charset=UTF-8"]);
    expect(docs.text).toContain("/v1/tasks/{id}/events");
    expect(docs.text).not.toMatch(/<script|<link|<img|src=|@import/);
  });
});

test("the root says what this is and holds no key", async () => {
  const root = await knock("GET", "/");
  expect([root.status, root.headers.get("content-type")]).toEqual([200, "text/html; charset=UTF-8"]);
  expect(root.text).toContain('href="/docs"');
  expect(root.text).not.toMatch(/otto_[a-z0-9]+_/);
});

test("health tells what is there and no secret", async () => {
  await makeCaller();
  const health = await knock("GET", "/health");
  expect([health.status, health.json]).toEqual([
    200,
    {
      status: "ok",
      mode: "test",
      model: "stand-in",
      embeddings: "hashing",
      vectors: "pgvector",
      database: "ok",
      sidecar: "ok",
      isolation: expect.stringMatching(/^(bubblewrap|container|none)$/),
      version: VERSION,
      deployment: expect.any(String),
      problems: [],
    },
  ]);
  for (const value of [env.SIDECAR_SECRET, env.OTTO_SECRET_KEY, env.OPENAI_API_KEY, inject("servers").databaseUrl]) {
    expect(health.text).not.toContain(value);
  }
});
