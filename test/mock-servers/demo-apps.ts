/** Orders to the demo apps, and a person at their sign-in page. */
import type { DemoOrders, DemoSnapshot } from "../../scripts/demo-apps/faults.ts";

/** Changes what the server does, and returns what it noted until now. */
export async function controlDemoApps(url: string, orders: DemoOrders = {}): Promise<DemoSnapshot> {
  const reply = await fetch(`${url}/control`, { method: "POST", body: JSON.stringify(orders) });
  if (!reply.ok) throw new Error(`the demo apps answered ${reply.status}: ${await reply.text()}`);
  return (await reply.json()) as DemoSnapshot;
}

/** Presses a button of the page behind a link, and returns the address to which the browser is sent. */
export async function followLink(link: string, label: string): Promise<URL> {
  const page = await fetch(link);
  if (!page.ok) throw new Error(`the sign-in page answered ${page.status}`);
  await page.text();
  const sent = { method: "POST", body: new URLSearchParams({ label }), redirect: "manual" } as const;
  const reply = await fetch(link, sent);
  const location = reply.headers.get("location");
  if (location === null) throw new Error(`the sign-in page answered ${reply.status}: ${await reply.text()}`);
  return new URL(location);
}
