/** The message to a person whose schedule somebody else changed, and the click that confirms it. */
import { reset } from "cloudflare:test";
import { beforeEach, expect, test, vi } from "vitest";
import { openWorkspace, type Workspace } from "./server.ts";

beforeEach(() => reset());

/** A schedule of Ana's, whose task a key without a person changed. */
async function openChanged({ caller, slack: { team } }: Workspace, input = "Send my mail to Ben.") {
  const addresses = [{ kind: "slack", team, user: "U0ANA" }];
  const ana = (await caller.send("POST", "/v1/people", { name: "ana", addresses })).json.id as string;
  const scopes = ["admin", "tasks:read", "tasks:write"];
  const { key } = (await caller.send("POST", "/v1/keys", { name: "Ana's", scopes, person: ana })).json;
  const body = { name: "Morning mail", when: { kind: "interval", every_seconds: 3600 } };
  const made = await caller.send(
    "POST",
    "/v1/schedules",
    { ...body, task: { input: "Read my mail." } },
    { authorization: `Bearer ${key}` },
  );
  expect(made.status, made.text).toBe(201);
  const path = `/v1/schedules/${made.json.id}`;
  const change = async (text: string) => await caller.send("PUT", path, { ...body, task: { input: text } });
  expect((await change(input)).json.acts_for_cleared).toBe(true);
  const actsFor = async () => (await caller.send("GET", path)).json.acts_for;
  return { ana, id: String(made.json.id), change, actsFor };
}

/** The direct message, as soon as it was posted. */
async function readMessage({ slack }: Workspace) {
  return await vi.waitFor(
    async () => {
      const posted = (await slack.calls())
        .filter(({ method, ok }) => ok && method === "chat.postMessage")
        .filter(({ given }) => String(given["text"]).includes("changed the task of the schedule"));
      expect(posted).toHaveLength(1);
      return posted[0]?.given ?? {};
    },
    { timeout: 25_000, interval: 50 },
  );
}

const buttons = (message: object): { action_id: string; value: string }[] => {
  const { blocks } = message as { blocks: string | { elements?: { action_id: string; value: string }[] }[] };
  const read = typeof blocks === "string" ? JSON.parse(blocks) : blocks;
  return read.flatMap(({ elements = [] }: { elements?: { action_id: string; value: string }[] }) => elements);
};

test("shows the task, and the person's click confirms it", async () => {
  const workspace = await openWorkspace();
  const { ana, id, actsFor } = await openChanged(workspace);
  const message = await readMessage(workspace);
  expect(JSON.stringify(message)).toContain("Send my mail to Ben.");
  const [confirm] = buttons(message);
  expect(JSON.parse(confirm?.value ?? "{}")).toEqual({ schedule: id, version: 2 });
  const click = { actionId: confirm?.action_id ?? "", value: confirm?.value ?? "" };
  expect(click.actionId).toBe("otto:confirm_schedule");
  await workspace.click({ ...click, user: "U0BEN" });
  expect(await workspace.whispers()).toEqual([
    "Only an administrator, or the person for whom the schedule acted, confirms it.",
  ]);
  expect(await actsFor()).toBeNull();
  await workspace.click({ ...click, user: "U0FAR", userTeam: "T0FAR" });
  await workspace.whispers(2);
  expect(await actsFor()).toBeNull();
  await workspace.click(click);
  expect(await workspace.whispers(3)).toContain("Confirmed: Morning mail acts for you.");
  expect(await actsFor()).toEqual({ person_id: ana, name: "ana" });
  const { data } = (await workspace.caller.send("GET", `/v1/audit?target=${id}`)).json;
  expect(data[0]).toMatchObject({ action: "schedule.confirm", actor: ana, details: { acts_for: ana } });
});

test("confirms what it showed, and nothing later", async () => {
  const workspace = await openWorkspace();
  const { change, actsFor } = await openChanged(workspace);
  const [confirm] = buttons(await readMessage(workspace));
  await change("Delete my mail.");
  await workspace.click({ actionId: confirm?.action_id ?? "", value: confirm?.value ?? "" });
  expect(await workspace.whispers()).toEqual([
    "The schedule was changed again after this message. Read and confirm it in the console.",
  ]);
  expect(await actsFor()).toBeNull();
});

test("offers no confirmation of a task that it cannot show", async () => {
  const workspace = await openWorkspace();
  await openChanged(workspace, "x".repeat(20_000));
  const message = await readMessage(workspace);
  expect(buttons(message)).toEqual([]);
  expect(JSON.stringify(message)).toContain("nobody confirms an unseen task");
});
