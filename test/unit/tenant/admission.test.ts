import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BudgetLimit } from "../../../core/tenant/budget-tree.ts";
import type { PermitReply } from "../../../core/tenant/rpc.ts";
import type { TaskStatus } from "../../../core/task/status.ts";
import { AdmissionController } from "../../../core/tenant/admission.ts";
import { both, limited, limitsOf, moment, NOON, request, Rows, taskReport } from "./admission-rows.ts";

const DAY = 86_400_000;
const kindOf = (reply: PermitReply) => (reply.kind === "queued" ? reply.why : reply.kind);

describe("a task that requests a permit", () => {
  test("is admitted, and its slot goes to the next in the queue when it waits or ends", () => {
    const controller = new AdmissionController(new Rows());
    expect(kindOf(controller.enter(request("a", 1), null, moment(NOON, 1)))).toBe("admitted");
    expect(kindOf(controller.enter(request("b", 1), null, moment(NOON, 1)))).toBe("queue");
    controller.report(taskReport("a", 2, "running"), NOON);
    expect(controller.takeTasksToCall(moment(NOON, 1))).toEqual([]);
    controller.report(taskReport("a", 3, "waiting_input"), NOON);
    expect(controller.takeTasksToCall(moment(NOON, 1))).toEqual(["b"]);
    expect(kindOf(controller.enter(request("b", 1), null, moment(NOON, 1)))).toBe("admitted");
  });

  test("gets a longer permit while no other task waits", () => {
    const controller = new AdmissionController(new Rows());
    const forMs = (task: string, version: number, given: ReturnType<typeof moment>) => {
      const reply = controller.enter(request(task, version), null, given);
      return reply.kind === "admitted" ? reply.forMs : reply.kind;
    };
    expect(forMs("a", 1, moment(NOON, 8, true))).toBe(6000);
    expect(forMs("a", 2, moment(NOON, 8, false))).toBe(2000);
    for (const other of "bcdefg") forMs(other, 1, moment(NOON, 8, true));
    expect(forMs("a", 3, moment(NOON, 8, true))).toBe(6000);
    expect(forMs("h", 1, moment(NOON, 8, true))).toBe(2000);
    expect(forMs("a", 4, moment(NOON, 8, true))).toBe(2000);
  });

  test("keeps its slot through reports that were sent before its request", () => {
    const controller = new AdmissionController(new Rows());
    controller.enter(request("a", 3), null, moment(NOON, 1));
    for (const late of [taskReport("a", 1, "queued"), taskReport("a", 2, "sleeping"), taskReport("a", 3, "sleeping")])
      controller.report(late, NOON);
    expect(kindOf(controller.enter(request("b", 1), null, moment(NOON, 1)))).toBe("queue");
  });

  test("stores no report that it runs, and still ignores what was sent before its request", () => {
    const rows = new Rows();
    const controller = new AdmissionController(rows);
    controller.enter(request("a", 5), null, moment());
    const stored = rows.task("a");
    controller.report(taskReport("a", 6, "running"), NOON);
    expect(rows.task("a")).toBe(stored);
    controller.report(taskReport("a", 4, "waiting_input"), NOON);
    expect(rows.task("a")?.holdsSlot).toBe(true);
    controller.report(taskReport("a", 7, "running", 3), NOON);
    expect(rows.task("a")).toMatchObject({ version: 7, used: both(3) });
    controller.report(taskReport("a", 8, "waiting_input", 3), NOON);
    expect(rows.task("a")).toMatchObject({ version: 8, holdsSlot: false });
  });

  test("that waited counts as running after its request, even if its earlier report comes later", () => {
    const rows = new Rows();
    const controller = new AdmissionController(rows);
    controller.report(taskReport("a", 2, "waiting_input"), NOON);
    controller.enter(request("a", 3), null, moment());
    controller.report(taskReport("a", 3, "waiting_input"), NOON);
    expect(rows.task("a")).toMatchObject({ status: "running", holdsSlot: true });
    controller.enter(request("a", 4), "Stopped.", moment());
    expect(rows.task("a")).toMatchObject({ status: "running", holdsSlot: false });
  });

  test("yields its slot to a key that has none, even after the object restarted", () => {
    const rows = new Rows();
    let controller = new AdmissionController(rows);
    for (const task of ["a", "b"]) controller.enter(request(task, 1), null, moment(NOON, 2));
    controller = new AdmissionController(rows);
    const other = (version: number) => controller.enter(request("c", version, { key: "key_b" }), null, moment(NOON, 2));
    expect(kindOf(other(1))).toBe("queue");
    expect(kindOf(controller.enter(request("a", 2), null, moment(NOON, 2)))).toBe("queue");
    expect(controller.takeTasksToCall(moment(NOON, 2))).toEqual(["c"]);
    expect(kindOf(other(2))).toBe("admitted");
    expect(rows.holders().map(({ task }) => task)).toEqual(["b", "c"]);
    expect(kindOf(controller.enter(request("b", 2), null, moment(NOON, 2)))).toBe("admitted");
  });

  test("takes no slot by a request that arrives after it began to wait", () => {
    const rows = new Rows();
    const controller = new AdmissionController(rows);
    controller.enter(request("a", 3), null, moment());
    controller.report(taskReport("a", 5, "waiting_input", 7), NOON);
    expect(kindOf(controller.enter(request("a", 4, { used: both(9) }), null, moment()))).toBe("queue");
    expect([rows.holders(), rows.sum("tenant ")]).toEqual([[], both(9)]);
    expect(kindOf(controller.enter(request("a", 5), null, moment()))).toBe("admitted");
  });

  test("takes no slot by a request that arrives after its end", () => {
    const rows = new Rows();
    const controller = new AdmissionController(rows);
    controller.report(taskReport("a", 5, "completed", 7), NOON);
    expect(kindOf(controller.enter(request("a", 4), null, moment()))).toBe("queue");
    expect(kindOf(controller.enter(request("a", 6), null, moment()))).toBe("queue");
    expect(rows.holders()).toEqual([]);
  });

  test("has its use counted once, for repeated, late and reordered reports", () => {
    const rows = new Rows();
    const controller = new AdmissionController(rows);
    controller.enter(request("a", 1), null, moment());
    for (const [version, used] of [
      [4, 50],
      [2, 10],
      [4, 50],
      [3, 30],
      [6, 55],
      [5, 52],
    ] as const)
      controller.report(taskReport("a", version, "running", used), NOON);
    for (const account of ["tenant", "key_a", "agent_a"]) expect(rows.sum(`${account} `)).toEqual(both(55));
  });

  test("is stopped, and then holds nothing", () => {
    const { rows, controller } = limited(1000);
    controller.enter(request("a", 1), null, moment());
    expect(controller.enter(request("a", 2), "Stopped.", moment())).toMatchObject({
      kind: "stopped",
      message: "Stopped.",
    });
    expect([rows.holders(), controller.account("tenant", NOON).leasedTokens]).toEqual([[], 0]);
  });

  test("is deleted with its slot and its lease, and its use remains counted", () => {
    const { controller } = limited(1000);
    controller.enter(request("a", 1, { used: both(20) }), null, moment(NOON, 1));
    controller.enter(request("b", 1), null, moment(NOON, 1));
    controller.forget("a");
    expect(controller.takeTasksToCall(moment(NOON, 1))).toContain("b");
    expect(controller.account("tenant", NOON)).toMatchObject({ usedTokens: 20, leasedTokens: 0 });
  });
});

