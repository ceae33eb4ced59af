/** Who is asked for an approval that one person decides, and what others who follow the task read. */
import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, test, vi } from "vitest";
import { channelsFromEnv } from "../../../../adapters/env/channels.ts";
import type { Notice } from "../../../../core/task/notice.ts";
import { openApproval, TOOL } from "./open-approval.ts";
import { openWorkspace, type Workspace } from "./server.ts";

beforeEach(() => reset());

async function addAna({ caller, slack: { team } }: Workspace): Promise<string> {
  const addresses = [{ kind: "slack", team, user: "U0ANA" }];
  return (await caller.send("POST", "/v1/people", { name: "ana", addresses })).json.id;
}

/** A call of a task in the channel that Ana decides, with the notice of its approval. */
async function requestApproval(workspace: Workspace, person: string, mayDelegate: boolean) {
  const { tenant } = workspace.caller;
  const { team } = workspace.slack;
  const { facts, ask } = await openApproval(workspace, person, mayDelegate);
  const deliver = [{ channel: "slack", to: `${team}/C0GENERAL` }];
  const { id: task, agent, via } = facts;
  const about = { task, rootId: task, parentId: null, isHidden: false, project: null, agent, via, deliver };
  const decides = { person_id: person, name: "ana", delegates: mayDelegate };
  const notice = (type: Notice["type"], seq: number, data: object): Notice => {
    return {
      facts: about,
      seq,
      type,
      at: new Date().toISOString(),
      data: { tool: TOOL, approval_id: ask, decides, ...data },
    };
  };
  const spread = async (one: Notice) => expect(await channelsFromEnv(env).spread(tenant, [one])).toEqual([null]);
  await spread(notice("approval.requested", 3, {}));
  return {
    ask,
    end: async () => await spread(notice("approval.decided", 4, { decision: "approve", by: "ana", reason: null })),
  };
}

async function posts({ slack }: Workspace, count: number) {
  return await vi.waitFor(
    async () => {
      const posted = (await slack.calls())
        .filter(({ method, ok }) => ok && method === "chat.postMessage")
        .map(({ given }) => ({ channel: String(given["channel"]), text: JSON.stringify(given) }));
      expect(posted).toHaveLength(count);
      return posted;
    },
    { timeout: 25_000, interval: 50 },
  );
}

test("its owner is asked directly, and the thread reads who is waited for", async () => {
  const workspace = await openWorkspace();
  const { end } = await requestApproval(workspace, await addAna(workspace), false);
  const posted = await posts(workspace, 2);
  const thread = posted.find(({ channel }) => channel === "C0GENERAL");
  const direct = posted.find(({ channel }) => channel !== "C0GENERAL");
  expect(direct?.text).toContain("otto:approve");
  expect(thread?.text).toContain("Waiting for ana, whose account it uses.");
  expect(thread?.text).not.toContain("otto:");
  await end();
  await vi.waitFor(
    async () => {
      const changed = (await workspace.slack.calls()).filter(({ method, ok }) => ok && method === "chat.update");
      expect(changed).toHaveLength(1);
      expect(JSON.stringify(changed[0]?.given)).toContain("Approved.");
    },
    { timeout: 25_000, interval: 50 },
  );
});

test("others who may decide in the owner's place are asked too", async () => {
  const workspace = await openWorkspace();
  await requestApproval(workspace, await addAna(workspace), true);
  for (const { text } of await posts(workspace, 2)) expect(text).toContain("otto:approve");
});
