/** A provider of apps in memory: a mail app, one without accounts, and one that needs a client of its own. */
import type { DescribedAction, DescribedApp, DescribedTrigger } from "../../core/apps/catalogue.ts";
import { ANSWERED, failed, maybeSent, notSent, ok, type Result } from "../../core/base/errors.ts";
import type {
  AppCall,
  AppLinks,
  AppProbe,
  AppReply,
  AppsPort,
  AppTriggers,
  CataloguePage,
  CatalogueSource,
  ProviderAccount,
} from "../../core/ports/apps.ts";
import { fakeTriggers } from "./triggers.ts";

const LINK_MS = 600_000;

/** The provider, and what happens outside of Otto. */
export interface FakeApps {
  readonly source: CatalogueSource;
  readonly apps: AppsPort;
  readonly links: AppLinks;
  readonly triggers: AppTriggers;
  /** A person follows a link and consents or declines. */
  consent(url: string, isGiven: boolean): void;
  /** The next call is carried out, and its reply is lost. */
  loseNextReply(): void;
  expire(providerId: string): void;
  /** Texts of the mails that were sent. */
  readonly sent: readonly string[];
}

interface Logged {
  readonly id: string;
  readonly call: AppCall;
  readonly at: number;
  readonly reply: Result<AppReply>;
}

interface FakeState {
  readonly accounts: Map<string, ProviderAccount>;
  readonly sent: string[];
  readonly log: Logged[];
  isLost: boolean;
}

/** `pageSize`: items of a page. `now`: milliseconds since the epoch. */
export function fakeApps({ pageSize = 2, now = Date.now }: { pageSize?: number; now?: () => number } = {}): FakeApps {
  const state: FakeState = { accounts: new Map(), sent: [], log: [], isLost: false };
  return {
    source: openSource(pageSize),
    apps: openPort(state, now),
    links: openLinks(state, now),
    triggers: fakeTriggers((id) => state.accounts.get(id)?.status === "active"),
    consent(url, isGiven) {
      const id = new URL(url).pathname.slice(1);
      const label = isGiven ? "ana@demo.example" : null;
      change(state, id, { status: isGiven ? "active" : "failed", label });
    },
    loseNextReply() {
      state.isLost = true;
    },
    expire: (id) => change(state, id, { status: "expired" }),
    sent: state.sent,
  };
}

function change({ accounts }: FakeState, id: string, changed: Partial<ProviderAccount>): void {
  const account = accounts.get(id);
  if (account !== undefined) accounts.set(id, { ...account, ...changed });
}

function openSource(pageSize: number): CatalogueSource {
  return {
    apps: (cursor) => Promise.resolve(toPage(APPS, cursor, pageSize)),
    actions: (cursor, of) =>
      Promise.resolve(
        toPage(of === undefined ? ACTIONS : ACTIONS.filter(({ app }) => app === of.app), cursor, pageSize),
      ),
    triggers: (cursor, { apps }) =>
      Promise.resolve(
        toPage(apps.length === 0 ? TRIGGERS : TRIGGERS.filter(({ app }) => apps.includes(app)), cursor, pageSize),
      ),
  };
}

function toPage<Item>(all: readonly Item[], cursor: string | null, pageSize: number): Result<CataloguePage<Item>> {
  const start = cursor === null ? 0 : Number(cursor);
  if (!Number.isInteger(start) || start < 0 || (cursor !== null && start >= all.length))
    return failed("upstream_failed", "The provider knows no such page.");
  const end = start + pageSize;
  return ok({
    items: all.slice(start, end),
    rejected: [],
    next: end < all.length ? String(end) : null,
    total: all.length,
  });
}

function openPort(state: FakeState, now: () => number): AppsPort {
  return {
    execute(call) {
      if (call.signal.aborted) return Promise.resolve(notSent("timeout", "The call was given up before it was sent."));
      const reply = run(state, call);
      const id = `log_${state.log.length + 1}`;
      const logged = reply.ok ? ok({ ...reply.value, logId: id }) : reply;
      state.log.push({ id, call, at: now(), reply: logged });
      const { isLost } = state;
      state.isLost = false;
      return Promise.resolve(isLost ? maybeSent("upstream_failed", "The reply was lost.") : logged);
    },
    probe({ app, action, account, requestIds, since }) {
      for (const [before, requestId] of requestIds.entries()) {
        const [found, ...more] = state.log.filter(
          ({ call, at }) =>
            call.requestId === requestId &&
            at >= since - 2_000 &&
            call.action === action &&
            call.account?.providerId === account?.providerId,
        );
        if (found === undefined) continue;
        if (more.length > 0) return Promise.resolve(cannotTell("The log has several such calls.", false));
        if (found.reply.ok) return Promise.resolve(ok({ kind: "happened", reply: found.reply.value }));
        if (before > 0) break;
        return Promise.resolve(ok({ kind: "not_happened", failure: found.reply.error }));
      }
      return Promise.resolve(cannotTell(`The log has no such call of ${app}.`, true));
    },
    requestUpload({ app, action, name, signal }) {
      if (signal.aborted) return Promise.resolve(notSent("timeout", "The upload was given up before it was sent."));
      const key = `fake/${app}/${action}/${crypto.randomUUID()}/${name}`;
      return Promise.resolve(ok({ key, url: `https://storage.example/${key}?signature=canary-signature` }));
    },
  };
}

