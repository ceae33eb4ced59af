/** Syncs of the catalogue of apps in the inbox that runs them: crashes, the sweep, and what requests read. */
import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { neon, neonConfig } from "@neondatabase/serverless";
import { beforeEach, describe, expect, inject, test, vi } from "vitest";
import { appCatalogueFromEnv, catalogueSyncsFromEnv } from "../../../adapters/env/app-catalogue.ts";
import { inboxesFromEnv } from "../../../adapters/env/channels.ts";
import { blobsFromEnv } from "../../../adapters/env/files.ts";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { SYNC_INBOX } from "../../../core/apps/sync/inbox-item.ts";
import { MAX_RUN_MS } from "../../../core/apps/sync/run-page.ts";
import { getLogoKey } from "../../../core/apps/logo.ts";
import { ok } from "../../../core/base/errors.ts";
import { makeId } from "../../../core/base/ids.ts";
import type { LogoFault } from "../../../scripts/demo-apps/faults.ts";
import { sweepCatalogue } from "../../../workers/sweep/catalogue.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { DescribedCatalogue, TOO_MANY } from "../../fakes/described-catalogue.ts";
import { controlDemoApps } from "../../mock-servers/demo-apps.ts";
import { type Caller, expectProblem, knock, makeCaller } from "../http/entry.ts";
import { setSource } from "./test-source.ts";

const SOON = { timeout: 30_000, interval: 50 };
const HOUR_MS = 3_600_000;

let source: DescribedCatalogue;

const table = () => databaseFromEnv(env).appCatalogue;
const findLatest = async () => valueOf(await table().history(1))[0];
/** An isolate that has read nothing yet. */
const openIsolate = () => appCatalogueFromEnv({ ...env });
const readSnapshot = async () => valueOf(await openIsolate().snapshot());
const listPages = async (job = "") =>
  (await inboxesFromEnv(env)(SYNC_INBOX).received({ after: null, limit: 200, since: 0 })).items.filter(({ id }) =>
    id.startsWith(job),
  );

async function waitForEnd(status: "completed" | "failed"): Promise<void> {
  await vi.waitFor(async () => expect(await findLatest()).toMatchObject({ status }), SOON);
}

beforeEach(async () => {
  for (const method of ["log", "error"] as const) vi.spyOn(console, method).mockImplementation(() => undefined);
  const { databaseOwnerUrl, databaseEndpoint } = inject("servers");
  neonConfig.fetchEndpoint = databaseEndpoint;
  const owner = neon(databaseOwnerUrl, { disableWarningInBrowsers: true });
  await owner.query("truncate composio_actions_cache, composio_apps_cache, composio_sync_jobs, app_catalogue");
  source = new DescribedCatalogue({ apps: 4, actions: 5, page: 7 });
  setSource(source);
});

