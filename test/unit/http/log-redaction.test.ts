import { expect, test, vi } from "vitest";
import { failed, OttoError } from "../../../core/base/errors.ts";
import { createKey } from "../../../core/tenant/keys.ts";
import { createLinkToken } from "../../../core/tenant/session.ts";
import { logFailure, redact } from "../../../workers/http/log.ts";

const link = createLinkToken("ten_01jd0000000000000000000000", new Uint8Array(96).fill(9));
const key = createKey("ten_01jd0000000000000000000000", new Uint8Array(64).fill(9));

test.each([
  [`bad key ${key}`, key],
  [`bad link ${link}`, link.slice(-49)],
  ["authorization: Bearer abc.def-ghi", "abc.def-ghi"],
  ["POST /connect/AbCdEf0123456789_-hunter2hunter2/go failed", "hunter2"],
  ["at https://otto.example/connect/AbCdEf0123456789_-hunter2hunter2", "hunter2"],
  ["the server said sk-proj-0123456789abcdef", "0123456789abcdef"],
  ["no route to postgres://otto_app:hunter2@db.example/otto", "hunter2"],
  ["lost https://api.example/v1/items?key=hunter2&n=1 on the way", "hunter2"],
  ['{"url":"https://api.example/#token=hunter2"}', "hunter2"],
])("a secret is cut out of %s", (text, secret) => {
  expect(redact(text)).not.toContain(secret);
});

test("of a URL, everything except its query remains, and so does the text after it", () => {
  expect(redact('{"url":"https://api.example/v1?key=x","step":1}')).toBe(
    '{"url":"https://api.example/v1?[query]","step":1}',
  );
});

test("a failure is logged with its request and its details, as JSON, without secrets", () => {
  const lines: string[] = [];
  vi.spyOn(console, "error").mockImplementation((line: string) => void lines.push(line));
  const details = { thrown: "lost https://a:hunter2@x/", sqlstate: "XX000" };
  const thrown = new OttoError(failed("internal", `lost ${key}`, { details }).error);
  logFailure({ id: "req_1", method: "GET", path: "/v1/tasks" }, thrown);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    request: { id: "req_1", path: "/v1/tasks" },
    details: { sqlstate: "XX000" },
  });
  expect(lines[0]).not.toContain(key);
  expect(lines[0]).not.toContain("hunter2");
});
