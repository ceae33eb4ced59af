import { Hono, type MiddlewareHandler } from "hono";
import { TrieRouter } from "hono/router/trie-router";
import { describe, expect, test } from "vitest";
import { once } from "../../../workers/http/middleware/once.ts";

/** An app whose middleware reads the body, and what each middleware saw. */
function appWith(wrap: (middleware: MiddlewareHandler) => MiddlewareHandler) {
  const seen: string[] = [];
  // The router that Hono takes for routes like ours.
  const app = new Hono({ router: new TrieRouter() });
  const read =
    (name: string): MiddlewareHandler =>
    async (c, next) => {
      seen.push(`${name} ${await c.req.raw.text()}`);
      await next();
    };
  app.use("/v1/*", wrap(read("v1")));
  app.use("/webhook/*", wrap(read("webhook")));
  app.post("/webhook/:type", (c) => c.text("taken"));
  app.onError((thrown, c) => c.text(thrown.message, 500));
  return { seen, ask: async (path: string) => await app.request(path, { method: "POST", body: "body" }) };
}

describe("a request of a path that is spelled as a pattern", () => {
  test.each([
    ["/v1/*", 404, "v1"],
    ["/v1/%2A", 404, "v1"],
    ["/v1/tasks", 404, "v1"],
    ["/webhook/*", 200, "webhook"],
    ["/webhook/generic", 200, "webhook"],
  ])("%s runs each middleware once, and its body is no failure", async (path, status, name) => {
    const { seen, ask } = appWith(once);
    expect((await ask(path)).status).toBe(status);
    expect(seen).toEqual([`${name} body`]);
    expect((await ask(path)).status).toBe(status);
    expect(seen).toHaveLength(2);
  });

  test("runs a plain middleware twice", async () => {
    const { ask } = appWith((middleware) => middleware);
    expect((await ask("/v1/*")).status).toBe(500);
  });
});