describe("a sync", () => {
  test("whose inbox is reset at every page reads each page, and stores and lists nothing twice", async () => {
    const killed = new Set<string>();
    const kill = async (request: string) => {
      if (killed.has(request)) return;
      killed.add(request);
      await abortAllDurableObjects();
    };
    const { apps, actions, triggers } = source;
    setSource({
      apps: async (cursor) => (await kill(`apps ${cursor}`), await apps.call(source, cursor)),
      actions: async (cursor, of) => (await kill(`actions ${cursor}`), await actions.call(source, cursor, of)),
      triggers: async (cursor, of) => (await kill("triggers"), await triggers.call(source, cursor, of)),
    });
    const { id } = valueOf(await catalogueSyncsFromEnv(env, source).start("full"));
    await waitForEnd("completed");
    expect([...killed]).toEqual(["apps null", "actions null", "actions 7", "actions 14", "triggers"]);
    expect(await findLatest()).toMatchObject({ id, appsSynced: 4, actionsSynced: 20, errors: 0 });
    const snapshot = await readSnapshot();
    const listed = valueOf((await snapshot?.actions()) ?? { ok: true, value: [] }).map(({ action }) => action);
    expect(listed.toSorted()).toEqual([...source.provided.keys()].toSorted());
    expect(valueOf((await snapshot?.actionsOf("app1")) ?? { ok: true, value: [] })).toHaveLength(5);
    // A page for each request, then one that settles, two that compile, one that publishes, and one for logos.
    await vi.waitFor(async () => {
      const states = (await listPages(id)).map(({ id: page, state }) => `${page.slice(id.length + 1)} ${state}`);
      expect(states.toReversed()).toEqual(Array.from({ length: 10 }, (_, page) => `${page} done`));
    }, SOON);
  });

  test("waits while the provider accepts no more requests, and is the only one meanwhile", async () => {
    let refused = 3;
    source.fault = () => ((refused -= 1) >= 0 ? TOO_MANY : null);
    const syncs = catalogueSyncsFromEnv(env, source);
    const [first, second] = await Promise.all([syncs.start("full"), syncs.start("incremental")]);
    expect(valueOf(second).id).toBe(valueOf(first).id);
    expect(await readSnapshot()).toBeNull();
    await waitForEnd("completed");
    expect(valueOf(await syncs.history(10))).toHaveLength(1);
    expect((await readSnapshot())?.stats).toMatchObject({ apps: 4, actions: 20 });
  });

  test("that fails leaves the version that requests read", async () => {
    valueOf(await catalogueSyncsFromEnv(env, source).start("full"));
    await waitForEnd("completed");
    const isolate = openIsolate();
    const before = valueOf(await isolate.snapshot());
    source.loop = "7";
    source.provided.clear();
    source.add("app0", 20);
    valueOf(await catalogueSyncsFromEnv(env, source).start("full"));
    await waitForEnd("failed");
    expect(valueOf(await isolate.snapshot())).toBe(before);
    expect((await readSnapshot())?.hash).toBe(before?.hash);
  });

  test("does not begin without a provider", async () => {
    expect(await catalogueSyncsFromEnv(env, null).start("full")).toMatchObject({ error: { code: "not_available" } });
    await sweepCatalogue(env, Date.now(), null);
    expect(await findLatest()).toBeUndefined();
  });
});

describe("the sweep", () => {
  test("begins a full sync without a catalogue, and an incremental one when it is old", async () => {
    await sweepCatalogue(env, Date.now(), source);
    await waitForEnd("completed");
    expect(await findLatest()).toMatchObject({ kind: "full" });
    await sweepCatalogue(env, Date.now() + 23 * HOUR_MS, source);
    expect(valueOf(await table().history(10))).toHaveLength(1);
    source.requests.length = 0;
    await sweepCatalogue(env, Date.now() + 24 * HOUR_MS, source);
    await waitForEnd("completed");
    expect(await findLatest()).toMatchObject({ kind: "incremental" });
    expect(source.requests).toEqual(["apps"]);
  });

  test("runs a sync whose first page was lost, and ends one that nothing runs", async () => {
    const begin = async () => {
      const id = makeId("sync", Date.now(), crypto.getRandomValues(new Uint8Array(10)));
      return valueOf(await table().begin({ id, kind: "full", at: Date.now() }));
    };
    const lost = await begin();
    await sweepCatalogue(env, Date.now() + 60_000, source);
    expect(await listPages(lost.id)).toEqual([]);
    await sweepCatalogue(env, Date.now() + 3 * 60_000, source);
    await waitForEnd("completed");
    expect(await findLatest()).toMatchObject({ id: lost.id });
    const { id } = await begin();
    await sweepCatalogue(env, Date.now() + 2 * MAX_RUN_MS + 60_000, source);
    expect(await findLatest()).toMatchObject({ id, status: "failed" });
  });
});

