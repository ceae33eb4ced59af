import { describe, expect, test } from "vitest";
import type { TaskView } from "../../../core/task/view.ts";
import { type Caller, expectProblem, makeCaller } from "../http/entry.ts";
import { arrivedAt, loseAnswers, post, somewhere } from "../outside.ts";
import { config } from "../tenant/client.ts";

const completed = ({ status }: TaskView) => status === "completed";

/** An agent that lets its calls run and asks a person about an unknown outcome. */
async function askingAgent(caller: Caller): Promise<string> {
  const more = {
    permissions: ["read", "network"],
    allowed_domains: ["*"],
    approval: { dangerous: "allow" },
    on_unknown: "ask",
  };
  const made = await caller.send("POST", "/v1/agents", config("asking", more));
  expect(made.status, made.text).toBe(201);
  expect(made.json.on_unknown).toBe("ask");
  return made.json.id;
}

/** A task that waits for a decision on a call whose answer was lost, and where that is given. */
async function waiting(caller: Caller, url: string) {
  loseAnswers(1);
  const first = { calls: [{ name: "get_current_datetime", arguments: {} }, post(url)] };
  const { id } = await caller.makeTask([first, { text: "Done." }], { agent: await askingAgent(caller) });
  const { pending, status } = await caller.until(id, (view) => view.pending.length > 0);
  const [open] = pending;
  if (open?.kind !== "unknown") throw new Error(`nothing is unknown: ${JSON.stringify(pending)}`);
  const path = `/v1/tasks/${id}/ledger/${open.call_id}`;
  return { id, open, status, path, decide: async (decision: string) => await caller.send("POST", path, { decision }) };
}

describe("a call with an unknown outcome", () => {
  test("is listed with its arguments, and the task waits for a person", async () => {
    const caller = await makeCaller();
    const url = somewhere();
    const { id, open, status } = await waiting(caller, url);
    expect(open).toEqual({
      kind: "unknown",
      call_id: expect.stringMatching(/^call_/),
      tool: "http_request",
      arguments: expect.objectContaining({ url, method: "POST" }),
    });
    expect(status).toBe("waiting_approval");
    const { data } = (await caller.send("GET", `/v1/tasks/${id}/ledger`)).json;
    expect(data.map((row: { state: string }) => row.state)).toEqual(["confirmed", "unknown"]);
  });

  test.each([
    ["done", "confirmed", 1],
    ["skip", "unknown", 1],
    ["retry", "confirmed", 2],
  ])("is decided once: %s", async (decision, state, times) => {
    const caller = await makeCaller();
    const url = somewhere();
    const { id, open, path, decide } = await waiting(caller, url);
    expectProblem(await decide("maybe"), 422, "decision");
    const decided = await decide(decision);
    expect([decided.status, decided.json.call_id]).toEqual([200, open.call_id]);
    expect(decided.json.state).toBe(decision === "retry" ? "intended" : state);
    await caller.until(id, completed);
    const { data } = (await caller.send("GET", `/v1/tasks/${id}/ledger`)).json;
    expect(data[1].state).toBe(state);
    expect(await arrivedAt(url)).toHaveLength(times);
    expectProblem(await caller.send("POST", path, { decision }), 409);
  });

  test("is the only one that can be decided", async () => {
    const [caller, stranger] = [await makeCaller(), await makeCaller()];
    const { id, open, path } = await waiting(caller, somewhere());
    const { data } = (await caller.send("GET", `/v1/tasks/${id}/ledger`)).json;
    const decide = async (who: Caller, task: string, call: string) =>
      await who.send("POST", `/v1/tasks/${task}/ledger/${call}`, { decision: "done" });
    expectProblem(await decide(caller, id, data[0].call_id), 409);
    expectProblem(await decide(caller, id, "call_x"), 404);
    expectProblem(await decide(caller, id, open.call_id.replace(/_\d+$/, "_31")), 404);
    const other = await caller.makeTask([], { hold: true });
    expectProblem(await decide(caller, other.id, open.call_id), 404);
    expectProblem(await stranger.send("POST", path, { decision: "done" }), 404);
    const own = await stranger.makeTask([], { hold: true });
    expectProblem(await decide(stranger, own.id, open.call_id), 404);
  });

  test("is reported to the model if the agent does not ask", async () => {
    const caller = await makeCaller();
    loseAnswers(1);
    const more = { permissions: ["read", "network"], allowed_domains: ["*"], approval: { dangerous: "allow" } };
    const agent = (await caller.send("POST", "/v1/agents", config("telling", more))).json.id;
    const { id } = await caller.makeTask([{ calls: [post(somewhere())] }, { text: "Done." }], { agent });
    await caller.until(id, completed);
    const { data } = (await caller.send("GET", `/v1/tasks/${id}/ledger`)).json;
    expect(data[0].state).toBe("unknown");
    expectProblem(await caller.send("POST", `/v1/tasks/${id}/ledger/${data[0].call_id}`, { decision: "done" }), 409);
  });

  test("of a tool that was called over the API is decided at the hidden task", async () => {
    const caller = await makeCaller();
    const url = somewhere();
    const agent = await askingAgent(caller);
    loseAnswers(1);
    const body = { arguments: post(url).arguments, agent };
    const { json } = await caller.send("POST", "/v1/tools/http_request/call", body);
    expect([json.ok, json.error.code]).toEqual([false, "outcome_unknown"]);
    const { task_id, call_id } = json.error.details;
    const path = `/v1/tasks/${task_id}/ledger/${call_id}`;
    expect((await caller.send("POST", path, { decision: "retry" })).status).toBe(200);
    await caller.until(task_id, completed);
    expect(await arrivedAt(url)).toHaveLength(2);
  });
});
