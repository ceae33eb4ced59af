/** `/control` of the mock app: tests in another process change what it does and read what it saw. */
import type { MockAnnouncement, MockEndpoint, MockFault, MockReply, OAuthApp } from "./oauth-app.ts";
import type { GrantCounts, GrantRules, MockClient } from "./oauth-grants.ts";
import type { ApiRequest } from "./oauth-app-api.ts";

/** What may be changed; every field is optional. An empty request changes nothing. */
export interface AppOrders {
  /** Null ends a fault. */
  readonly faults?: Partial<Record<MockEndpoint, MockFault | null>>;
  readonly rules?: Partial<GrantRules>;
  readonly announced?: Partial<MockAnnouncement>;
  readonly client?: MockClient;
  readonly redirectTo?: string;
  readonly wrongIss?: string | null;
  readonly tokenDelayMs?: number;
  /** Expires the access tokens of a user (`*`: of all). */
  readonly expire?: string;
  /** Ends the grants of a user (`*`: of all). */
  readonly end?: string;
}

/** What the app saw. */
export interface AppSnapshot {
  readonly counts: GrantCounts;
  readonly active: number;
  readonly requests: readonly ApiRequest[];
  readonly visits: readonly string[];
}

/** Carries out orders, and answers with what was seen until now. */
export function answerControl(app: OAuthApp, text: string): MockReply {
  if (text !== "") obey(app, JSON.parse(text) as AppOrders);
  const { grants, requests, visits } = app;
  const seen: AppSnapshot = { counts: grants.counts, active: grants.countActive(), requests, visits };
  return { status: 200, body: seen };
}

function obey(app: OAuthApp, orders: AppOrders): void {
  for (const [endpoint, fault] of Object.entries(orders.faults ?? {}) as [MockEndpoint, MockFault | null][]) {
    if (fault === null) app.faults.delete(endpoint);
    else app.faults.set(endpoint, fault);
  }
  const { rules, announced, client, redirectTo, wrongIss, tokenDelayMs, expire, end } = orders;
  if (rules !== undefined) app.grants.rules = { ...app.grants.rules, ...rules };
  if (announced !== undefined) app.announced = { ...app.announced, ...announced };
  if (client !== undefined) app.addClient(client);
  if (redirectTo !== undefined) app.redirectTo = redirectTo;
  if (wrongIss !== undefined) app.wrongIss = wrongIss;
  if (tokenDelayMs !== undefined) app.tokenDelayMs = tokenDelayMs;
  if (expire !== undefined) app.grants.expireAccess(expire === "*" ? null : expire);
  if (end !== undefined) app.grants.endGrants(end === "*" ? null : end);
}

/** Sends orders from another process, and returns what the app saw. */
export async function controlApp(url: string, orders: AppOrders = {}): Promise<AppSnapshot> {
  const reply = await fetch(`${url}/control`, { method: "POST", body: JSON.stringify(orders) });
  return (await reply.json()) as AppSnapshot;
}
