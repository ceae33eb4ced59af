/** The return from an app's sign-in page: what is connected, who learns of it, and what a refusal leaves behind. */
import { describe, expect, inject, test, vi } from "vitest";
import { newBrowser } from "../mcp/consent-client.ts";
import {
  addApp,
  agree,
  askLink,
  begin,
  connect,
  type Member,
  openOffice,
  readOnly,
  readTokens,
} from "./connect-client.ts";

/** The texts of the notices that the member's tenant sent, once there are this many. */
async function readNotices(member: Member, count: number): Promise<readonly string[]> {
  const list = async () => (await member.send("GET", "/v1/deliveries")).json.data;
  const sent = await vi.waitFor(
    async () => {
      const data = await list();
      expect(data).toHaveLength(count);
      return data;
    },
    { timeout: 20_000, interval: 50 },
  );
  return await Promise.all(
    sent.map(async ({ id }: { id: string }) => (await member.send("GET", `/v1/deliveries/${id}`)).text),
  );
}

describe("a consent", () => {
  test("connects the account, with its label and scopes, for its person alone", async () => {
    const office = await openOffice();
    const [ana, ben] = [await office.add("Ana"), await office.add("Ben")];
    const browser = newBrowser();
    const page = await begin(browser, await askLink(ana));
    expect(new URL(page).searchParams.get("redirect_uri")).toBe("http://otto.test/connect/callback");
    expect(await readOnly(ana)).toMatchObject({ status: "pending", label: null });
    const done = await browser.visit(await agree(page, "ana"));
    expect(done.status, done.text).toBe(200);
    expect(done.text).toContain("<bdi>Crm</bdi> is connected as <bdi>ana@acme.example</bdi>.");
    expect(done.text).toContain("You may close this window.");
    expect([done.headers.get("cache-control"), done.headers.get("referrer-policy")]).toEqual([
      "no-store",
      "no-referrer",
    ]);
    const connection = await readOnly(ana);
    expect(connection).toMatchObject({
      app: "crm",
      provider: "oauth",
      owner: { kind: "person", id: ana.person, name: "Ana" },
      is_default: true,
      status: "active",
      scopes: ["read", "write"],
      unattended: false,
      why: null,
      revocation: null,
    });
    expect((await ben.send("GET", "/v1/connections")).json.data).toEqual([]);
    const tokens = await readTokens(office.tenant, connection.id);
    if (tokens.kind !== "oauth") throw new Error("no tokens of OAuth");
    const audit = await office.admin.send("GET", `/v1/audit?target=${connection.id}`);
    expect(audit.json.data).toMatchObject([{ action: "connection.connect", actor: ana.person }]);
    for (const text of [JSON.stringify(connection), done.text, audit.text])
      for (const secret of [tokens.access, String(tokens.refresh)]) expect(text).not.toContain(secret);
  });

  test("notifies its owner of a new account, and not of the same one again", async () => {
    const office = await openOffice();
    const ana = await office.add("Ana", ["tasks:read", "tasks:write", "admin"]);
    await connect(ana, "ana");
    const { id } = await readOnly(ana);
    const bound = 1;
    const first = await readNotices(ana, bound + 1);
    expect(
      first.filter((text) => text.includes("The account ana@acme.example of Crm was connected for you")),
    ).toHaveLength(1);
    await connect(ana, "ana");
    expect(await readOnly(ana)).toMatchObject({ id, label: "ana@acme.example" });
    await connect(ana, "ben");
    expect(await readOnly(ana)).toMatchObject({ id, label: "ben@acme.example" });
    const later = await readNotices(ana, bound + 2);
    expect(later.filter((text) => text.includes("The account ben@acme.example of Crm"))).toHaveLength(1);
  });

  test("for everyone is shared, and nobody is notified", async () => {
    const office = await openOffice({ per: "shared" });
    const ana = await office.add("Ana");
    expect((await connect(office.admin, "ana", { owner: "shared" })).status).toBe(200);
    expect(await readOnly(ana)).toMatchObject({ owner: { kind: "shared" }, label: "ana@acme.example" });
    expect((await office.admin.send("GET", "/v1/audit?action=connection.connect")).json.data).toMatchObject([
      { actor: (await office.admin.send("GET", "/v1/keys")).json.data.at(-1).id },
    ]);
  });
});

describe("what is not connected", () => {
  test("after the person declined: the connection stays as it was", async () => {
    const office = await openOffice();
    const ana = await office.add("Ana");
    const declined = await connect(ana, "");
    expect([declined.status, declined.text.includes("The consent was declined at Crm.")]).toEqual([400, true]);
    expect((await ana.send("GET", "/v1/connections")).json.data).toEqual([]);
    await connect(ana, "ana");
    expect((await connect(ana, "")).status).toBe(400);
    expect(await readOnly(ana)).toMatchObject({ status: "active", label: "ana@acme.example" });
  });

  test("after the provider refused the code, or did not answer: it has failed, with the reason", async () => {
    const office = await openOffice();
    const ana = await office.add("Ana");
    const browser = newBrowser();
    const back = await agree(await begin(browser, await askLink(ana)), "ana");
    const refused = await browser.visit(back.replace(/code=[^&]+/, "code=forged"));
    expect([refused.status, refused.text.includes("Crm refused the sign-in (invalid_grant).")]).toEqual([400, true]);
    expect(await readOnly(ana)).toMatchObject({ status: "failed", why: expect.stringContaining("invalid_grant") });
    const url = inject("servers").oauthApp;
    const at = {
      kind: "endpoints",
      authorization: `${url}/authorize`,
      token: "https://127.0.0.1:9/token",
      revocation: null,
    } as const;
    await addApp(office.tenant, "silent", { at, clientId: "client" });
    const other = newBrowser();
    const page = new URL(await begin(other, await askLink(ana, { app: "silent" })));
    const state = page.searchParams.get("state") ?? "";
    const silent = await other.visit(`/connect/callback?code=c&state=${state}`);
    expect([silent.status, silent.text.includes("was not sent")]).toEqual([400, true]);
    expect(silent.text).not.toContain("canary");
  });

  test("after the settings of the app changed during the sign-in", async () => {
    const office = await openOffice();
    const ana = await office.add("Ana");
    const browser = newBrowser();
    const back = await agree(await begin(browser, await askLink(ana)), "ana");
    await addApp(office.tenant, "crm", { hosts: ["elsewhere.example"] });
    const changed = await browser.visit(back);
    expect([changed.status, changed.text.includes("changed during the sign-in")]).toEqual([400, true]);
    expect((await ana.send("GET", "/v1/connections")).json.data).toEqual([]);
  });

  test("with an answer that names another issuer", async () => {
    const office = await openOffice();
    const ana = await office.add("Ana");
    const browser = newBrowser();
    const back = await agree(await begin(browser, await askLink(ana)), "ana");
    const mixed = await browser.visit(back.replace(/iss=[^&]+/, `iss=${encodeURIComponent("https://evil.example")}`));
    expect([mixed.status, mixed.text.includes("The answer did not come from Crm.")]).toEqual([400, true]);
  });
});
