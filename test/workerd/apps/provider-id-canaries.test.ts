/** The provider's ids of accounts: none is found in a log, a prompt, a reply, a stored row or the storage of an object. */
import { env } from "cloudflare:workers";
import { afterAll, expect, inject, test, vi } from "vitest";
import { providerAccountsFromEnv } from "../../../adapters/env/provider-accounts.ts";
import { connectionTableFromEnv, connectionsFromEnv } from "../../../adapters/env/connections.ts";
import { toAccount } from "../../../core/connections/connection.ts";
import { OPERATOR_KEY } from "../../../core/connections/provider-key.ts";
import { valueOf } from "../../contracts/value-of.ts";
import {
  type Canaries,
  expectNowhere,
  readObject,
  readReplies,
  readRows,
  type Texts,
} from "../connections/canary-search.ts";
import { openOffice } from "../connections/connect-client.ts";
import { makeCaller } from "../http/entry.ts";
import { newBrowser } from "../mcp/consent-client.ts";
import { tenantStub } from "../tenant/client.ts";
import { setVariables } from "../variables.ts";
import { beginConsent, connectAtProvider, control, listAccounts, openProvider } from "./provider.ts";

afterAll(() => setVariables(env, null));

test("no provider's id is found outside of its sealed row", { timeout: 120_000 }, async () => {
  const used = openProvider();
  const logged: string[] = [];
  for (const method of ["log", "info", "warn", "error", "debug"] as const)
    vi.spyOn(console, method).mockImplementation((...given) => void logged.push(given.map(String).join(" ")));
  const [canaries, texts]: [Canaries, Texts] = [new Map(), new Map()];
  const office = await openOffice();
  const ana = await office.add("Ana", ["tasks:read", "tasks:write", "admin"]);
  const pages = [await connectAtProvider(ana), await connectAtProvider(ana, { owner: "shared" })];
  const stolen = await beginConsent(newBrowser(), ana, { alias: "stolen" });
  pages.push(await newBrowser().visit(stolen));
  const failing = newBrowser();
  const back = await beginConsent(failing, ana, { alias: "failing" });
  const query = new URL(back, "http://otto.test").searchParams;
  canaries.set("state", query.get("state") ?? "");
  await control({ accounts: { fault: "error", times: 9, of: query.get("connected_account_id") ?? "" } });
  pages.push(await failing.visit(back), await failing.visit(back));
  await control({ accounts: null });
  expect(pages.map(({ status }) => status)).toEqual([200, 200, 403, 400, 410]);
  texts.set("pages", pages.map(({ text }) => text).join("\n"));
  const made = await listAccounts(office.tenant);
  expect(made).toHaveLength(4);
  for (const [index, { id }] of made.entries()) canaries.set(`account ${index}`, id);
  canaries.set("the operator's key", inject("servers").demoApps.apiKey);
  const { data } = (await ana.send("GET", "/v1/connections?owner=all")).json;
  const active = data.filter(({ status }: { status: string }) => status === "active");
  expect(active).toHaveLength(2);
  for (const { id } of active) {
    const account = toAccount(valueOf(await connectionTableFromEnv(env, office.tenant).find(id)));
    const found = valueOf(await providerAccountsFromEnv(used, office.tenant, OPERATOR_KEY).find(account));
    expect([...canaries.values()]).toContain(found.providerId);
    const refused = await connectionsFromEnv(used, office.tenant).bearer(account);
    texts.set(`bearer of ${id}`, JSON.stringify({ account, refused }));
  }
  texts.set("disconnecting", (await ana.send("POST", "/api/tools/disconnect", { app_name: "gmail" })).text);
  texts.set("refreshing", (await office.admin.send("POST", "/api/tools/refresh-connections", {})).text);
  const ids = data.map(({ id }: { id: string }) => id);
  for (const [name, by] of [
    ["the person", ana],
    ["the administrator", office.admin],
    ["another tenant", await makeCaller()],
  ] as const) {
    texts.set(`replies to ${name}`, await readReplies(by, [], ids));
    for (const path of ["connected", "workspace", "debug/connections"])
      texts.set(`${path} to ${name}`, (await by.send("GET", `/api/tools/${path}`)).text.padEnd(60));
  }
  texts.set("Postgres", await readRows(office.tenant));
  texts.set("the tenant's object", await readObject(tenantStub(office.tenant)));
  texts.set("the log", logged.join("\n").padEnd(60));
  await expectNowhere(canaries, texts);
});
