/** The routes and tasks that a key with bounds may reach. */
import { describe, expect, it } from "vitest";
import {
  checkRequest,
  checkStart,
  checkTask,
  findUnboundScope,
  isInBounds,
  isRouteOpen,
  type KeyBounds,
  toKeyBounds,
} from "../../../core/tenant/key-bounds.ts";

const SALES: KeyBounds = { projects: ["sales", "support"], agents: null };
const BILLING: KeyBounds = { projects: null, agents: ["agent_1"] };
const agent = (id: string) => ({ id, name: `name of ${id}` });

describe("the bounds of a key", () => {
  it("are null for a record of an earlier release, and for one without bounds", () => {
    expect(toKeyBounds({})).toBeNull();
    expect(toKeyBounds({ projects: null, agents: null })).toBeNull();
    expect(toKeyBounds({ projects: ["sales"] })).toEqual({ projects: ["sales"], agents: null });
  });

  it("exclude content of another project, and content without one", () => {
    expect(["sales", "support", "legal", null].map((project) => isInBounds(SALES, project))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    for (const bounds of [null, BILLING]) expect(isInBounds(bounds, null)).toBe(true);
    expect(checkTask(SALES, { project: "legal" })).toMatchObject({ ok: false, error: { code: "not_found" } });
    expect(checkTask(SALES, { project: "sales" }).ok).toBe(true);
  });

  it.each<[string, KeyBounds | null, string | null, string, string | null, string]>([
    ["no bounds", null, null, "agent_9", null, ""],
    ["one of its projects", SALES, "sales", "agent_9", null, ""],
    ["no project", SALES, null, "agent_9", "invalid_input", "project"],
    ["another project", SALES, "legal", "agent_9", "not_found", "project"],
    ["its agent", BILLING, null, "agent_1", null, ""],
    ["another agent", BILLING, "legal", "agent_default", "forbidden", "agent"],
    [
      "one of its projects, another agent",
      { ...SALES, ...BILLING, projects: ["sales"] },
      "sales",
      "agent_2",
      "forbidden",
      "agent",
    ],
  ])("decide the start of a task: %s", (_, bounds, project, id, code, field) => {
    const checked = checkStart(bounds, { project, agent: agent(id) });
    expect(checked).toMatchObject(code === null ? { ok: true } : { ok: false, error: { code, field } });
  });

  it.each([
    ["GET", "/v1/tasks/task_1/files/a.md", true],
    ["HEAD", "/v1/tasks/task_1", true],
    ["POST", "/v1/tasks/task_1/cancel", true],
    ["POST", "/v1/tasks/task_1/start", false],
    ["POST", "/v1/tasks/task_1/messages", false],
    ["POST", "/v1/tasks/task_1/questions/q_1/answer", false],
    ["POST", "/v1/tasks/task_1/approvals/ap_1", false],
    ["POST", "/v1/tasks/task_1/ledger/call_1", false],
    ["PUT", "/v1/tasks/task_1/files/cancel", false],
    ["POST", "/v1/tasks/task_1/file-versions/a/cancel", false],
    ["DELETE", "/v1/tasks/task_1/files/a.md", false],
    ["DELETE", "/v1/tasks/task_1", false],
    ["PATCH", "/v1/tasks/task_1", false],
  ])("with agents, of another agent's task: %s %s — %s", (method, path, allowed) => {
    const other = checkRequest(BILLING, method, path, agent("agent_2"));
    expect(other).toMatchObject(allowed ? { ok: true } : { ok: false, error: { code: "forbidden" } });
    expect(checkRequest(BILLING, method, path, agent("agent_1")).ok).toBe(true);
    expect(checkRequest(SALES, method, path, agent("agent_2")).ok).toBe(true);
  });

  it("cannot go with the scope admin", () => {
    expect(findUnboundScope(["tasks:read", "admin"])).toBe("admin");
    expect(findUnboundScope(["tasks:read", "tasks:write", "tools:call"])).toBeNull();
  });
});

describe("the routes of a bound key", () => {
  it.each([
    ["GET", "/v1/tasks", true],
    ["HEAD", "/v1/tasks", true],
    ["POST", "/v1/tasks", true],
    ["GET", "/v1/tasks/task_1", true],
    ["PUT", "/v1/tasks/task_1/files/a/b.txt", true],
    ["POST", "/v1/tools/http.get/call", true],
    ["GET", "/v1/tools", true],
    ["DELETE", "/v1/memory/mem_1", true],
    ["DELETE", "/v1/session", true],
    ["GET", "/v1/schedules", false],
    ["GET", "/v1/deliveries/del_1", false],
    ["GET", "/v1/incoming-webhooks", false],
    ["GET", "/v1/mail/outbox", false],
    ["DELETE", "/v1/projects/sales", false],
    ["POST", "/v1/tools/http.get/reload", false],
    ["POST", "/webhook/orders", false],
    ["GET", "/v1/taskss", false],
    ["GET", "/v1/tasks\n/v1/schedules", false],
    ["GET", "/v1/a-route-of-tomorrow", false],
  ])("with projects are the routes that filter: %s %s is %s", (method, path, isOpen) => {
    expect(isRouteOpen(SALES, method, path)).toBe(isOpen);
    expect(isRouteOpen(null, method, path)).toBe(true);
  });

  it("with agents are all routes but those that start or confirm tasks without naming their agent", () => {
    expect(isRouteOpen(BILLING, "GET", "/v1/schedules")).toBe(true);
    expect(isRouteOpen(BILLING, "POST", "/v1/schedules/sched_1/run")).toBe(false);
    expect(isRouteOpen(BILLING, "POST", "/v1/schedules/sched_1/confirm")).toBe(false);
    expect(isRouteOpen(BILLING, "POST", "/webhook/orders")).toBe(false);
  });
});