function cannotTell(why: string, isEarly: boolean): Result<AppProbe> {
  return ok({ kind: "cannot_tell", why, isEarly });
}

function run({ accounts, sent }: FakeState, call: AppCall): Result<AppReply> {
  const { account, arguments: given } = call;
  const action = ACTIONS.find((one) => one.action === call.action);
  if (action === undefined) return notSent("not_found", "There is no such action.", { cause: ANSWERED });
  if (!action.isOpen) {
    const found = account === null ? undefined : accounts.get(account.providerId);
    if (account !== null && found?.status !== "active") {
      const cause = { kind: "connection_ended", connection: account.connection } as const;
      return notSent("permission_denied", "The account is no longer connected.", { cause });
    }
    if (found === undefined) return notSent("not_found", "There is no such account.", { cause: ANSWERED });
  }
  if (call.action === "GMAIL_SEND_EMAIL") {
    sent.push(String(given["body"]));
    return ok({ data: { id: `msg_${sent.length}` }, logId: null });
  }
  if (call.action === "GMAIL_FETCH_MESSAGE_BY_MESSAGE_ID")
    return notSent("not_found", "gmail refused the call (HTTP 404).", { cause: ANSWERED });
  return ok({ data: { messages: sent.map((messageText) => ({ messageText })) }, logId: null });
}

function openLinks(state: FakeState, now: () => number): AppLinks {
  return {
    link({ app: slug, entity }) {
      const app = APPS.find((one) => one.app === slug);
      if (app === undefined) return Promise.resolve(failed("not_found", "There is no such app."));
      if (app.isOpen) return Promise.resolve(failed("conflict", `${app.title} needs no account.`));
      if (app.managedSchemes.length === 0)
        return Promise.resolve(
          failed("not_available", `${app.title} needs a client of its own. ${app.guideUrl} describes it.`),
        );
      const providerId = `ca_${state.accounts.size + 1}`;
      state.accounts.set(providerId, { providerId, entity, app: slug, status: "pending", label: null });
      return Promise.resolve(
        ok({ url: `https://consent.example/${providerId}`, providerId, expiresAt: now() + LINK_MS }),
      );
    },
    account(providerId) {
      const account = state.accounts.get(providerId);
      return Promise.resolve(account === undefined ? failed("not_found", "There is no such account.") : ok(account));
    },
    revoke(providerId) {
      change(state, providerId, { status: "revoked" });
      return Promise.resolve(ok(undefined));
    },
  };
}

const APP: Omit<DescribedApp, "app" | "title"> = {
  description: "A fake app.",
  logoUrl: null,
  categories: ["Email"],
  actionCount: 1,
  triggerCount: 0,
  authSchemes: ["OAUTH2"],
  managedSchemes: ["OAUTH2"],
  isOpen: false,
  guideUrl: null,
  version: "20261105_00",
  updatedAt: null,
};

const APPS: readonly DescribedApp[] = [
  { ...APP, app: "gmail", title: "Gmail", actionCount: 3, triggerCount: 1 },
  { ...APP, app: "opensearch", title: "Open search", authSchemes: ["NO_AUTH"], managedSchemes: [], isOpen: true },
  {
    ...APP,
    app: "ownclient",
    title: "Own client",
    managedSchemes: [],
    guideUrl: "https://docs.example.com/auth/ownclient",
  },
];

function describeAction(action: string, app: string, tags: readonly string[]): DescribedAction {
  return {
    action,
    app,
    title: action,
    description: "An action of a fake app.",
    tags,
    scopes: [],
    input: { type: "object" },
    output: null,
    version: "20261105_00",
    isOpen: app === "opensearch",
  };
}

const ACTIONS: readonly DescribedAction[] = [
  describeAction("GMAIL_FETCH_EMAILS", "gmail", ["readOnlyHint"]),
  describeAction("GMAIL_SEND_EMAIL", "gmail", []),
  describeAction("GMAIL_FETCH_MESSAGE_BY_MESSAGE_ID", "gmail", ["readOnlyHint"]),
  describeAction("OPENSEARCH_LIST_RESULTS", "opensearch", ["readOnlyHint"]),
  describeAction("OWNCLIENT_LIST_RECORDS", "ownclient", ["readOnlyHint"]),
];

const TRIGGERS: readonly DescribedTrigger[] = [
  {
    trigger: "GMAIL_NEW_MESSAGE_TRIGGER",
    app: "gmail",
    title: "New mail",
    description: "",
    config: { type: "object" },
    payload: null,
  },
];