describe("logos", () => {
  const at = (app: string) => `${inject("servers").demoApps.url}/logos/${app}.svg`;
  /** Apps whose logo is given as it is, or with a trick. */
  const give = async (logos: Readonly<Record<string, LogoFault | "none">>): Promise<void> => {
    for (const app of Object.keys(logos)) {
      source.add(app, 1);
      source.setLogo(app, at(app));
    }
    const faults = Object.entries(logos).filter((entry): entry is [string, LogoFault] => entry[1] !== "none");
    await controlDemoApps(inject("servers").demoApps.url, { logos: Object.fromEntries(faults) });
  };
  const countRequests = async (app: string) => {
    const { requests } = await controlDemoApps(inject("servers").demoApps.url);
    return requests.filter((request) => request === `GET /logos/${app}.svg`).length;
  };
  /** Syncs, and gives what its last page says. */
  async function sync(): Promise<string> {
    const { id } = valueOf(await catalogueSyncsFromEnv(env, source).start("full"));
    await waitForEnd("completed");
    return await vi.waitUntil(
      async () =>
        (await listPages(id)).map(({ note }) => note ?? "").find((note) => note.includes("logos were fetched")),
      SOON,
    );
  }
  /** Routes read what was published. */
  async function serve(): Promise<void> {
    vi.spyOn(appCatalogueFromEnv(env), "snapshot").mockResolvedValue(ok(await readSnapshot()));
  }
  const findUrl = async (caller: Caller, app: string): Promise<string | null> =>
    (await caller.send("GET", `/api/tools/marketplace?app=${app}`)).json.apps[0].logo_url;

  test("are fetched once, and every tenant is served them", async () => {
    await give({ painted: "none" });
    expect(await sync()).toContain("1 of 1 logos were fetched");
    expect(await countRequests("painted")).toBe(1);
    expect(await sync()).toContain("0 of 0 logos were fetched");
    expect(await countRequests("painted")).toBe(1);
    await serve();
    const [caller, other] = [await makeCaller(), await makeCaller(["tasks:read"])];
    const url = (await findUrl(caller, "painted")) ?? "";
    expect(url).toMatch(/^\/api\/tools\/painted\/logo\?v=[0-9a-f]{64}$/);
    expect(await findUrl(other, "painted")).toBe(url);
    expect(await findUrl(caller, "app0")).toBeNull();
    for (const reader of [caller, other]) {
      const answer = await reader.send("GET", url);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
      expect(answer.text).toMatch(/^<svg /);
      expect(answer.headers.get("cache-control")).toBe("private, max-age=31536000, immutable");
      const again = await reader.send("GET", url, undefined, { "if-none-match": answer.headers.get("etag") ?? "" });
      expect([again.status, again.text]).toEqual([304, ""]);
    }
    for (const path of ["/api/tools/PAINTED/logo", "/api/tools/painted/logo?v=old"])
      expect((await caller.send("GET", path)).headers.get("cache-control")).toBe("private, no-cache");
    for (const app of ["app0", "nothing"]) expectProblem(await caller.send("GET", `/api/tools/${app}/logo`), 404);
    expectProblem(await knock("GET", url), 401);
    expectProblem(await (await makeCaller(["tasks:write"])).send("GET", url), 403);
  });

  test("with scripts are served in a sandbox that loads nothing", async () => {
    await give({ scripted: "script" });
    await sync();
    await serve();
    const caller = await makeCaller();
    const answer = await caller.send("GET", (await findUrl(caller, "scripted")) ?? "");
    expect(answer.text).toContain("<script>");
    expect(answer.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("cross-origin-resource-policy")).toBe("same-origin");
  });

  test("that are too large, no pictures, or at addresses inside are refused, and the sync completes", async () => {
    await give({ large: "oversize", page: "page", inside: "private", broken: "error", fine: "none" });
    source.add("direct", 1);
    source.setLogo("direct", "https://169.254.169.254/latest/meta-data/");
    expect(await sync()).toContain("1 of 6 logos were fetched");
    expect(await findLatest()).toMatchObject({ status: "completed", errors: 0 });
    await serve();
    const caller = await makeCaller();
    for (const app of ["large", "page", "inside", "broken", "direct"]) {
      expect(await findUrl(caller, app), app).toBeNull();
      expectProblem(await caller.send("GET", `/api/tools/${app}/logo`), 404);
    }
    expect(await findUrl(caller, "fine")).toContain("/api/tools/fine/logo");
  });

  test("are not served once their bytes are no picture", async () => {
    await give({ replaced: "none" });
    await sync();
    await serve();
    const caller = await makeCaller();
    const url = (await findUrl(caller, "replaced")) ?? "";
    const bytes = new TextEncoder().encode("<html>");
    valueOf(await blobsFromEnv(env).put(getLogoKey(url.split("v=")[1] ?? ""), bytes));
    expectProblem(await caller.send("GET", url), 404);
  });
});
