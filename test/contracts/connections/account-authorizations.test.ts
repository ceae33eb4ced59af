/** Consents at a provider that stores the tokens: over the fake of it, and over the demo apps. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAccountAuthorizations } from "../../../adapters/connections/account-authorizations.ts";
import { routeAuthorizations } from "../../../adapters/connections/route-authorizations.ts";
import { openComposio } from "../../../adapters/composio/composio.ts";
import { failed, ok, type Result } from "../../../core/base/errors.ts";
import { hashCatalogueApp } from "../../../core/connections/catalogue-app.ts";
import { OPERATOR_KEY } from "../../../core/connections/provider-key.ts";
import { decideFlowEnd } from "../../../core/connections/provider-faults.ts";
import type { AppLinks, ProviderAccount } from "../../../core/ports/apps.ts";
import type { TenantLinks } from "../../../core/ports/provider-keys.ts";
import { type DemoServer, startDemoApps } from "../../../scripts/demo-apps/server.ts";
import { fakeApps } from "../../fakes/apps.ts";
import { fakeAuthorizations } from "../../fakes/authorizations.ts";
import { valueOf } from "../value-of.ts";
import { makeApp, makeFlow } from "./providers.ts";

const REDIRECT = "https://otto.example/api/composio/callback";
const ENTITY = "ten_a.per_ana";
const NOTHING = new URLSearchParams();

interface Provider {
  readonly name: string;
  start(): Promise<{ readonly links: AppLinks; consent(url: string, isGiven: boolean): Promise<void> }>;
  readonly app: string;
  close(): Promise<void>;
}

let demo: DemoServer | null = null;
const PROVIDERS: readonly Provider[] = [
  {
    name: "the fake",
    app: "gmail",
    start() {
      const { links, consent } = fakeApps();
      return Promise.resolve({ links, consent: (url, isGiven) => Promise.resolve(consent(url, isGiven)) });
    },
    close: () => Promise.resolve(),
  },
  {
    name: "the demo apps",
    app: "gmail",
    async start() {
      demo = await startDemoApps({ port: 0, apiKey: "demo-key" });
      const { links } = openComposio({ baseUrl: demo.url, apiKey: "demo-key", keyOf: "operator" });
      return {
        links,
        async consent(url, isGiven) {
          const body = new URLSearchParams({ label: isGiven ? "ana@demo.example" : "" });
          await fetch(url, { method: "POST", body, redirect: "manual" });
        },
      };
    },
    close: async () => await demo?.close(),
  },
];

/** One key serves the tenant; null: none does. */
const linksOf = (links: AppLinks | null, key: string = OPERATOR_KEY): TenantLinks => ({
  present: () => Promise.resolve(ok(links === null ? null : { key, links })),
  madeBy: (by) => Promise.resolve(ok(by === key ? links : null)),
});

