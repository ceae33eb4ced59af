import { expect, test, vi } from "vitest";
import { expectProblem, makeCaller } from "../http/entry.ts";

const today = () => new Date().toISOString().slice(0, 10);

test("usage is listed by day, agent and project, including calls over the API and erased tasks", async () => {
  const caller = await makeCaller();
  const task = await caller.makeTask([{ text: "Done." }], { project: "sales" });
  await caller.until(task.id, ({ status }) => status === "completed");
  await caller.send("POST", "/v1/tools/get_current_datetime/call", { arguments: {} });
  const read = async (query = "") => (await caller.send("GET", `/v1/usage${query}`)).json;
  const before = await vi.waitFor(
    async () => {
      const usage = await read("?by=day,agent,project");
      expect(usage.total).toMatchObject({ tasks: 1, steps: 1, tool_calls: 1 });
      return usage;
    },
    { timeout: 20_000 },
  );
  expect(before.total.tokens).toBeGreaterThan(0);
  expect(before.data).toMatchObject([
    { day: today(), agent: "agent_default", project: null, tasks: 0, tool_calls: 1, tokens: 0 },
    { day: today(), agent: "agent_default", project: "sales", tasks: 1, steps: 1, tokens: before.total.tokens },
  ]);
  expect((await caller.send("DELETE", `/v1/tasks/${task.id}`)).status).toBe(200);
  await vi.waitFor(async () => expect((await caller.send("GET", "/v1/tasks")).json.data).toEqual([]), {
    timeout: 20_000,
  });
  expect((await read("?by=day,agent,project")).data).toEqual(before.data);
  const { data } = await read("?by=key");
  expect(data).toMatchObject([{ key: expect.stringMatching(/^key_/), tasks: 1 }]);
  expect((await read("?from=2020-01-01&to=2020-01-31")).total).toMatchObject({ tasks: 0, tokens: 0 });
  const other = await makeCaller();
  expect((await other.send("GET", "/v1/usage")).json).toMatchObject({ data: [], total: { tasks: 0, tokens: 0 } });
});

test.each([
  ["?by=colour", "by"],
  ["?by=day;agent", "by"],
  ["?from=yesterday", "from"],
  ["?from=2026-02-30", "from"],
  ["?from=2026-01-02&to=2026-01-01", "to"],
  ["?from=2020-01-01&to=2026-01-01", "from"],
  ["?until=2026-01-01", "until"],
])("a request for use is refused by the field at fault: %s", async (query, field) => {
  expectProblem(await (await makeCaller()).send("GET", `/v1/usage${query}`), 422, field);
});

test("usage is listed for administrators' keys only", async () => {
  expectProblem(await (await makeCaller(["tasks:read"])).send("GET", "/v1/usage"), 403);
});
