import { env } from "cloudflare:workers";
import { expect, inject, test } from "vitest";

test("this suite runs in workerd, on the bindings of wrangler.toml", () => {
  expect(navigator.userAgent).toBe("Cloudflare-Workers");
  expect(Object.keys(env)).toEqual(expect.arrayContaining(["TASKS", "TENANTS", "SANDBOXES", "FILES", "STEPS"]));
});

test("the Worker's variables are those of the suite's servers", () => {
  expect(env).toMatchObject(inject("servers").variables);
});
