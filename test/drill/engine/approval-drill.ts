/** Drill `approvals`: approvals survive a kill of everything: exactly the displayed call is decided, once. */
import { setTimeout as sleep } from "node:timers/promises";
import type { RecordedRequest } from "../../mock-servers/recorder.ts";
import type { ApiClient, PendingBody, TaskBody } from "../api-client.ts";
import type { EngineInput } from "./engine-script.ts";
import type { DrillTenant, Stage } from "../stage.ts";
import { until } from "../started-system.ts";
import { parsePlace } from "../received.ts";

const ASKS = { approval: { rules: [{ tool: "http_request", decision: "ask" }] } } as const;
const EXPIRES_SECONDS = 3;
const REASON = "not today, says the drill";

export interface ApprovalDrillReport {
  readonly crashes: number;
  readonly effects: number;
  readonly violations: readonly string[];
}

interface Waiting {
  readonly name: string;
  readonly id: string;
  readonly approval: PendingBody;
}

/**
 * Kills everything while five tasks wait for approval. Then one is approved unchanged, one with edited arguments, one refused with a
 * reason, and one expires. When these have ended, the last is approved and everything is killed again at once.
 */
export async function runApprovalDrill(stage: Stage): Promise<ApprovalDrillReport> {
  const { keyed, system } = stage;
  const violations: string[] = [];
  const check = (holds: boolean, otherwise: string): void => {
    if (!holds) violations.push(`approvals: ${otherwise}`);
  };
  const patient = await stage.makeTenant("approvals", ASKS);
  const hasty = await stage.makeTenant("approvals-hasty", {
    approval: { ...ASKS.approval, expires_s: EXPIRES_SECONDS },
  });
  const unchanged = await ask(stage, patient, "approval-shown");
  const edited = await ask(stage, patient, "approval-edited");
  const refused = await ask(stage, patient, "approval-refused");
  const cutOff = await ask(stage, patient, "approval-cutoff");
  const expired = await ask(stage, hasty, "approval-expired");
  check(listEffects(stage, "approval-").length === 0, "something was sent before anybody approved it");

  await system.crash();
  for (const { name, id, approval } of [unchanged, edited, refused, cutOff]) {
    const after = await patient.api.task(id);
    check(after.status === "waiting_approval", `${name} is ${after.status} after the kill`);
    const [same] = after.pending;
    check(
      JSON.stringify(same) === JSON.stringify(approval),
      `${name} shows ${JSON.stringify(after.pending)} after the kill`,
    );
  }

  const decide = async (by: ApiClient, { id, approval }: Waiting, decision: object): Promise<number> =>
    (await by.send("POST", `/v1/tasks/${id}/approvals/${approval.id}`, decision)).status;
  const approve = { decision: "approve" };
  const statuses = async (what: string, wanted: readonly number[], given: readonly number[]): Promise<void> =>
    check(
      given.join(" ") === wanted.join(" "),
      `${what}: answered ${given.join(" and ")}, not ${wanted.join(" and ")}`,
    );

  await statuses("another tenant", [404], [await decide(hasty.api, unchanged, approve)]);
  const twice = [await decide(patient.api, unchanged, approve), await decide(patient.api, unchanged, approve)];
  await statuses("approved twice", [200, 409], twice);
  const changed = { ...(edited.approval.arguments as object), body: { step: 1, text: "as edited" } };
  const bad = { ...approve, arguments: { ...changed, url: 7 } };
  const good = { ...approve, arguments: changed };
  await statuses(
    "edited",
    [422, 200, 409],
    [
      await decide(patient.api, edited, bad),
      await decide(patient.api, edited, good),
      await decide(patient.api, edited, approve),
    ],
  );
  const refuse = { decision: "refuse", reason: REASON };
  await statuses(
    "refused",
    [200, 409],
    [await decide(patient.api, refused, refuse), await decide(patient.api, refused, approve)],
  );
  await sleep(Math.max(0, Date.parse(expired.approval.expires_at ?? "") - Date.now()));
  await statuses("expired", [410], [await decide(hasty.api, expired, approve)]);
  // A call that the kill interrupts is resent under its key; only that of `cutOff` may be in flight.
  for (const { name, id } of [unchanged, edited, refused]) await waitForCompletion(stage, patient.api, name, id);
  const first = await decide(patient.api, cutOff, approve);
  await system.crash();
  await statuses("approved before a kill", [200, 409], [first, await decide(patient.api, cutOff, approve)]);

  const ends = new Map<string, TaskBody>();
  for (const { api, tasks } of [
    { api: patient.api, tasks: [unchanged, edited, refused, cutOff] },
    { api: hasty.api, tasks: [expired] },
  ]) {
    for (const { name, id } of tasks) {
      ends.set(name, await waitForCompletion(stage, api, name, id));
      const rows = await api.ledger(id);
      const events = await api.events(id);
      const count = (type: string): number => events.filter((event) => event.type === type).length;
      check(count("approval.requested") === 1, `${name}: approval.requested ${count("approval.requested")} times`);
      const ending = name === "approval-expired" ? "approval.expired" : "approval.decided";
      check(count(ending) === 1, `${name}: ${ending} ${count(ending)} times`);
      const [row] = rows;
      const isSame = row?.arguments_hash === tasks.find((task) => task.name === name)?.approval.arguments_hash;
      check(
        isSame === (name !== "approval-edited"),
        `${name}: the hash in the ledger ${isSame ? "is" : "is not"} the one shown`,
      );
      const wasMade = !["approval-refused", "approval-expired"].includes(name);
      check(row?.state === (wasMade ? "confirmed" : "refused"), `${name}: the ledger says ${row?.state}`);
      const bodies = new Set(listEffects(stage, name).map(({ body, idempotencyKey }) => `${idempotencyKey} ${body}`));
      check(bodies.size === (wasMade ? 1 : 0), `${name}: ${bodies.size} different requests were sent`);
      const text = name === "approval-edited" ? "as edited" : "as shown";
      for (const { body } of listEffects(stage, name))
        check(body === JSON.stringify({ step: 1, text }), `${name}: sent ${body}`);
      const times = listEffects(stage, name).length;
      if (name !== "approval-cutoff") check(times === (wasMade ? 1 : 0), `${name}: sent ${times} times`);
    }
  }
  check(
    ends.get("approval-refused")?.output?.text.includes(REASON) === true,
    "the model did not read why it was refused",
  );
  const late = ends.get("approval-expired")?.output?.text ?? "";
  check(/expired|nobody|in time/i.test(late), `the model read of the expiry: ${late}`);
  return { crashes: 2, effects: keyed.requests.filter(({ path }) => path.startsWith("/approval-")).length, violations };
}

async function ask(stage: Stage, { api, createTask }: DrillTenant, name: string): Promise<Waiting> {
  const input: EngineInput = { drill: name, kind: "one request", paceMs: 0, keyed: stage.keyed.url };
  const id = await createTask(input);
  await until(
    async () => (await api.task(id)).status === "waiting_approval",
    30_000,
    () => `${name} does not ask`,
    25,
  );
  const [approval] = (await api.task(id)).pending;
  if (approval?.kind !== "approval") throw new Error(`${name} waits and shows no approval`);
  return { name, id, approval };
}

async function waitForCompletion({ system }: Stage, api: ApiClient, name: string, id: string): Promise<TaskBody> {
  await until(
    async () => (await api.task(id)).status === "completed",
    60_000,
    () => `${name} did not end after its decision:\n${system.output()}`,
    100,
  );
  return await api.task(id);
}

function listEffects({ keyed }: Stage, prefix: string): RecordedRequest[] {
  return keyed.requests.filter(({ path }) => parsePlace(path).drill.startsWith(prefix));
}
