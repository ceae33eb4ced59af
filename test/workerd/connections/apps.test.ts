/** The list of the apps to which people connect accounts. */
import { expect, test } from "vitest";
import { makeCaller } from "../http/entry.ts";
import { addApp, openOffice } from "./connect-client.ts";

test("the apps are listed by title, with whose accounts they take, to everyone of the tenant alone", async () => {
  const office = await openOffice();
  await addApp(office.tenant, "shop", { title: "A shop", per: "shared", kind: "api_key", at: null });
  await addApp(office.tenant, "mine", { title: "Mine", per: "person" });
  await addApp(office.tenant, "gone", { title: "Gone", isRemoved: true });
  const listed = await (await office.add("Ana", ["tasks:read"])).send("GET", "/v1/apps");
  expect(listed.status, listed.text).toBe(200);
  expect(listed.json.data).toEqual([
    { app: "shop", title: "A shop", provider: "key", owners: ["shared"] },
    { app: "crm", title: "Crm", provider: "oauth", owners: ["me", "shared"] },
    { app: "mine", title: "Mine", provider: "oauth", owners: ["me"] },
  ]);
  expect((await (await makeCaller()).send("GET", "/v1/apps")).json.data).toEqual([]);
});
