/** The account of a call in a timeline, and the wait for one. */
import { expect, test } from "vitest";
import type { StreamEvent } from "../../../web/src/api/stream-event.ts";
import { applyEvents, EMPTY_TIMELINE } from "../../../web/src/pages/task/timeline/timeline.ts";
import type { Item } from "../../../web/src/pages/task/timeline/timeline-items.ts";

const AT = "2026-11-21T10:00:00.000Z";
const CALL = "call_1_1_0";
const STEP = ["step.started", { step: 1, attempt: 1, final: false, model: "m" }] as const;
const STARTED = [
  "call.started",
  { step: 1, call_id: CALL, tool: "crm.get_me", arguments: {}, effect: "none" },
] as const;

/** The items of a kind in the timeline of a log. */
function read<Kind extends Item["kind"]>(
  kind: Kind,
  ...entries: readonly (readonly [event: string, data: object])[]
): Extract<Item, { kind: Kind }>[] {
  const log = entries.map(
    ([event, data], at): StreamEvent => ({ id: String(at + 1), event, data: { task_id: "task_1", at: AT, ...data } }),
  );
  const items = applyEvents(EMPTY_TIMELINE, log).steps.flatMap((step) => step.items);
  return items.filter((item): item is Extract<Item, { kind: Kind }> => item.kind === kind);
}

test("lists a call's wait for an account, and the account once it is connected", () => {
  const names = { call_id: CALL, wait_id: "cnw_1", app: "crm" };
  const owner = { kind: "person", id: "per_a", name: "Ana" };
  const account = { connection: "con_1", app: "crm", provider: "oauth", owner, label: "ana@acme.example" };
  const words = { label: "ana@acme.example", owner: "Ana" };
  const asked = [STEP, STARTED, ["connection.requested", { ...names, reason: "missing" }]] as const;
  const ready = [...asked, ["connection.ready", { ...names, account }]] as const;
  expect(read("connection", ...ready)[0]).toMatchObject({ app: "crm", outcome: "ready", account: words });
  expect(read("call", ...ready)[0]?.account).toEqual(words);
  // Continued without it, and ended meanwhile.
  const refused = { call_id: CALL, tool: "crm.get_me", ok: false, state: "refused" };
  for (const end of [
    ["call.completed", refused],
    ["task.cancelled", { closed: [{ kind: "connection", id: "cnw_1" }] }],
  ] as const)
    expect(read("connection", ...asked, end)[0]).toMatchObject({ outcome: "closed", account: null });
  expect(read("connection", ...asked)[0]?.outcome).toBe("open");
});

test.each([
  [
    { label: "team@acme.example", owner: { kind: "shared" } },
    { label: "team@acme.example", owner: null },
  ],
  [
    { label: null, app: "crm", owner: { kind: "person", name: "Ana" } },
    { label: "crm", owner: "Ana" },
  ],
  // Never shown as shared.
  [
    { label: "a", owner: { kind: "person" } },
    { label: "a", owner: "somebody" },
  ],
  [undefined, null],
  ["x", null],
])("reads the account %j of a call", (account, expected) => {
  expect(read("call", STEP, [STARTED[0], { ...STARTED[1], account }])[0]?.account).toEqual(expected);
});
