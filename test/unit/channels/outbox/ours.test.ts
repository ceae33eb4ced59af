/** Attempts that Otto itself could not make. */
import { expect, test } from "vitest";
import { applyOutcome, createRow, startAttempt, type QueuedDelivery } from "../../../../core/channels/outbox/rules.ts";
import { START } from "../../../contracts/database/rows.ts";

const HOUR = 3_600_000;

const waiting: QueuedDelivery = createRow(
  {
    id: "dlv_a",
    tenant: "ten_a",
    channel: "webhook",
    to: "whk_a",
    kind: "event",
    task: null,
    about: null,
    content: {},
    lane: "dlv_a",
    slot: null,
    keepAs: null,
    refs: [],
    notBefore: 0,
    otherwise: [],
    createdAt: START,
  },
  START,
);

test("a delivery survives hours of an outage of Otto, with all its tries left, and is sent within seconds of its end", () => {
  let row = waiting;
  let now = START;
  for (; now < START + 5 * HOUR; now = row.dueAt) {
    row = applyOutcome(startAttempt(row, now), { kind: "later", why: "away", afterMs: null, isOurs: true }, now);
    expect(row.state).toBe("waiting");
    expect(row.dueAt - now).toBeLessThan(20_000);
  }
  expect([row.tries, row.triedSince]).toEqual([0, null]);
  let tries = 0;
  for (; row.state === "waiting"; tries += 1) {
    now = row.dueAt;
    row = applyOutcome(startAttempt(row, now), { kind: "later", why: "500", afterMs: null }, now);
  }
  expect([tries, row.state]).toEqual([10, "dead"]);
});
