/** Composio's own client over the demo apps: it reads them, and sends the requests that the adapter sends. */
import Composio from "@composio/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AppProviderParts, openComposio } from "../../../adapters/composio/composio.ts";
import { unwrap } from "../../../core/base/unwrap.ts";
import { type DemoServer, startDemoApps } from "../../../scripts/demo-apps/server.ts";
import { controlDemoApps, followLink } from "../../mock-servers/demo-apps.ts";
import { toCall, toLookup } from "./suite.ts";

const KEY = "canary-key";
const ENTITY = "t_1.per_1";

describe("Composio's client over the demo apps", () => {
  let server: DemoServer;
  let client: Composio;
  let adapter: AppProviderParts;
  beforeAll(async () => {
    server = await startDemoApps({ port: 0, apiKey: KEY, isControlled: true });
    client = new Composio({ apiKey: KEY, baseURL: server.url, maxRetries: 0 });
    adapter = openComposio({ baseUrl: server.url, apiKey: KEY, keyOf: "operator" });
  });
  afterAll(() => server.close());

  /** The request lines that `work` causes, with the members of the query in order. */
  async function listRequests(work: () => PromiseLike<unknown>): Promise<string[]> {
    const before = (await controlDemoApps(server.url)).requests.length;
    await work();
    return (await controlDemoApps(server.url)).requests.slice(before).map((line) => {
      const [path = "", query = ""] = line.split("?");
      return `${path}?${query.split("&").toSorted().join("&")}`;
    });
  }

  it("lists apps, actions and triggers by the same requests", async () => {
    expect(
      await listRequests(() =>
        client.toolkits.list({ limit: 1_000, managed_by: "composio", include_deprecated: false }),
      ),
    ).toEqual(await listRequests(() => adapter.source.apps(null)));
    const of = { limit: 1_000, toolkit_slug: "gmail", toolkit_versions: "latest", include_deprecated: false };
    expect(await listRequests(() => client.tools.list(of))).toEqual(
      await listRequests(() => adapter.source.actions(null, { app: "gmail" })),
    );
    const apps = ["gmail", "slack"];
    expect(
      await listRequests(() =>
        client.triggersTypes.list({ limit: 1_000, toolkit_slugs: apps, toolkit_versions: "latest" }),
      ),
    ).toEqual(await listRequests(() => adapter.source.triggers(null, { apps })));
  });

  it("requests an upload by the same request, and reads the same reply", async () => {
    const file = { filename: "a.pdf", mimetype: "application/pdf", md5: "0".repeat(32) };
    const of = { toolkit_slug: "gmail", tool_slug: "GMAIL_SEND_EMAIL" };
    const { signal } = new AbortController();
    const upload = { app: "gmail", action: "GMAIL_SEND_EMAIL", name: "a.pdf", contentType: "application/pdf" };
    const theirs = await client.files.createPresignedURL({ ...file, ...of });
    const ours = unwrap(await adapter.apps.requestUpload({ ...upload, md5: file.md5, signal }));
    const shape = /^demo\/gmail\/GMAIL_SEND_EMAIL\/[\da-f]+\/a\.pdf$/;
    expect([theirs.key, ours.key]).toEqual([expect.stringMatching(shape), expect.stringMatching(shape)]);
    for (const url of [theirs.new_presigned_url, ours.url]) expect(url).toContain("/storage/");
  });

  it("reads the same apps and actions", async () => {
    const toolkits = await client.toolkits.list({ limit: 1_000 });
    const apps = unwrap(await adapter.source.apps(null)).items;
    expect(toolkits.items.map(({ slug, meta }) => [slug, meta.tools_count])).toEqual(
      apps.map(({ app, actionCount }) => [app, actionCount]),
    );
    const tools = await client.tools.list({ toolkit_slug: "slack", limit: 1_000 });
    const actions = unwrap(await adapter.source.actions(null, { app: "slack" })).items;
    expect(tools.items.map(({ slug, input_parameters }) => [slug, input_parameters])).toEqual(
      actions.map(({ action, input }) => [action, input]),
    );
    expect((await client.toolkits.retrieve("gmail")).composio_managed_auth_schemes).toEqual(["OAUTH2"]);
  });

  it("connects, calls, finds the call in the log, and revokes, by the same routes", async () => {
    const config = await client.authConfigs.create({
      toolkit: { slug: "gmail" },
      auth_config: {
        type: "use_composio_managed_auth",
        tool_access_config: { tools_for_connected_account_creation: ["GMAIL_SEND_EMAIL"] },
      },
    });
    const link = await client.link.create({
      auth_config_id: config.auth_config.id,
      user_id: ENTITY,
      callback_url: "https://otto.example/back?state=s1",
    });
    const id = link.connected_account_id;
    expect((await client.connectedAccounts.retrieve(id)).status).toBe("INITIATED");
    const back = await followLink(link.redirect_url, "tom@demo.example");
    expect([...back.searchParams]).toEqual([
      ["state", "s1"],
      ["status", "success"],
      ["connected_account_id", id],
    ]);
    expect(unwrap(await adapter.links.account(id))).toMatchObject({ status: "active", label: "tom@demo.example" });

    const call = toCall(id);
    const given = { connected_account_id: id, user_id: ENTITY, version: call.version, arguments: call.arguments };
    const headers = { "x-request-id": call.requestId };
    const byClient = await listRequests(async () => {
      const done = await client.tools.execute(call.action, { ...given }, { headers });
      expect(done).toMatchObject({ successful: true, error: null, log_id: expect.any(String) });
    });
    expect(byClient).toEqual(
      await listRequests(() => adapter.apps.execute(toCall(id, { arguments: { ...call.arguments, body: "2" } }))),
    );

    const filters = [{ field: "request_id" as const, operator: "==" as const, value: call.requestId }];
    const { logs } = await client.logs.createToolExecution({ limit: 10, filters });
    expect(logs).toHaveLength(1);
    const entry = await client.logs.retrieveToolExecution(logs[0]?.id ?? "");
    expect(entry.data).toMatchObject({ request: { arguments: call.arguments }, response: { successful: true } });
    expect(unwrap(await adapter.apps.probe(toLookup(call, { since: Date.now() - 60_000 })))).toMatchObject({
      kind: "happened",
      reply: { logId: entry.id },
    });

    expect(await client.connectedAccounts.revoke(id)).toMatchObject({ connected_account: { id, status: "REVOKED" } });
    expect(unwrap(await adapter.links.account(id)).status).toBe("revoked");
    await expect(client.tools.execute(call.action, { ...given })).rejects.toThrow("REVOKED");
    expect(await client.connectedAccounts.delete(id)).toEqual({ success: true });
  });
});
