/** What the Worker makes of answers to a message for an MCP server's process that are not the sidecar's own. */
import { expect, it } from "vitest";
import { openProcessWeb } from "../../../adapters/mcp/process-web.ts";
import { fakeSecrets } from "../../fakes/secrets.ts";
import { isNotSent } from "../../../core/base/errors.ts";

it.each([
  [502, "<html>Bad Gateway</html>", undefined],
  [500, "{}", undefined],
  [401, "<html>Unauthorized</html>", false],
  [401, '{"code":"wrong_secret","message":"The token was signed with a different secret."}', false],
  [503, '{"code":"rate_limited","message":"Full.","sent":false}', false],
])("says that a call surely did not begin only when that is sure: %i %s", async (status, text, sent) => {
  const sidecar = {
    secret: "a-secret-for-this-test-of-32-characters",
    fetch: async (path: string) => (path === "/health" ? new Response("{}") : new Response(text, { status })),
    isAsleep: async () => false,
    patienceMs: 0,
  };
  const program = { command: "server", args: [], env: [], network: [] };
  const replied = await openProcessWeb("s1", program, { sidecar, tenant: "t1", secrets: fakeSecrets() }).open({
    method: "POST",
    url: "https://server.example.com/",
    headers: [],
    body: new TextEncoder().encode('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay"}}'),
    timeoutMs: 1_000,
    maxBytes: 1_000,
    followRedirects: false,
    allowedDomains: null,
    signal: new AbortController().signal,
  });
  expect(replied.ok ? null : [replied.error.retryAfterMs, isNotSent(replied.error)]).toEqual([1_000, sent === false]);
});
