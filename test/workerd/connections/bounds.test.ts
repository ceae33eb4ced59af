/** Bounds of connecting: pages of the list, sizes of forms, and how many connections an owner has. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { connectionTableFromEnv } from "../../../adapters/env/connections.ts";
import { MAX_OF_OWNER } from "../../../core/connections/rules.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { expectProblem, knock } from "../http/entry.ts";
import { newBrowser } from "../mcp/consent-client.ts";
import { askLink, connect, openOffice } from "./connect-client.ts";

test("a list comes in pages, and refuses what is no cursor or limit", async () => {
  const office = await openOffice();
  const ana = await office.add("Ana");
  for (const alias of ["one", "two", "three"]) await connect(ana, "ana", { alias });
  const first = (await ana.send("GET", "/v1/connections?limit=2")).json;
  expect(first.data.map(({ alias }: { alias: string }) => alias)).toEqual(["three", "two"]);
  const second = (await ana.send("GET", `/v1/connections?limit=2&cursor=${first.next_cursor}`)).json;
  expect(second.data.map(({ alias }: { alias: string }) => alias)).toEqual(["one"]);
  expect(second.next_cursor).toBeNull();
  for (const [query, field] of [
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["cursor=x", "cursor"],
    ["owner=ana", "owner"],
    [`app=${"x".repeat(201)}`, "app"],
    ["status=active", "status"],
  ] as const)
    expectProblem(await ana.send("GET", `/v1/connections?${query}`), 422, field);
});

test("an owner has a limited number of connections, and the page says so without using the link up", async () => {
  const office = await openOffice({ kind: "bearer", at: null });
  const ana = await office.add("Ana");
  const table = connectionTableFromEnv(env, office.tenant);
  const aliases = Array.from({ length: MAX_OF_OWNER }, (_, index) => `alias ${index}`);
  for (const alias of aliases) valueOf(await table.ensure({ app: "crm", person: ana.person, alias }, "key"));
  const path = await askLink(ana);
  const refused = await newBrowser().submit(`${path}/go`, { "field.token": "key" });
  expect([refused.status, refused.text.includes(`at most ${MAX_OF_OWNER} connections`)]).toEqual([403, true]);
  // One that exists is reconnected.
  const known = await newBrowser().submit(`${await askLink(ana, { alias: "alias 7" })}/go`, { "field.token": "key" });
  expect(known.status, known.text).toBe(200);
});

test("a form is at most 64 kB, and is a form", async () => {
  const office = await openOffice({ kind: "bearer", at: null });
  const ana = await office.add("Ana");
  const path = `${await askLink(ana)}/go`;
  const ours = { "sec-fetch-site": "same-origin" };
  const large = await newBrowser().submit(path, { "field.token": "x".repeat(65_536) });
  expect(large.status).toBe(413);
  for (const type of ["application/json", "text/plain", "multipart/form-data; boundary=x"])
    expect((await knock("POST", path, { body: "{}", headers: { ...ours, "content-type": type } })).status).toBe(415);
  expect((await knock("POST", path, { headers: ours })).status).toBe(415);
  expect((await newBrowser().submit(path, { "field.token": "key" })).status).toBe(200);
});

test("what is no state, no method and no path of the pages is refused", async () => {
  expectProblem(await knock("GET", "/connect/callback"), 422, "state");
  expectProblem(await knock("GET", `/connect/callback?state=${"x".repeat(4_001)}`), 422, "state");
  expectProblem(await knock("GET", "/connect/callback?state=a&state=b"), 422, "state");
  expectProblem(await knock("DELETE", "/connect/callback"), 405);
  expectProblem(await knock("GET", "/connect/x/go"), 405);
  expectProblem(await knock("GET", "/connect/x/y/z"), 404);
});