describe("a budget that runs short", () => {
  test("makes the others wait, and calls them one after the other when some of it returns", () => {
    const { controller } = limited(30);
    const wanting = (task: string, version = 1) => request(task, version, { want: both(20) });
    expect(kindOf(controller.enter(wanting("a"), null, moment()))).toBe("admitted");
    expect(["b", "c"].map((task) => kindOf(controller.enter(wanting(task), null, moment())))).toEqual([
      "budget",
      "budget",
    ]);
    controller.report(taskReport("a", 2, "completed", 5), NOON);
    expect(controller.takeTasksToCall(moment())).toEqual(["b"]);
    expect(kindOf(controller.enter(wanting("b"), null, moment()))).toBe("admitted");
    expect(controller.takeTasksToCall(moment())).toEqual(["c"]);
    expect(kindOf(controller.enter(wanting("c"), null, moment()))).toBe("budget");
    expect(controller.takeTasksToCall(moment())).toEqual([]);
    controller.report(taskReport("b", 2, "failed", 25), NOON);
    expect(controller.takeTasksToCall(moment())).toEqual(["c"]);
    expect(kindOf(controller.enter(wanting("c"), null, moment()))).toBe("exceeded");
  });

  test("keeps every permit short while a task waits for it, however many slots are free", () => {
    const { controller } = limited(30);
    const alone = moment(NOON, 100, true);
    const enter = (task: string, version: number) =>
      controller.enter(request(task, version, { want: both(20) }), null, alone);
    expect(enter("a", 1)).toMatchObject({ kind: "admitted", forMs: 6000 });
    expect(kindOf(enter("b", 1))).toBe("budget");
    expect(enter("a", 2)).toMatchObject({ kind: "admitted", forMs: 2000 });
    controller.report(taskReport("b", 2, "cancelled"), NOON);
    expect(enter("a", 3)).toMatchObject({ kind: "admitted", forMs: 6000 });
  });

  test("keeps the order of those who wait, also when they ask again in between", () => {
    const { controller } = limited(30);
    for (const task of ["a", "b", "c", "b"]) controller.enter(request(task, 1, { want: both(30) }), null, moment());
    controller.report(taskReport("a", 2, "completed"), NOON);
    expect(controller.takeTasksToCall(moment())).toEqual(["b"]);
  });

  test("lets the next one try when its limit was raised", () => {
    const { rows, controller } = limited(30);
    for (const task of ["a", "b"]) controller.enter(request(task, 1, { want: both(30) }), null, moment());
    rows.limits.set("tenant", { tokens: 1000, costMicros: null, period: "total" });
    controller.applyLimitChange("tenant");
    expect(controller.takeTasksToCall(moment())).toEqual(["b"]);
    expect(kindOf(controller.enter(request("b", 1, { want: both(30) }), null, moment()))).toBe("admitted");
  });

  test("is refused to a model without a known price where money is limited, until it no longer is", () => {
    const { rows, controller } = limited(1000);
    const admission = request("a", 1, { isPriced: false });
    expect(kindOf(controller.enter(admission, null, moment()))).toBe("admitted");
    rows.limits.set("agent_a", { tokens: null, costMicros: 5_000_000, period: "day" });
    controller.applyLimitChange("agent_a");
    expect(controller.enter({ ...admission, version: 2 }, null, moment())).toMatchObject({
      kind: "exceeded",
      message: expect.stringContaining("PUT /v1/budgets/agent_a"),
    });
    expect(rows.holders()).toEqual([]);
    rows.limits.delete("agent_a");
    controller.applyLimitChange("agent_a");
    expect(kindOf(controller.enter({ ...admission, version: 3 }, null, moment()))).toBe("admitted");
  });

  test("warns from 80 % on", () => {
    const { controller } = limited(100);
    const reply = controller.enter(request("a", 1, { used: both(85) }), null, moment());
    expect(reply).toMatchObject({ near: [{ account: "tenant", kind: "tokens", used: 85, limit: 100 }] });
  });

  test("counts the use of yesterday not for today", () => {
    const { controller } = limited(100, "day");
    expect(kindOf(controller.enter(request("a", 1, { used: both(100) }), null, moment()))).toBe("exceeded");
    expect(kindOf(controller.enter(request("a", 1, { used: both(100) }), null, moment(NOON + DAY)))).toBe("admitted");
  });
});