describe.each(PROVIDERS)("consents over $name", (provider) => {
  let links: AppLinks;
  let consent: (url: string, isGiven: boolean) => Promise<void>;
  let app: ReturnType<typeof makeApp>;
  beforeAll(async () => {
    ({ links, consent } = await provider.start());
    const settingsHash = await hashCatalogueApp(provider.app);
    app = makeApp({
      app: provider.app,
      provider: "composio",
      kind: "composio",
      title: "Mail",
      hosts: [],
      settingsHash,
    });
  });
  afterAll(() => provider.close());

  const openOver = (over: AppLinks | null) =>
    openAccountAuthorizations({
      links: linksOf(over),
      listActions: () => Promise.resolve(ok(["GMAIL_FETCH_EMAILS"])),
      timer: globalThis,
      now: Date.now,
    });
  const begin = async () =>
    valueOf(await openOver(links).begin(app, { redirectUrl: REDIRECT, state: "s", entity: ENTITY }));
  /** The links with another reply about an account. */
  const withAccount = (read: () => Result<ProviderAccount>): AppLinks => ({
    ...links,
    account: () => Promise.resolve(read()),
  });

  it("connect the account that the consent made", async () => {
    const begun = await begin();
    await consent(begun.url, true);
    const granted = valueOf(await openOver(links).complete(app, makeFlow(begun), NOTHING));
    const { account } = begun;
    expect(account?.entity).toBe(ENTITY);
    expect(granted).toEqual({
      tokens: { kind: "account", providerId: account?.providerId },
      scopes: null,
      label: "ana@demo.example",
    });
    expect(await openOver(links).refresh(app, granted.tokens)).toEqual(ok(granted.tokens));
    expect(await openOver(links).revoke(app, granted.tokens)).toEqual(ok("done"));
    expect(await openOver(links).revoke(app, granted.tokens)).toEqual(ok("done"));
    const after = await links.account(account?.providerId ?? "");
    expect(after.ok && after.value.status === "active").toBe(false);
  });

  it("are refused when declined, and when nobody finished them", async () => {
    const begun = await begin();
    expect(await openOver(links).complete(app, makeFlow(begun), NOTHING)).toMatchObject({
      error: { code: "not_available", message: expect.stringContaining("not finished") },
    });
    await consent(begun.url, false);
    expect(await openOver(links).complete(app, makeFlow(begun), NOTHING)).toMatchObject({
      error: { code: "not_available", message: expect.stringContaining("declined") },
    });
  });

  it("give no account of another owner, app or id, or one that has ended", async () => {
    const begun = await begin();
    await consent(begun.url, true);
    const given = valueOf(await links.account(begun.account?.providerId ?? ""));
    const foreign: Partial<ProviderAccount>[] = [
      { entity: "ten_b.per_ana" },
      { app: "slack" },
      { providerId: "ca_other" },
      { status: "expired" },
      { status: "revoked" },
    ];
    for (const change of foreign) {
      const over = openOver(withAccount(() => ok({ ...given, ...change })));
      expect(await over.complete(app, makeFlow(begun), NOTHING)).toMatchObject({ error: { code: "not_available" } });
    }
  });

  it("begin with a new account only", async () => {
    const account = { providerId: "ca_1", entity: ENTITY, app: app.app, label: null };
    for (const change of [{ status: "active" }, { status: "pending", entity: "ten_b.shared" }] as const) {
      const over = openOver({
        ...withAccount(() => ok({ ...account, ...change })),
        link: () => Promise.resolve(ok({ url: "https://consent.example/", providerId: "ca_1", expiresAt: 0 })),
      });
      const begun = await over.begin(app, { redirectUrl: REDIRECT, state: "s", entity: ENTITY });
      expect(begun).toMatchObject({
        error: { code: "not_available", message: expect.stringContaining("did not make") },
      });
    }
  });

  it("wait a moment for a provider that is slow to know, and leave the connection unchanged while it is away", async () => {
    const begun = await begin();
    await consent(begun.url, true);
    const present = valueOf(await links.account(begun.account?.providerId ?? ""));
    let reads = 0;
    const slow = openOver(
      withAccount(() => {
        reads += 1;
        return reads === 1
          ? failed("rate_limited", "Later.")
          : ok({ ...present, status: reads === 2 ? "pending" : "active" });
      }),
    );
    expect(valueOf(await slow.complete(app, makeFlow(begun), NOTHING)).tokens.kind).toBe("account");
    for (const code of ["rate_limited", "upstream_failed", "timeout"] as const) {
      const away = openOver({ ...links, link: () => Promise.resolve(failed(code, "Later.")) });
      const failure = await away.begin(app, { redirectUrl: REDIRECT, state: "s", entity: ENTITY });
      if (failure.ok) throw new Error("it began");
      expect(decideFlowEnd("begin", failure.error).to).toBe("unchanged");
    }
    for (const over of [openOver(null)]) {
      expect(await over.begin(app, { redirectUrl: REDIRECT, state: "s" })).toMatchObject({ error: { retry: "later" } });
      const revoked = await over.revoke(app, { kind: "account", providerId: "ca_1" });
      expect(revoked).toMatchObject({ error: { retry: "later" } });
    }
  });

  it("are begun with the present key, and completed and revoked with the one that made the account", async () => {
    const openWith = (present: string, known: Readonly<Record<string, AppLinks>>) =>
      openAccountAuthorizations({
        links: {
          present: () => Promise.resolve(ok({ key: present, links: known[present] ?? links })),
          madeBy: (key) => Promise.resolve(ok(known[key] ?? null)),
        },
        listActions: () => Promise.resolve(ok([])),
        timer: globalThis,
        now: Date.now,
      });
    const asked: string[] = [];
    const foreign: AppLinks = {
      link: () => Promise.resolve(failed("internal", "Not asked for a link.")),
      account: (id) => Promise.resolve(failed("not_found", id)),
      revoke(id) {
        asked.push(id);
        return Promise.resolve(ok(undefined));
      },
    };
    const of = { ...app, settingsHash: await hashCatalogueApp(app.app, "pvk_1") };
    const request = { redirectUrl: REDIRECT, state: "s", entity: ENTITY };
    const own = openWith("pvk_1", { pvk_1: links });
    expect(await own.begin(app, request)).toMatchObject({ error: { code: "conflict", retry: "later" } });
    const begun = valueOf(await own.begin(of, request));
    expect(begun.account?.key).toBe("pvk_1");
    await consent(begun.url, true);
    const changed = openWith("pvk_2", { pvk_1: links, pvk_2: foreign });
    const { tokens } = valueOf(await changed.complete(of, makeFlow(begun), NOTHING));
    expect(tokens).toEqual({ kind: "account", providerId: begun.account?.providerId, key: "pvk_1" });
    const removed = openWith("pvk_2", { pvk_2: foreign });
    // Nothing can be revoked without its key, and others of the connection wait behind it.
    expect(await removed.revoke(of, tokens)).toEqual(ok("done"));
    expect(await removed.complete(of, makeFlow(begun), NOTHING)).toMatchObject({ error: { code: "not_available" } });
    expect(await changed.revoke(of, tokens)).toEqual(ok("done"));
    expect(asked).toEqual([]);
  });

  it("are routed by the app, and their ends by the tokens", async () => {
    let opened = 0;
    const own = () => {
      opened += 1;
      return Promise.resolve(fakeAuthorizations());
    };
    const routed = routeAuthorizations({ own, accounts: openOver(links) });
    const begun = valueOf(await routed.begin(app, { redirectUrl: REDIRECT, state: "s", entity: ENTITY }));
    await consent(begun.url, true);
    const { tokens } = valueOf(await routed.complete(app, makeFlow(begun), NOTHING));
    const replaced = makeApp({ app: app.app });
    valueOf(await routed.revoke(replaced, tokens));
    expect(opened).toBe(0);
    const after = await links.account(begun.account?.providerId ?? "");
    expect(after.ok && after.value.status === "active").toBe(false);
    valueOf(await routed.begin(replaced, { redirectUrl: REDIRECT, state: "s" }));
    expect(opened).toBe(1);
  });
});
