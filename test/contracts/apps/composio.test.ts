/** What is Composio's own: which replies say that an action was refused, and that nothing is ever sent twice. */
import { createServer, type ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type AppProviderParts, openComposio } from "../../../adapters/composio/composio.ts";
import { unwrap } from "../../../core/base/unwrap.ts";
import type { CallFault } from "../../../scripts/demo-apps/faults.ts";
import { type DemoServer, startDemoApps } from "../../../scripts/demo-apps/server.ts";
import { controlDemoApps, followLink } from "../../mock-servers/demo-apps.ts";
import { closeServer, listenOnLoopback } from "../../mock-servers/listen.ts";
import { connect, readAll, toCall, toLookup } from "./suite.ts";

const KEY = "canary-key";
const WANTED = { app: "gmail", entity: "t_1.per_1", callbackUrl: "https://otto.example/back" };

describe("Composio's adapter", () => {
  let server: DemoServer;
  let provider: AppProviderParts;
  beforeAll(async () => {
    server = await startDemoApps({ port: 0, apiKey: KEY, isControlled: true });
    provider = openComposio({ baseUrl: server.url, apiKey: KEY, keyOf: "operator" });
  });
  afterAll(() => server.close());
  const consent = async (url: string, isGiven: boolean) => {
    await followLink(url, isGiven ? "ana@demo.example" : "");
  };
  const control = (orders: Parameters<typeof controlDemoApps>[1] = {}) => controlDemoApps(server.url, orders);
  const countRequests = async (start: string) =>
    (await control()).requests.filter((request) => request.startsWith(start)).length;

  it("lists 880 apps and 12,000 actions, and names the few that cannot be read", async () => {
    expect((await readAll((cursor) => provider.source.apps(cursor))).items).toHaveLength(880);
    const { items, rejected, total } = await readAll((cursor) => provider.source.actions(cursor));
    expect(total).toBe(12_000);
    expect(items.length + rejected.length).toBe(12_000);
    expect(rejected.map(({ name }) => name.startsWith("GITHUB_"))).toEqual([true, true, true]);
    for (const { why } of rejected) expect(why).toContain("input_parameters");
  });

  it("passes a cursor that loops on as it came", async () => {
    const first = unwrap(await provider.source.actions(null));
    await control({ listings: { fault: "looping_cursor", times: 1 } });
    expect(unwrap(await provider.source.actions(first.next)).next).toBe(first.next);
  });

  it("lists an orphan, a vanished app and a new version as Composio does", async () => {
    await control({ orphan: true, vanished: ["notion"], changed: ["slack"] });
    const { items } = await readAll((cursor) => provider.source.apps(cursor));
    expect(items).toHaveLength(879);
    expect(items.find(({ app }) => app === "slack")?.version).toBe("20261126_00");
    const actions = await readAll((cursor) => provider.source.actions(cursor));
    expect(actions.items.some(({ app }) => app === "forgottenapp")).toBe(true);
    expect(actions.items.some(({ app }) => app === "notion")).toBe(false);
    await control({ orphan: false, vanished: [], changed: [] });
  });

  it.each([
    ["rate_limited", { code: "rate_limited", retryAfterMs: 1_000 }],
    ["error", { code: "upstream_failed" }],
    ["unreadable", { code: "upstream_failed" }],
  ] as const)("returns the fault of a listing as a value, without a second request: %s", async (fault, error) => {
    const before = await countRequests("GET /toolkits?");
    await control({ listings: { fault, times: 1 } });
    expect(await provider.source.apps(null)).toMatchObject({ ok: false, error });
    expect(await countRequests("GET /toolkits?")).toBe(before + 1);
  });

  it("blames the operator's key for a rejected one, and no account", async () => {
    const wrong = openComposio({ baseUrl: server.url, apiKey: "another-key", keyOf: "operator" });
    const failure = {
      ok: false,
      error: { code: "upstream_failed", message: expect.stringContaining("COMPOSIO_API_KEY") },
    };
    expect(await wrong.source.apps(null)).toMatchObject(failure);
    expect(await wrong.apps.execute(toCall("ca_1"))).toMatchObject({
      ...failure,
      error: { ...failure.error, happened: "no" },
    });
    expect(JSON.stringify(await wrong.source.apps(null))).not.toContain("another-key");
  });

  /** What each fault says of the effect, and how often the action was carried out. */
  it.each([
    ["rate_limited", "no", "rate_limited", 0],
    ["refused", "no", "permission_denied", 0],
    ["error", "unknown", "upstream_failed", 0],
    ["unsuccessful", "unknown", "upstream_failed", 1],
    ["cut", "unknown", "upstream_failed", 1],
    ["hang", "unknown", "timeout", 1],
  ] as const)("sends a call once: %s", async (fault: CallFault, happened, code, effects) => {
    const id = await connect({ ...provider, consent });
    const before = { calls: await countRequests("POST /tools/execute/"), effects: (await control()).effects.length };
    await control({ calls: { fault, times: 1 } });
    const call = toCall(id, { timeoutMs: fault === "hang" ? 300 : 20_000 });
    expect(await provider.apps.execute(call)).toMatchObject({ ok: false, error: { code, happened } });
    expect(await countRequests("POST /tools/execute/")).toBe(before.calls + 1);
    expect((await control()).effects).toHaveLength(before.effects + effects);
  });

  it("hides what the provider calls accounts in its texts", async () => {
    for (const [status, body] of [
      [422, { error: { message: "No account ca_1 of ten_a.per_b.", suggested_fix: "Use ca_other-2." } }],
      [200, { successful: false, data: {}, error: "Account ca_1 of ten_a.per_b may have done it, or ca_other-2." }],
    ] as const) {
      const { url } = await listen((_body, _headers, response) => {
        response.statusCode = status;
        response.end(JSON.stringify(body));
      });
      const account = { connection: "con_1", entity: "ten_a.per_b", providerId: "ca_1" };
      const replied = await openComposio({ baseUrl: url, apiKey: KEY, keyOf: "operator" }).apps.execute(
        toCall("ca_1", { account }),
      );
      expect(replied.ok).toBe(false);
      const text = JSON.stringify(replied);
      expect(text).toContain("[account]");
      expect(text).not.toMatch(/ca_1|ca_other|per_b/);
    }
  });

  it("always names version, account and user, and sends the request id and the call's key", async () => {
    const seen: { headers: unknown; body: string }[] = [];
    const { url } = await listen((body, headers, response) => {
      seen.push({ headers, body });
      response.end(JSON.stringify({ data: {}, error: null, successful: true, log_id: "log_1" }));
    });
    const call = toCall("ca_1");
    unwrap(await openComposio({ baseUrl: url, apiKey: KEY, keyOf: "operator" }).apps.execute(call));
    expect(seen).toHaveLength(1);
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({
      version: call.version,
      arguments: call.arguments,
      connected_account_id: "ca_1",
      user_id: "t_1.per_1",
    });
    expect(seen[0]?.headers).toMatchObject({
      "x-api-key": KEY,
      "x-request-id": call.requestId,
      "idempotency-key": call.key,
    });
  });

  it.each([
    [200, { successful: false, data: { status_code: 404 }, error: "Not found" }, "no"],
    [200, { successful: false, data: { error: { code: 400 } }, error: null }, "no"],
    [200, { successful: false, data: {}, error: "403 Client Error: Forbidden for url" }, "no"],
    [200, { successful: false, data: {}, error: "HTTP 422: invalid" }, "no"],
    [200, { successful: false, data: { status_code: 409 }, error: "Conflict" }, "unknown"],
    [200, { successful: false, data: { status_code: 502 }, error: "404 in a text" }, "unknown"],
    [200, { successful: false, data: { message: "Order 404 was shipped" }, error: "failed" }, "unknown"],
    [200, { successful: false, data: {}, error: "The connection was closed" }, "unknown"],
    [200, { data: {} }, "unknown"],
    [400, { error: { message: "bad" } }, "no"],
    [408, { error: { message: "slow" } }, "unknown"],
    [409, { error: { message: "busy" } }, "unknown"],
    [302, {}, "unknown"],
    [503, { error: { message: "away" } }, "unknown"],
  ] as const)("judges HTTP %i with %j: happened %s", async (status, body, happened) => {
    const { url } = await listen((_body, _headers, response) => {
      response.writeHead(status, { location: "http://127.0.0.1:1/" }).end(JSON.stringify(body));
    });
    const composio = openComposio({ baseUrl: url, apiKey: KEY, keyOf: "operator" });
    expect(await composio.apps.execute(toCall(null))).toMatchObject({ ok: false, error: { happened } });
  });

  it("gives up a reply that is too large, and does not say that nothing happened", async () => {
    const { url } = await listen((_body, _headers, response) => {
      response.end(JSON.stringify({ data: "x".repeat(9_000_000), successful: true }));
    });
    const composio = openComposio({ baseUrl: url, apiKey: KEY, keyOf: "operator" });
    expect(await composio.apps.execute(toCall(null))).toMatchObject({ ok: false, error: { happened: "unknown" } });
  });

  it("cannot tell where the log has no request ids, no payloads or no entry", async () => {
    const id = await connect({ ...provider, consent });
    const call = toCall(id, { arguments: { recipient_email: "a@b.example", body: crypto.randomUUID() } });
    const since = Date.now();
    await control({ calls: { fault: "cut", times: 1 } });
    await provider.apps.execute(call);
    for (const [log, kind] of [
      ["without_request_ids", "cannot_tell"],
      ["without_payloads", "cannot_tell"],
      ["absent", "cannot_tell"],
      ["whole", "happened"],
    ] as const) {
      await control({ log });
      expect([log, unwrap(await provider.apps.probe(toLookup(call, { since }))).kind]).toEqual([log, kind]);
    }
  });

  it("says that a call did not happen if the log has the app's refusal, and of a failure nothing", async () => {
    const id = await connect({ ...provider, consent });
    const since = Date.now();
    const refused = toCall(id, { action: "GMAIL_FETCH_MESSAGE_BY_MESSAGE_ID", arguments: { message_id: "none" } });
    await provider.apps.execute(refused);
    expect(unwrap(await provider.apps.probe(toLookup(refused, { since }))).kind).toBe("not_happened");
    const failed = toCall(id, { arguments: { recipient_email: "a@b.example", body: crypto.randomUUID() } });
    await control({ calls: { fault: "unsuccessful", times: 1 } });
    await provider.apps.execute(failed);
    expect(unwrap(await provider.apps.probe(toLookup(failed, { since }))).kind).toBe("cannot_tell");
  });

  it("does not count the app's 429 among the entries of an attempt that was sent again", async () => {
    const id = await connect({ ...provider, consent });
    const [call, since] = [toCall(id), Date.now()];
    await control({ calls: { fault: "app_limited", times: 1 } });
    expect(await provider.apps.execute(call)).toMatchObject({
      ok: false,
      error: { code: "rate_limited", happened: "no" },
    });
    const early = { kind: "cannot_tell", isEarly: true };
    expect(unwrap(await provider.apps.probe(toLookup(call, { since })))).toMatchObject(early);
    await control({ calls: { fault: "cut", times: 1 } });
    await provider.apps.execute(call);
    expect(unwrap(await provider.apps.probe(toLookup(call, { since }))).kind).toBe("happened");
    // The same attempt was carried out twice, which nothing here does.
    await provider.apps.execute(call);
    expect(unwrap(await provider.apps.probe(toLookup(call, { since })))).toMatchObject({
      kind: "cannot_tell",
      isEarly: false,
    });
  });

  it("asks for the settings of a consent once for the same actions, and again for others or after an hour", async () => {
    let now = Date.now();
    const own = openComposio({ baseUrl: server.url, apiKey: KEY, keyOf: "operator" }, () => now);
    const countReads = () => countRequests("GET /auth_configs?");
    const before = await countReads();
    const actions = ["GMAIL_SEND_EMAIL", "GMAIL_LIST_LABELS"];
    unwrap(await own.links.link({ ...WANTED, actions }));
    unwrap(await own.links.link({ ...WANTED, actions: actions.toReversed() }));
    expect(await countReads()).toBe(before + 1);
    unwrap(await own.links.link({ ...WANTED, actions: ["GMAIL_LIST_LABELS"] }));
    expect(await countReads()).toBe(before + 2);
    now += 3_600_000;
    unwrap(await own.links.link({ ...WANTED, actions }));
    expect(await countReads()).toBe(before + 3);
    expect((await control()).requests.filter((request) => request === "POST /auth_configs").length).toBeLessThan(
      before + 3,
    );
  });

  it("creates the settings again, once, if they were deleted at Composio", async () => {
    const actions = ["GMAIL_FETCH_EMAILS"];
    unwrap(await provider.links.link({ ...WANTED, actions }));
    await control({ forgetConfigs: true });
    const before = await countRequests("POST /connected_accounts/link");
    expect(await provider.links.link({ ...WANTED, actions })).toMatchObject({ ok: true });
    expect(await countRequests("POST /connected_accounts/link")).toBe(before + 2);
  });

  it("revokes a consent that is pending by deleting it", async () => {
    const link = unwrap(await provider.links.link({ ...WANTED, actions: ["GMAIL_SEND_EMAIL"] }));
    expect(await provider.links.revoke(link.providerId)).toMatchObject({ ok: true });
    expect(await provider.links.account(link.providerId)).toMatchObject({ ok: false, error: { code: "not_found" } });
  });
});

/** A server on loopback that answers by a function. It ends with the test. */
async function listen(
  answer: (body: string, headers: object, response: ServerResponse) => void,
): Promise<{ readonly url: string }> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => {
      body += part.toString();
    });
    request.on("end", () => answer(body, request.headers, response));
  });
  const port = await listenOnLoopback(server, 0);
  onTestFinished(() => closeServer(server));
  return { url: `http://127.0.0.1:${port}` };
}
