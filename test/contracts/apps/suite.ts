/** What every provider of apps does: its catalogue, its calls, and accounts by links. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unwrap } from "../../../core/base/unwrap.ts";
import type { Result } from "../../../core/base/errors.ts";
import type {
  AppCall,
  AppLinks,
  AppLookup,
  AppsPort,
  CataloguePage,
  CatalogueSource,
} from "../../../core/ports/apps.ts";

/** A provider that has Gmail, an app without accounts, and one that needs a client of its own. */
export interface AppsUnderTest {
  readonly source: CatalogueSource;
  readonly apps: AppsPort;
  readonly links: AppLinks;
  consent(url: string, isGiven: boolean): Promise<void>;
  /** The next call is carried out, and its reply is lost. */
  loseNextReply(): Promise<void>;
  expire(providerId: string): Promise<void>;
  close(): Promise<void>;
}

const ENTITY = "t_1.per_1";
const CALLBACK = "https://otto.example/api/composio/callback?state=s1";
const VERSION = "20261105_00";
const ACTIONS = ["GMAIL_SEND_EMAIL", "GMAIL_FETCH_EMAILS"];
const MAX_PAGES = 2_000;

/** Reads a listing to its end. */
export async function readAll<Item>(read: (cursor: string | null) => Promise<Result<CataloguePage<Item>>>): Promise<{
  readonly items: readonly Item[];
  readonly rejected: CataloguePage<Item>["rejected"];
  readonly total: number | null;
}> {
  const items: Item[] = [];
  const rejected: { name: string; why: string }[] = [];
  for (let cursor: string | null = null, pages = 1; ; pages += 1) {
    const page: CataloguePage<Item> = unwrap(await read(cursor));
    items.push(...page.items);
    rejected.push(...page.rejected);
    if (page.next === null) return { items, rejected, total: page.total };
    if (pages === MAX_PAGES) throw new Error("the listing does not end");
    cursor = page.next;
  }
}

export function toCall(providerId: string | null, more: Partial<AppCall> = {}): AppCall {
  return {
    app: "gmail",
    action: "GMAIL_SEND_EMAIL",
    version: VERSION,
    arguments: { recipient_email: "tom@acme.example", subject: "Hi", body: "See you at 3." },
    account: providerId === null ? null : { connection: "con_1", entity: ENTITY, providerId },
    key: "task_1.call_1",
    requestId: crypto.randomUUID(),
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    ...more,
  };
}

/** The look-up of a call whose reply was lost. */
export function toLookup(
  { app, action, account, signal, requestId }: AppCall,
  more: Partial<AppLookup> = {},
): AppLookup {
  return { app, action, account, signal, requestIds: [requestId], since: Date.now(), ...more };
}

export async function connect(
  { links, consent }: Pick<AppsUnderTest, "links" | "consent">,
  app = "gmail",
): Promise<string> {
  const link = unwrap(await links.link({ app, entity: ENTITY, actions: ACTIONS, callbackUrl: CALLBACK }));
  await consent(link.url, true);
  return link.providerId;
}

