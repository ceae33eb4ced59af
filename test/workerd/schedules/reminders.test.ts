/** Reminders that tasks set: by the port, and through the gateway. */
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { openTaskReminders } from "../../../workers/schedules/task-reminders.ts";
import { remindersSuite } from "../../contracts/schedules/reminders-suite.ts";
import { type Caller, makeCaller } from "../http/entry.ts";

async function addPerson(caller: Caller, name: string, timeZone = "UTC"): Promise<void> {
  const addresses = [{ kind: "email", address: `${name.toLowerCase().replaceAll(" ", ".")}@example.com` }];
  const made = await caller.send("POST", "/v1/people", { name, addresses, time_zone: timeZone });
  expect(made.status, made.text).toBe(201);
}

remindersSuite("the schedules of a tenant", async (deliver, people) => {
  const caller = await makeCaller();
  for (const { name, timeZone } of people) await addPerson(caller, name, timeZone);
  return openTaskReminders(env, { tenant: caller.tenant, deliver });
});

test("a model sets a reminder, and the person is notified when it is due", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const caller = await makeCaller();
  await addPerson(caller, "Ana Lima");
  const ana = (await caller.send("GET", "/v1/people")).json.data[0].id;
  const agent = await caller.send("POST", "/v1/agents", {
    name: "reminds",
    instructions: "",
    tools: ["set_reminder"],
    permissions: ["write"],
    approval: { cautious: "allow" },
  });
  const call = { name: "set_reminder", arguments: { message: "Stand up.", every: "0 9 * * *", person: "Ana" } };
  const { id } = await caller.makeTask([{ calls: [call] }, { text: "Done." }], {
    agent: agent.json.id,
    acts_for: ana,
  });
  await caller.until(id, ({ status }) => status === "completed");
  const [row] = (await caller.send("GET", `/v1/tasks/${id}/ledger`)).json.data;
  expect(row).toMatchObject({ tool: "set_reminder", effect: "keyed", state: "confirmed" });
  const { reminder_id } = row.result.result;
  const { data } = (await caller.send("GET", "/v1/schedules")).json;
  // What a model makes acts for nobody, also if its task acts for a person.
  const reminder = { text: "Stand up.", to: [{ channel: "person" }] };
  expect(data).toMatchObject([{ id: reminder_id, reminder, acts_for: null }]);
  const [act] = (await caller.send("GET", "/v1/audit")).json.data;
  expect(act).toMatchObject({ action: "schedule.create", target: reminder_id, actor: "otto" });

  const stub = () => env.SCHEDULES.get(env.SCHEDULES.idFromName(`${caller.tenant}/${reminder_id}`));
  await runInDurableObject(stub(), (_, state) => {
    const due = Date.now() - 1_000;
    const [stored] = state.storage.sql.exec<{ state: string }>("SELECT state FROM schedule").toArray();
    const changed = { ...JSON.parse(stored?.state ?? "{}"), next: { due, at: due } };
    state.storage.sql.exec("UPDATE schedule SET state = ?", JSON.stringify(changed));
  });
  await abortAllDurableObjects();
  await runDurableObjectAlarm(stub());
  await vi.waitFor(
    async () => {
      const sent = (await caller.send("GET", "/v1/deliveries")).json.data;
      expect(sent).toMatchObject([{ kind: "reminder", channel: "email", to: "ana.lima@example.com" }]);
    },
    { timeout: 20_000, interval: 50 },
  );
});
