/** Dead events of triggers and their retries, and what becomes of events whose trigger is deleted. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, expect, test, vi } from "vitest";
import { inboxesFromEnv } from "../../../adapters/env/channels.ts";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { getHookInboxName } from "../../../core/channels/webhooks/hook.ts";
import { sweepTriggers } from "../../../workers/triggers/sweep.ts";
import { act } from "../../contracts/database/rows.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { openOffice, readOnly } from "../connections/connect-client.ts";
import { setVariables } from "../variables.ts";
import { SOON } from "../channels/webhooks/hooks-client.ts";
import { connectAtProvider, MAIL, openProvider, readLatest } from "./provider.ts";
import { findProviderId, listReceived, sendBody, settled, toMessage, TRIGGER, TRIGGERS } from "./triggers-client.ts";

afterAll(() => setVariables(env, null));

test("an event that always fails is given up, and its retry is an act of triggers", async () => {
  openProvider([{ ...MAIL, triggers: [TRIGGER] }], { OTTO_PUBLIC_URL: "http://otto.test" });
  const office = await openOffice();
  const ana = await office.add("Ana");
  await connectAtProvider(ana);
  vi.spyOn(console, "error").mockReturnValue(undefined);
  const trigger = { app: "gmail", trigger: TRIGGER, connection: (await readOnly(ana)).id, config: { interval: 1 } };
  const made = await ana.send("POST", TRIGGERS, trigger);
  expect(made.status, made.text).toBe(201);
  const { id } = made.json;
  expect((await office.admin.send("POST", "/v1/kill-switch/stop", {})).status).toBe(200);
  const providerId = await findProviderId((await readLatest(office.tenant)).id);
  expect((await sendBody(toMessage(providerId, { subject: "A" }))).status).toBe(200);
  const inbox = env.INBOXES.get(env.INBOXES.idFromName(getHookInboxName(id)));
  const [dead] = await vi.waitFor(async () => {
    await runInDurableObject(inbox, (_, { storage }) => {
      storage.sql.exec("UPDATE items SET taken_at = 0");
      storage.sql.exec("UPDATE lanes SET due_at = 1");
    });
    await runDurableObjectAlarm(inbox);
    const events = await listReceived(ana, id);
    expect(events).toMatchObject([{ state: "dead" }]);
    return events;
  }, SOON);
  expect((await office.admin.send("POST", "/v1/kill-switch/release", {})).status).toBe(200);
  expect((await ana.send("POST", `${TRIGGERS}/${id}/received/${dead?.message_id}/replay`)).status).toBe(202);
  expect(await settled(ana, id, 1)).toMatchObject([{ state: "done" }]);
  const { data } = (await office.admin.send("GET", `/v1/audit?target=${id}`)).json;
  expect(data.map(({ action }: { action: string }) => action)).toEqual(["trigger.replay", "trigger.create"]);
});

test("the events of a trigger that is deleted with its person are deleted by the sweep", async () => {
  openProvider([{ ...MAIL, triggers: [TRIGGER] }], { OTTO_PUBLIC_URL: "http://otto.test" });
  const office = await openOffice();
  const ana = await office.add("Ana");
  await connectAtProvider(ana);
  const trigger = { app: "gmail", trigger: TRIGGER, connection: (await readOnly(ana)).id, config: { interval: 1 } };
  const { id } = (await ana.send("POST", TRIGGERS, trigger)).json;
  const providerId = await findProviderId((await readLatest(office.tenant)).id);
  expect((await sendBody(toMessage(providerId, { subject: "canary" }))).status).toBe(200);
  await settled(ana, id, 1);
  const count = async () =>
    (await inboxesFromEnv(env)(getHookInboxName(id)).received({ after: null, limit: 10, since: 0 })).items.length;
  valueOf(await databaseFromEnv(env).people.remove(office.tenant, ana.person, act("person.delete", ana.person)));
  const listEnded = async () =>
    valueOf(await databaseFromEnv(env).triggers.endedSince(Date.now() + 3_600_000, 1_000)).map((one) => one.id);
  expect(await listEnded()).toContain(id);
  // One that was on its way may still arrive.
  await sweepTriggers(env, Date.now());
  expect(await count()).toBe(1);
  await sweepTriggers(env, Date.now() + 120_000);
  expect(await count()).toBe(0);
  expect(await listEnded()).not.toContain(id);
});
