/** A link begins one consent, and a consent counts once. */
import { expect, test } from "vitest";
import { newBrowser } from "../mcp/consent-client.ts";
import { agree, askLink, begin, openOffice, readOnly } from "./connect-client.ts";

test("a link that was used works in no browser, at no step", async () => {
  const office = await openOffice();
  const ana = await office.add("Ana");
  const path = await askLink(ana);
  const browser = newBrowser();
  await begin(browser, path);
  for (const again of [browser, newBrowser()]) {
    expect((await again.visit(path)).status).toBe(410);
    const used = await again.submit(`${path}/go`);
    expect([used.status, used.text.includes("This link was used.")]).toEqual([410, true]);
  }
});

test("of two requests at the same time with one link, one begins a consent", async () => {
  const office = await openOffice();
  const path = await askLink(await office.add("Ana"));
  const answers = await Promise.all([newBrowser(), newBrowser()].map((browser) => browser.submit(`${path}/go`)));
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([303, 410]);
});

test("an older link does not work after a newer one, and a newer one replaces an open consent", async () => {
  const office = await openOffice();
  const ana = await office.add("Ana");
  const older = await askLink(ana);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const newer = await askLink(ana);
  const browser = newBrowser();
  const first = await agree(await begin(browser, newer), "ana");
  expect((await newBrowser().submit(`${older}/go`)).status).toBe(410);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const second = await agree(await begin(browser, await askLink(ana)), "ben");
  const replaced = await browser.visit(first);
  expect([replaced.status, replaced.text.includes("This link was used.")]).toEqual([410, true]);
  expect((await browser.visit(second)).status).toBe(200);
  expect(await readOnly(ana)).toMatchObject({ label: "ben@acme.example" });
});

test("a link of another alias or app is another connection's", async () => {
  const office = await openOffice();
  const ana = await office.add("Ana");
  const paths = [await askLink(ana), await askLink(ana, { alias: "work" })];
  const browser = newBrowser();
  for (const path of paths) await browser.visit(await agree(await begin(browser, path), "ana"));
  const { data } = (await ana.send("GET", "/v1/connections")).json;
  expect(data).toMatchObject([
    { alias: "work", is_default: false, status: "active" },
    { alias: null, is_default: true, status: "active" },
  ]);
});

test("a repeated callback changes nothing, and says what became of the first", async () => {
  const office = await openOffice();
  const ana = await office.add("Ana");
  const browser = newBrowser();
  const back = await agree(await begin(browser, await askLink(ana)), "ana");
  expect((await browser.visit(back)).status).toBe(200);
  const before = await readOnly(ana);
  const again = await browser.visit(back);
  expect([again.status, again.text.includes("This link was used. Crm is connected as ana@acme.example.")]).toEqual([
    410,
    true,
  ]);
  expect(await readOnly(ana)).toEqual(before);
});
