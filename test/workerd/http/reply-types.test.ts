/**
 * A reply that is not what its route's schema says does not compile. Each expected error below fails the type check when its
 * line compiles.
 */
import { createRoute, OpenAPIHono } from "@hono/zod-openapi";
import { expect, test } from "vitest";
import { z } from "zod";
import { answers, openAnswers, withKey } from "../../../workers/http/answers.ts";
import type { App, AppContext, AppEnv } from "../../../workers/http/context.ts";

const petSchema = z.strictObject({
  id: z.string(),
  note: z.string().optional(),
  owner: z.strictObject({ name: z.string() }).nullable(),
  tags: z.array(z.strictObject({ tag: z.string() })),
  kind: z.enum(["cat", "dog"]),
  more: z.record(z.string(), z.unknown()),
});
const pet = createRoute({
  ...withKey,
  method: "get",
  operationId: "pets.get",
  path: "/v1/pet",
  responses: answers({ 200: { description: "A pet.", json: petSchema } }, [404]),
});
const file = createRoute({
  method: "get",
  operationId: "files.get",
  path: "/file",
  responses: openAnswers({
    200: { description: "As JSON or as text.", json: z.strictObject({ a: z.int() }), other: ["text/plain"] },
    204: { description: "Absent." },
  }),
});

const full = { id: "1", owner: { name: "Ana" }, tags: [{ tag: "old" }], kind: "cat" as const, more: { any: [1] } };

test("an app takes the handlers of replies that fit, and no others", () => {
  const app = new OpenAPIHono<AppEnv>() as App;
  app.openapi(pet, (c) => c.json(full, 200));
  app.openapi(pet, async (c) => await Promise.resolve(c.json({ ...full, note: "x", owner: null }, 200)));
  app.openapi(file, (c) => c.json({ a: 1 }, 200));
  app.openapi(file, (c) => c.body("text", 200));
  app.openapi(file, (c) => (c.req.path === "" ? c.body(null, 204) : c.json({ a: 1 }, 200)));

  // @ts-expect-error -- a field that the schema does not have
  app.openapi(pet, (c) => c.json({ ...full, age: 3 }, 200));
  // @ts-expect-error -- the same, in an object within
  app.openapi(pet, (c) => c.json({ ...full, owner: { name: "Ana", age: 3 } }, 200));
  // @ts-expect-error -- the same, in a list
  app.openapi(pet, (c) => c.json({ ...full, tags: [{ tag: "old", since: 1 }] }, 200));
  // @ts-expect-error -- the same, from a function, which no check of literals sees
  app.openapi(pet, (c) => c.json(viewWithAge(c), 200));
  // @ts-expect-error -- a field of the schema that the reply does not have
  app.openapi(pet, (c) => c.json(withoutOwner(), 200));
  // @ts-expect-error -- a field that may be missing
  app.openapi(pet, (c) => c.json({ ...full, owner: withoutOwner().owner }, 200));
  // @ts-expect-error -- a value outside of the schema
  app.openapi(pet, (c) => c.json({ ...full, kind: "bird" as const }, 200));
  // @ts-expect-error -- a status that the route does not declare
  app.openapi(pet, (c) => c.json(full, 201));
  // @ts-expect-error -- a body of another form than the declared one
  app.openapi(pet, (c) => c.body("text", 200));
  // @ts-expect-error -- a body where the route declares none
  app.openapi(file, (c) => c.json({ a: 1 }, 204));
  expect(app.routes.length).toBeGreaterThan(10);
});

function viewWithAge(_: AppContext) {
  return { ...full, age: 3 };
}

function withoutOwner(): Omit<typeof full, "owner"> & { owner?: { name: string } } {
  return { ...full };
}
