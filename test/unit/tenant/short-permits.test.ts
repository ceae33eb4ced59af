/** Permits that go along with what creates or wakes a task: the tenant's side. */
import { describe, expect, test } from "vitest";
import { AdmissionController } from "../../../core/tenant/admission.ts";
import { both, limited, moment, NOON, request, Rows, taskReport } from "./admission-rows.ts";

describe("short permits", () => {
  test("are for tenants without limits, and an ended task frees its slot", () => {
    const controller = new AdmissionController(new Rows());
    const given = () => controller.permitNew("key_a", 1, moment(NOON, 2));
    expect(given()).toEqual({ forMs: 2000 });
    expect(given()).toBeNull();
    controller.report(taskReport("a", 1, "completed", 5), NOON);
    expect(given()).toEqual({ forMs: 2000 });
    expect(limited(1_000_000).controller.permitNew("key_a", 1, moment())).toBeNull();
  });

  test("a task that runs under one takes its slot with its first report, and its use is counted", () => {
    const rows = new Rows();
    const controller = new AdmissionController(rows);
    controller.permitNew("key_a", 1, moment());
    controller.report(taskReport("a", 2, "running", 7), NOON);
    expect(rows.task("a")).toMatchObject({ holdsSlot: true, used: both(7) });
    expect(controller.use).toEqual({ held: 1, queued: 0 });
    controller.report(taskReport("b", 2, "running"), NOON);
    expect(rows.task("b")).toMatchObject({ holdsSlot: false });
  });

  test("the end or wait of a task that the tenant knows frees no slot of another task", () => {
    const controller = new AdmissionController(new Rows());
    controller.report(taskReport("draft", 1, "queued"), NOON);
    controller.report(taskReport("waiting", 1, "waiting_input"), NOON);
    controller.permitNew("key_a", 1, moment(NOON, 2));
    for (const [version, status] of [
      [2, "cancelled"],
      [3, "cancelled"],
    ] as const) {
      controller.report(taskReport("draft", version, status), NOON);
      controller.report(taskReport("waiting", version, status), NOON);
      expect(controller.permitNew("key_a", 1, moment(NOON, 2))).toBeNull();
    }
  });

  test("a task that waits for a slot takes no slot of another task with its report", () => {
    const rows = new Rows();
    const controller = new AdmissionController(rows);
    const full = moment(NOON, 8);
    controller.permitNew("key_a", 7, full);
    expect(controller.enter(request("first", 1), null, full).kind).toBe("admitted");
    expect(controller.enter(request("second", 1), null, full).kind).toBe("queued");
    controller.report(taskReport("second", 2, "running"), NOON);
    expect(rows.task("second")).toMatchObject({ holdsSlot: false });
    expect(controller.use).toEqual({ held: 1, queued: 1 });
    // The reservations have expired: it is called once, and an offer that expires takes nothing from it.
    const later = moment(NOON + 2000, 8);
    expect(controller.takeTasksToCall(later)).toEqual(["second"]);
    expect(controller.enter(request("second", 3), null, later).kind).toBe("admitted");
    expect(controller.takeTasksToCall(moment(NOON + 4001, 8))).toEqual([]);
    expect(controller.use).toEqual({ held: 2, queued: 0 });
  });

  test("only a calm tenant without limits lets a permit pass from task to task", () => {
    const enter = (controller: AdmissionController, given: ReturnType<typeof moment>) =>
      controller.enter(request("a", 1), null, given);
    expect(enter(new AdmissionController(new Rows()), moment(NOON, 8, true))).toMatchObject({ isTransferable: true });
    expect(enter(new AdmissionController(new Rows()), moment(NOON, 8, false))).not.toHaveProperty("isTransferable");
    expect(enter(limited(1_000_000).controller, moment(NOON, 8, true))).not.toHaveProperty("isTransferable");
  });
});
