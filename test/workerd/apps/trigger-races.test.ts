/** Triggers whose requests to the provider meet others: nothing that is active here is gone or disabled there. */
import { env } from "cloudflare:workers";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { appProviderFromEnv } from "../../../adapters/env/apps.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import { sweepTriggers } from "../../../workers/triggers/sweep.ts";
import { type Member, type Office, openOffice, readOnly } from "../connections/connect-client.ts";
import { setVariables } from "../variables.ts";
import { connectAtProvider, control, MAIL, openProvider, readLatest } from "./provider.ts";
import { expectTasks, findProviderId, sendBody, settled, toMessage, TRIGGER, TRIGGERS } from "./triggers-client.ts";

const DAY_MS = 86_400_000;
const MAIL_DATA = { subject: "A" };

let used: Env;
let office: Office;
let ana: Member;
let account: string;
let wanted: object;

beforeEach(async () => {
  used = openProvider([{ ...MAIL, triggers: [TRIGGER] }], { OTTO_PUBLIC_URL: "http://otto.test" });
  office = await openOffice();
  ana = await office.add("Ana");
  await connectAtProvider(ana);
  account = (await readLatest(office.tenant)).id;
  wanted = { app: "gmail", trigger: TRIGGER, connection: (await readOnly(ana)).id, config: { interval: 1 } };
});
afterAll(() => setVariables(env, null));

async function makeTrigger(): Promise<string> {
  const made = await ana.send("POST", TRIGGERS, wanted);
  expect(made.status, made.text).toBe(201);
  return made.json.id;
}

const stateOf = async (id: string) => (await ana.send("GET", `${TRIGGERS}/${id}`)).json.state;

function triggersOfProvider() {
  const provider = appProviderFromEnv(used);
  if (provider === null) throw new Error("there is no provider");
  return provider.triggers;
}

test("one that is created again while it is being deleted is created at the provider too", async () => {
  const first = await makeTrigger();
  const provider = triggersOfProvider();
  const remove = provider.remove.bind(provider);
  let second = "";
  const removed = vi.spyOn(provider, "remove").mockImplementationOnce(async (id) => {
    second = await makeTrigger();
    return await remove(id);
  });
  expect((await ana.send("DELETE", `${TRIGGERS}/${first}`)).status).toBe(200);
  await vi.waitFor(() => expect(removed.mock.settledResults[0]).toMatchObject({ value: { ok: true } }));
  await vi.waitFor(async () => {
    await sweepTriggers(used, Date.now() + DAY_MS);
    expect(await stateOf(second)).toBe("active");
    await findProviderId(account);
  });
});

test("an event that arrives while one is resumed is sent again by the provider, and becomes a task then", async () => {
  const id = await makeTrigger();
  const providerId = await findProviderId(account);
  expect((await ana.send("POST", `${TRIGGERS}/${id}/pause`)).status).toBe(200);
  await control({ accounts: { fault: "error", times: 1, of: "trigger_instances" } });
  expect((await ana.send("POST", `${TRIGGERS}/${id}/resume`)).json.state).toBe("pending");
  const event = { id: `msg_${crypto.randomUUID()}` };
  vi.spyOn(console, "error").mockReturnValue(undefined);
  expect((await sendBody(toMessage(providerId, MAIL_DATA), event)).status).toBeGreaterThanOrEqual(500);
  await sweepTriggers(used, Date.now() + DAY_MS);
  expect(await stateOf(id)).toBe("active");
  expect((await sendBody(toMessage(providerId, MAIL_DATA), event)).status).toBe(200);
  expect(await settled(ana, id, 1)).toMatchObject([{ state: "done" }]);
  await expectTasks(office.admin, 1);
});

test("one that is paused while it is created stays paused", async () => {
  const provider = triggersOfProvider();
  const upsert = provider.upsert.bind(provider);
  vi.spyOn(provider, "upsert").mockImplementationOnce(async (trigger) => {
    const [{ id }] = (await ana.send("GET", TRIGGERS)).json.data;
    expect((await ana.send("POST", `${TRIGGERS}/${id}/pause`)).status).toBe(200);
    return await upsert(trigger);
  });
  const made = await ana.send("POST", TRIGGERS, wanted);
  expect(made.json).toMatchObject({ state: "paused" });
  expect((await control()).triggers.filter((one) => one.account === account)).toEqual([]);
});