/** One event of a random run. `lost`: the task never gets the reply. `crash`: the object restarts. */
const stepOf = fc.record({
  task: fc.nat(9),
  what: fc.constantFrom("enter", "enter", "enter", "spend", "wait", "end", "late", "crash", "days", "forget"),
  amount: fc.nat(60),
  lost: fc.boolean(),
});

test("what is spent and leased never passes a limit by more than tasks used beyond their grants, and nothing stays leased or unspent", () => {
  const limits = fc.record({ tenant: fc.integer({ min: 50, max: 900 }), key: fc.integer({ min: 50, max: 900 }) });
  const period = fc.constantFrom<BudgetLimit["period"]>("day", "month", "total");
  fc.assert(
    fc.property(limits, period, fc.array(stepOf, { maxLength: 150 }), (most, span, steps) => {
      const rows = new Rows();
      rows.limits.set("tenant", { tokens: most.tenant, costMicros: null, period: span });
      rows.limits.set("key_0", { tokens: most.key, costMicros: most.key * 2, period: span });
      let [controller, now, beyond] = [new AdmissionController(rows), NOON, 0];
      const world = new Map<string, { version: number; used: number; grant: number; ended: boolean }>();
      const sent: (() => unknown)[] = [];
      const forgotten = new Set<string>();
      const accounts = { tenant: most.tenant, key_0: most.key };
      for (const { task, what, amount, lost } of steps) {
        const [name, key] = [`t${task}`, `key_${task % 2}`];
        const of = world.get(name) ?? { version: 0, used: 0, grant: 0, ended: false };
        world.set(name, of);
        const tell = (status: TaskStatus) => {
          const report = { ...taskReport(name, of.version, status, of.used), key };
          const send = () => (forgotten.has(name) ? undefined : controller.report(report, now));
          sent.push(send);
          if (!lost || status === "completed") send();
        };
        if (what === "crash") controller = new AdmissionController(rows);
        if (what === "days") now += amount * DAY;
        if (what === "late") sent[amount % Math.max(1, sent.length)]?.();
        if (of.ended) continue;
        of.version += 1;
        if (what === "enter") {
          const admission = request(name, of.version, { key, used: both(of.used), want: both(1 + amount) });
          const enter = () =>
            controller.enter(admission, null, { now, limits: limitsOf(4), isAlone: false, random: 0 });
          sent.push(() => (forgotten.has(name) ? undefined : enter()));
          const reply = enter();
          if (reply.kind === "admitted") {
            for (const [account, limit] of Object.entries(accounts)) {
              const { usedTokens, leasedTokens } = controller.account(account, now);
              expect(usedTokens + leasedTokens).toBeLessThanOrEqual(limit + beyond);
            }
          }
          if (!lost) of.grant = reply.kind === "admitted" ? (reply.grant.tokens ?? Infinity) : 0;
        }
        if (what === "spend") {
          of.used += amount;
          beyond += Math.max(0, of.used - Math.max(of.grant, of.used - amount));
          tell("running");
        }
        if (what === "wait") {
          // Without its place a task has no grant any more.
          of.grant = 0;
          tell("waiting_input");
        }
        if (what === "end") {
          of.ended = true;
          tell("completed");
        }
        if (what === "forget") {
          of.ended = true;
          tell("completed");
          controller.forget(name);
          forgotten.add(name);
        }
        for (const account of ["tenant", "key_0", "key_1", "agent_a"])
          expect(controller.account(account, now).leasedTokens).toBe(rows.leased(account));
        expect(rows.holders().length).toBeLessThanOrEqual(4);
      }
      for (const [name, of] of world) {
        if (forgotten.has(name)) continue;
        of.version += 1;
        controller.report(
          { ...taskReport(name, of.version, "completed", of.used), key: `key_${Number(name.slice(1)) % 2}` },
          now,
        );
      }
      // Whatever was sent comes once more, after everything has ended.
      for (const again of sent) again();
      const all = [...world.values()].reduce((total, { used }) => total + used, 0);
      expect(rows.sum("tenant ")).toEqual(both(all));
      expect(rows.sum("key_0 ").tokens + rows.sum("key_1 ").tokens).toBe(all);
      expect(controller.account("tenant", now)).toMatchObject({ leasedTokens: 0, leasedCostMicros: 0 });
    }),
    { numRuns: 400 },
  );
});
