/** Permits that go along with what creates or wakes a task: the tenant's side. */
import { describe, expect, test } from "vitest";
import { AdmissionController } from "../../../core/tenant/admission.ts";
import { both, limited, moment, NOON, request, Rows, taskReport } from "./admission-rows.ts";

describe("short permits", () => {
  test("are for tenants without limits, and an ended task frees its place", () => {
    const controller = new AdmissionController(new Rows());
    const given = () => controller.permitNew("key_a", 1, moment(NOON, 2));
    expect(given()).toEqual({ forMs: 2000 });
    expect(given()).toBeNull();
    controller.report(taskReport("a", 1, "completed", 5), NOON);
    expect(given()).toEqual({ forMs: 2000 });
    expect(limited(1_000_000).controller.permitNew("key_a", 1, moment())).toBeNull();
  });

  test("a task that runs under one takes its place with its first report, and its use is counted", () => {
    const rows = new Rows();
    const controller = new AdmissionController(rows);
    controller.permitNew("key_a", 1, moment());
    controller.report(taskReport("a", 2, "running", 7), NOON);
    expect(rows.task("a")).toMatchObject({ holdsSlot: true, used: both(7) });
    expect(controller.use).toEqual({ held: 1, queued: 0 });
    controller.report(taskReport("b", 2, "running"), NOON);
    expect(rows.task("b")).toMatchObject({ holdsSlot: false });
  });

  test("only a calm tenant without limits lets a permit pass from task to task", () => {
    const enter = (controller: AdmissionController, given: ReturnType<typeof moment>) =>
      controller.enter(request("a", 1), null, given);
    expect(enter(new AdmissionController(new Rows()), moment(NOON, 8, true))).toMatchObject({ isTransferable: true });
    expect(enter(new AdmissionController(new Rows()), moment(NOON, 8, false))).not.toHaveProperty("isTransferable");
    expect(enter(limited(1_000_000).controller, moment(NOON, 8, true))).not.toHaveProperty("isTransferable");
  });
});