export function appsContract(name: string, open: () => Promise<AppsUnderTest>): void {
  describe(`a provider of apps: ${name}`, () => {
    let provider: AppsUnderTest;
    beforeAll(async () => {
      provider = await open();
    });
    afterAll(() => provider.close());
    const link = (app: string) => provider.links.link({ app, entity: ENTITY, actions: ACTIONS, callbackUrl: CALLBACK });
    const findApp = async (fits: (app: { isOpen: boolean; guideUrl: string | null }) => boolean) => {
      const { items } = await readAll((cursor) => provider.source.apps(cursor));
      return items.find(fits);
    };

    it("lists each app once, and says how many there are", async () => {
      const { items, total, rejected } = await readAll((cursor) => provider.source.apps(cursor));
      expect(new Set(items.map(({ app }) => app)).size).toBe(items.length);
      expect(total).toBe(items.length);
      expect(rejected).toEqual([]);
      expect(items.find(({ app }) => app === "gmail")).toMatchObject({
        title: "Gmail",
        managedSchemes: ["OAUTH2"],
        isOpen: false,
        version: VERSION,
      });
    });

    it("lists the actions of one app, with their schemas", async () => {
      const { items } = await readAll((cursor) => provider.source.actions(cursor, { app: "gmail" }));
      expect(items.map(({ app }) => app)).toEqual(items.map(() => "gmail"));
      expect(items.map(({ action }) => action)).toEqual(expect.arrayContaining(ACTIONS));
      for (const { input, version } of items) expect([input["type"], version]).toEqual(["object", VERSION]);
    });

    it("lists no action of an app that it does not have, and the triggers of those that it has", async () => {
      expect((await readAll((cursor) => provider.source.actions(cursor, { app: "nosuchapp" }))).items).toEqual([]);
      const { items } = await readAll((cursor) => provider.source.triggers(cursor, { apps: ["gmail"] }));
      expect(items.map(({ app }) => app)).toEqual(["gmail"]);
    });

    it("refuses a cursor that it did not give, as a value", async () => {
      const page = await provider.source.apps("not-a-cursor");
      expect(page).toMatchObject({ ok: false, error: { code: "upstream_failed" } });
    });

    it("connects an account once its person consents", async () => {
      const begun = unwrap(await link("gmail"));
      expect(begun.expiresAt).toBeGreaterThan(Date.now());
      const pending = { providerId: begun.providerId, entity: ENTITY, app: "gmail", status: "pending" };
      expect(unwrap(await provider.links.account(begun.providerId))).toMatchObject(pending);
      await provider.consent(begun.url, true);
      const active = { ...pending, status: "active", label: "ana@demo.example" };
      expect(unwrap(await provider.links.account(begun.providerId))).toEqual(active);
    });

    it("connects none if the person declines", async () => {
      const begun = unwrap(await link("gmail"));
      await provider.consent(begun.url, false);
      expect(unwrap(await provider.links.account(begun.providerId)).status).toBe("failed");
    });

    it("begins no consent where none is possible, and says why", async () => {
      const isOwn = await findApp(({ guideUrl }) => guideUrl !== null);
      expect(await link(isOwn?.app ?? "")).toMatchObject({ ok: false, error: { code: "not_available" } });
      expect(JSON.stringify(await link(isOwn?.app ?? ""))).toContain(isOwn?.guideUrl);
      const open = await findApp(({ isOpen }) => isOpen);
      expect(await link(open?.app ?? "")).toMatchObject({ ok: false, error: { code: "conflict" } });
      expect(await link("nosuchapp")).toMatchObject({ ok: false, error: { code: "not_found" } });
      expect(await provider.links.account("ca_none")).toMatchObject({ ok: false, error: { code: "not_found" } });
    });

    it("carries an action out for an account", async () => {
      const id = await connect(provider);
      const sent = unwrap(await provider.apps.execute(toCall(id)));
      expect(sent.logId).toEqual(expect.any(String));
      const read = await provider.apps.execute(toCall(id, { action: "GMAIL_FETCH_EMAILS", arguments: {} }));
      expect(JSON.stringify(unwrap(read).data)).toContain("See you at 3.");
    });

    it("carries an action of an open app out without an account", async () => {
      const open = await findApp(({ isOpen }) => isOpen);
      const { items } = await readAll((cursor) => provider.source.actions(cursor, { app: open?.app ?? "" }));
      const action = items.find(({ tags }) => tags.includes("readOnlyHint"))?.action ?? items[0]?.action ?? "";
      const call = toCall(null, { app: open?.app ?? "", action, arguments: {} });
      expect(await provider.apps.execute(call)).toMatchObject({ ok: true });
    });

    it("reports an action that the app refused as not happened", async () => {
      const id = await connect(provider);
      const call = toCall(id, { action: "GMAIL_FETCH_MESSAGE_BY_MESSAGE_ID", arguments: { message_id: "none" } });
      expect(await provider.apps.execute(call)).toMatchObject({
        ok: false,
        error: { code: "not_found", happened: "no", cause: { kind: "answered" } },
      });
    });

    it("sends nothing for a caller that gave up", async () => {
      const id = await connect(provider);
      const given = await provider.apps.execute(toCall(id, { signal: AbortSignal.abort() }));
      expect(given).toMatchObject({ ok: false, error: { happened: "no" } });
    });

    it("says which connection has ended", async () => {
      const id = await connect(provider);
      await provider.expire(id);
      expect(unwrap(await provider.links.account(id)).status).toBe("expired");
      expect(await provider.apps.execute(toCall(id))).toMatchObject({
        ok: false,
        error: { code: "permission_denied", happened: "no", cause: { kind: "connection_ended", connection: "con_1" } },
      });
    });

    it("finds a call whose reply was lost, once", async () => {
      const id = await connect(provider);
      const call = toCall(id);
      const since = Date.now();
      await provider.loseNextReply();
      expect(await provider.apps.execute(call)).toMatchObject({ ok: false, error: { happened: "unknown" } });
      const probed = unwrap(await provider.apps.probe(toLookup(call, { since })));
      expect(probed).toMatchObject({ kind: "happened", reply: { logId: expect.any(String) } });
    });

    it("finds an earlier attempt, and takes no other account's or action's call for it", async () => {
      const id = await connect(provider);
      const [call, since] = [toCall(id), Date.now()];
      await provider.loseNextReply();
      await provider.apps.execute(call);
      const requestIds = [crypto.randomUUID(), call.requestId];
      const probe = async (more: Partial<AppLookup>) =>
        unwrap(await provider.apps.probe(toLookup(call, { since, ...more }))).kind;
      expect(await probe({ requestIds })).toBe("happened");
      expect(await probe({ action: "GMAIL_FETCH_EMAILS" })).toBe("cannot_tell");
      expect(
        await probe({ account: { connection: "con_2", entity: ENTITY, providerId: await connect(provider) } }),
      ).toBe("cannot_tell");
      expect(await probe({ since: since + 3_600_000 })).toBe("cannot_tell");
    });

    it("never takes an equal call for a lost one, nor its absence for a proof", async () => {
      const id = await connect(provider);
      const call = toCall(id, { arguments: { recipient_email: "tom@acme.example", body: crypto.randomUUID() } });
      const since = Date.now();
      const absent = { kind: "cannot_tell", isEarly: true };
      expect(unwrap(await provider.apps.probe(toLookup(call, { since })))).toMatchObject(absent);
      unwrap(await provider.apps.execute({ ...call, requestId: crypto.randomUUID() }));
      expect(unwrap(await provider.apps.probe(toLookup(call, { since })))).toMatchObject(absent);
    });

    it("says that the app refused the latest attempt, and of an earlier refusal nothing", async () => {
      const id = await connect(provider);
      const call = toCall(id, { action: "GMAIL_FETCH_MESSAGE_BY_MESSAGE_ID", arguments: { message_id: "none" } });
      const since = Date.now();
      await provider.apps.execute(call);
      expect(unwrap(await provider.apps.probe(toLookup(call, { since })))).toMatchObject({
        kind: "not_happened",
        failure: { code: "not_found", happened: "no", cause: { kind: "answered" } },
      });
      const requestIds = [crypto.randomUUID(), call.requestId];
      expect(unwrap(await provider.apps.probe(toLookup(call, { since, requestIds })))).toMatchObject({
        kind: "cannot_tell",
        isEarly: true,
      });
    });

    it("gives each upload a key and an address of its own, which is no call", async () => {
      const file = { app: "gmail", action: "GMAIL_SEND_EMAIL", name: "june.pdf", contentType: "application/pdf" };
      const request = async () =>
        unwrap(
          await provider.apps.requestUpload({ ...file, md5: "0".repeat(32), signal: new AbortController().signal }),
        );
      const [one, other] = [await request(), await request()];
      expect(one.key).toContain("june.pdf");
      expect([one.key === other.key, one.url === other.url]).toEqual([false, false]);
      const ended = { ...file, md5: "0".repeat(32), signal: AbortSignal.abort() };
      expect(await provider.apps.requestUpload(ended)).toMatchObject({ ok: false, error: { happened: "no" } });
    });

    it("revokes an account, and again", async () => {
      const id = await connect(provider);
      expect(await provider.links.revoke(id)).toEqual({ ok: true, value: undefined });
      expect(unwrap(await provider.links.account(id)).status).toBe("revoked");
      expect(await provider.links.revoke(id)).toEqual({ ok: true, value: undefined });
      expect(await provider.links.revoke("ca_none")).toEqual({ ok: true, value: undefined });
      expect(await provider.apps.execute(toCall(id))).toMatchObject({
        ok: false,
        error: { happened: "no", cause: { kind: "connection_ended" } },
      });
    });
  });
}
