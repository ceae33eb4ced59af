import { expect, test } from "vitest";
import { isKeptRefusal } from "../../../web/src/api/kept-refusal.ts";

test.each([
  ["a body that is wrong", 422, {}, true],
  ["a name that is taken", 409, {}, true],
  ["a thing that is gone", 404, {}, true],
  ["a first attempt that is still running", 409, { "retry-after": "2" }, false],
  ["a session that is over", 401, {}, false],
  ["a scope that is missing", 403, {}, false],
  ["too many requests", 429, { "retry-after": "2" }, false],
  ["a server in trouble", 503, {}, false],
  ["a success", 201, {}, false],
])("%s: whether another key is needed", (_, status, headers, expected) => {
  expect(isKeptRefusal({ status, headers: new Headers(headers) })).toBe(expected);
});
