/** A provider of apps in memory: listings in pages, changes between two syncs, and faults. Counts its requests. */
import type { DescribedAction, DescribedApp, DescribedTrigger } from "../../core/apps/catalogue.ts";
import { failed, ok, type Failed, type Result } from "../../core/base/errors.ts";
import type { CataloguePage, CatalogueSource } from "../../core/ports/apps.ts";

export class DescribedCatalogue implements CatalogueSource {
  readonly described = new Map<string, DescribedApp>();
  readonly provided = new Map<string, DescribedAction>();
  readonly rejected: { readonly name: string; readonly why: string }[] = [];
  /** The requests in order, such as `actions` or `actions APP3 50`. */
  readonly requests: string[] = [];
  /** Decides the reply of a request instead; null: the items. */
  fault: (request: string) => Failed | null = () => null;
  /** The cursor after the first page of actions is this one; null: the right one. */
  loop: string | null = null;
  isOfTenant = false;
  /** What the addresses of logos give. Requests are such as `logo https://logos.example/app0`. */
  readonly logos = new Map<string, Uint8Array | Failed>();
  readonly #pageSize: number;

  constructor(size: { readonly apps: number; readonly actions: number; readonly page?: number }) {
    this.#pageSize = size.page ?? 1_000;
    for (let at = 0; at < size.apps; at += 1) this.add(`app${at}`, size.actions);
  }

  add(app: string, actions: number): void {
    for (let at = 0; at < actions; at += 1) this.addAction(describeAction(app, at));
    this.described.set(app, describeApp(app, actions));
  }

  addAction(action: DescribedAction): void {
    this.provided.set(action.action, action);
  }

  /** Gives an app another version. */
  renew(app: string): void {
    const known = this.described.get(app) ?? describeApp(app, 0);
    this.described.set(app, { ...known, version: `${known.version}+` });
  }

  remove(app: string): void {
    this.described.delete(app);
    for (const [name, action] of this.provided) if (action.app === app) this.provided.delete(name);
  }

  apps(cursor: string | null) {
    return this.#reply("apps", cursor, [...this.described.values()]);
  }

  actions(cursor: string | null, of?: { readonly app: string }) {
    const all = [...this.provided.values()];
    const name = of === undefined ? "actions" : `actions ${of.app}`;
    const items = of === undefined ? all : all.filter(({ app }) => app === of.app);
    return this.#reply(name, cursor, items, this.rejected);
  }

  triggers(cursor: string | null, { apps }: { readonly apps: readonly string[] }) {
    return this.#reply(`triggers ${apps.join()}`, cursor, apps.map(describeTrigger));
  }

  /** Gives an app another address of its logo; null: none. */
  setLogo(app: string, logoUrl: string | null): void {
    const known = this.described.get(app) ?? describeApp(app, 0);
    this.described.set(app, { ...known, logoUrl });
  }

  readonly fetchLogo = (url: string): Promise<Result<Uint8Array>> => {
    this.requests.push(`logo ${url}`);
    const found = this.logos.get(url) ?? failed("upstream_failed", "Its server replied with HTTP 404.");
    return Promise.resolve(found instanceof Uint8Array ? ok(found) : found);
  };

  #reply<Item>(
    request: string,
    cursor: string | null,
    items: readonly Item[],
    rejected: CataloguePage<Item>["rejected"] = [],
  ): Promise<Result<CataloguePage<Item>>> {
    this.requests.push(cursor === null ? request : `${request} ${cursor}`);
    const fault = this.fault(this.requests.at(-1) ?? "");
    if (fault !== null) return Promise.resolve(fault);
    const from = Number(cursor ?? 0);
    const end = from + this.#pageSize;
    const following = request.startsWith("actions") ? (this.loop ?? String(end)) : String(end);
    const next = end < items.length ? following : null;
    const page = { items: items.slice(from, end), rejected: from === 0 ? rejected : [], next, total: items.length };
    // A copy, as from another process.
    return Promise.resolve(ok(structuredClone(page)));
  }
}

export const TOO_MANY = failed("rate_limited", "The provider accepts no more requests.", { retryAfterMs: 50 });

function describeApp(app: string, actionCount: number): DescribedApp {
  return {
    app,
    title: `App ${app} \u{1f41f}`,
    description: `What ${app} does.`,
    logoUrl: null,
    categories: app.endsWith("1") ? ["crm", "odd"] : ["crm"],
    actionCount,
    triggerCount: 1,
    authSchemes: ["OAUTH2"],
    managedSchemes: [],
    isOpen: false,
    guideUrl: null,
    version: "20260101_00",
    updatedAt: null,
  };
}

export function describeAction(app: string, at: number, change: Partial<DescribedAction> = {}): DescribedAction {
  return {
    action: `${app.toUpperCase()}_ACT_${at}`,
    app,
    title: `Act ${at}`,
    description: `Does ${at} in ${app}. `.repeat(20),
    tags: at % 2 === 0 ? ["readOnlyHint"] : ["destructiveHint"],
    scopes: ["write"],
    input: { type: "object", properties: { note: { type: "string" }, id: { type: "string" } }, required: ["id"] },
    output: { type: "object", properties: { text: { const: "\0" } } },
    version: "20260101_00",
    isOpen: false,
    ...change,
  };
}

function describeTrigger(app: string): DescribedTrigger {
  return {
    trigger: `${app.toUpperCase()}_NEW`,
    app,
    title: "New",
    description: "",
    config: { type: "object" },
    payload: null,
  };
}
