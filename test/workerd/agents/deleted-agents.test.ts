import { expect, test, vi } from "vitest";
import type { TaskView } from "../../../core/task/view.ts";
import { type Agent, config, makeAgent, newTenant, readAll, send, sendJson } from "../tenant/client.ts";

test("a deleted agent is read by id, finishes its tasks, and takes no new ones", async () => {
  const tenant = await newTenant();
  const { body: made } = await makeAgent(tenant, "leaving");
  const task = (agent: string) => ({
    method: "POST",
    path: "/v1/tasks",
    key: tenant.key,
    body: { input: JSON.stringify({ replies: [{ text: "Done." }] }), agent, hold: true },
  });
  const held = await sendJson<TaskView>(task("leaving"));
  expect(held.status).toBe(201);
  const schedule = {
    name: "daily",
    when: { kind: "interval", every_seconds: 3600 },
    task: { input: "x", agent: "leaving" },
  };
  const scheduled = await sendJson<{ id: string }>({
    method: "POST",
    path: "/v1/schedules",
    key: tenant.key,
    body: schedule,
  });
  expect(scheduled.status, JSON.stringify(scheduled.body)).toBe(201);
  const gone = { method: "DELETE", path: "/v1/agents/leaving", key: tenant.key };
  expect((await send(gone)).status).toBe(204);
  expect((await send({ ...gone, path: `/v1/agents/${made.id}` })).status).toBe(404);
  expect((await send({ ...gone, path: "/v1/agents/agent_default" })).status).toBe(409);

  for (const agent of ["leaving", made.id]) expect((await send(task(agent))).status).toBe(404);
  const put = { method: "PUT", path: `/v1/agents/${made.id}`, key: tenant.key, body: config("leaving") };
  expect((await send(put)).status).toBe(404);
  const key = { name: "bound", scopes: ["tasks:read"], agents: [made.id] };
  expect((await send({ method: "POST", path: "/v1/keys", key: tenant.key, body: key })).status).toBe(422);
  expect((await send({ path: "/v1/agents/leaving", key: tenant.key })).status).toBe(404);
  const read = await sendJson<Agent>({ path: `/v1/agents/${made.id}`, key: tenant.key });
  expect(read.body).toEqual({ ...made, archived_at: expect.any(String) });
  const listed = await readAll<Agent>("/v1/agents", tenant.key, 10);
  expect(listed.map(({ id }) => id)).toEqual(["agent_default"]);

  const path = `/v1/tasks/${held.body.id}`;
  expect((await send({ method: "POST", path: `${path}/start`, key: tenant.key })).status).toBe(200);
  await vi.waitFor(
    async () => expect((await sendJson<TaskView>({ path, key: tenant.key })).body.status).toBe("completed"),
    { timeout: 20_000 },
  );
  const run = `/v1/schedules/${scheduled.body.id}/run`;
  expect((await send({ method: "POST", path: run, key: tenant.key })).status).toBe(202);
  await vi.waitFor(
    async () => {
      const runs = await sendJson<{ data: { state: string; why: string | null }[] }>({
        path: `/v1/schedules/${scheduled.body.id}/occurrences`,
        key: tenant.key,
      });
      expect(runs.body.data[0]).toMatchObject({ state: "failed", why: "There is no agent with this id or name." });
    },
    { timeout: 20_000 },
  );
  expect((await makeAgent(tenant, "leaving")).status).toBe(201);
});
