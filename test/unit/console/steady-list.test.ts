import { describe, expect, it } from "vitest";
import { followList, NO_ROWS, type SteadyList } from "../../../web/src/pages/tasks/steady-list.ts";

interface Row {
  readonly id: string;
  readonly created_at: string;
  readonly status: string;
}

/** A row made in the given minute; the later, the higher in the list. */
function row(minute: number, status = "running"): Row {
  return { id: `task ${minute}`, created_at: `2026-11-21T10:${String(minute).padStart(2, "0")}:00.000Z`, status };
}

function listOf(...rows: readonly Row[]): SteadyList<Row> {
  return followList<Row>(NO_ROWS, rows, { isHeld: false, hasMore: false });
}

function ids({ rows }: SteadyList<Row>): string[] {
  return rows.map(({ item, isGone }) => `${item.id}${isGone ? " gone" : ""}`);
}

describe("the list of tasks", () => {
  it("renders the latest read while the list is not held", () => {
    const next = followList(listOf(row(2), row(1)), [row(3), row(2), row(1)], { isHeld: false, hasMore: false });
    expect(ids(next)).toEqual(["task 3", "task 2", "task 1"]);
    expect(next.waiting).toBe(0);
  });

  it("leaves every row in its position while the list is held, and counts the new ones", () => {
    const next = followList(listOf(row(2), row(1)), [row(4), row(3), row(2, "completed"), row(1)], {
      isHeld: true,
      hasMore: false,
    });
    expect(ids(next)).toEqual(["task 2", "task 1"]);
    expect(next.rows[0]?.item.status).toBe("completed");
    expect(next.waiting).toBe(2);
  });

  it("marks a row that no longer matches, and leaves it in position", () => {
    const next = followList(listOf(row(3), row(2), row(1)), [row(3), row(1)], { isHeld: true, hasMore: false });
    expect(ids(next)).toEqual(["task 3", "task 2 gone", "task 1"]);
  });

  it("knows a row that new ones pushed to the next page from one that is gone", () => {
    const next = followList(listOf(row(2), row(1)), [row(3), row(2)], { isHeld: true, hasMore: true });
    expect(ids(next)).toEqual(["task 2", "task 1"]);
    expect(next.waiting).toBe(1);
  });

  it("counts no older task that moved up from the next page as new", () => {
    const next = followList(listOf(row(9), row(8)), [row(9), row(7)], { isHeld: true, hasMore: true });
    expect(next.waiting).toBe(0);
  });

  it("fills an empty list at once", () => {
    expect(ids(followList(listOf(), [row(1)], { isHeld: true, hasMore: false }))).toEqual(["task 1"]);
  });
});
