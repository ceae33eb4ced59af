/** The rules for modules in wrangler.toml apply to packages too: a package that matches one is loaded with copies of its own. */
import { z as zOfRoutes } from "@hono/zod-openapi";
import { expect, test } from "vitest";
import { z } from "zod";

test("our schemas and the library of routes share one zod", () => {
  expect(zOfRoutes.ZodType).toBe(z.ZodType);
});
