/** `/otto connect` and `/otto apps`: who gets which link, and that nobody else reads it. */
import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, test, vi } from "vitest";
import { appCatalogueFromEnv } from "../../../../adapters/env/app-catalogue.ts";
import { ok } from "../../../../core/base/errors.ts";
import type { SlackContent } from "../../../../core/ports/slack.ts";
import { connectApp } from "../../../../workers/channels/slack/apps.ts";
import { openContext, type SlackContext } from "../../../../workers/channels/slack/workspace.ts";
import { openConnectLink } from "../../../../workers/connections/connect-token.ts";
import { addApp } from "../../connections/connect-client.ts";
import { openWorkspace, type Workspace } from "./server.ts";

const PUBLIC = { ...env, OTTO_PUBLIC_URL: "https://otto.example" };

beforeEach(async () => {
  await reset();
  // The database of all files may name a catalogue whose file the reset took away.
  vi.spyOn(appCatalogueFromEnv(PUBLIC), "snapshot").mockResolvedValue(ok(null));
});

async function addPeople({ caller, slack: { team } }: Workspace) {
  const add = async (name: string, user: string): Promise<string> =>
    (await caller.send("POST", "/v1/people", { name, addresses: [{ kind: "slack", team, user }] })).json.id;
  return { ana: await add("ana", "U0ANA"), ben: await add("ben", "U0BEN") };
}

async function openSlack({ slack: { team } }: Workspace): Promise<SlackContext> {
  const item = { id: "i", lane: "l", kind: "command", body: {}, receivedAt: Date.now() };
  const opened = await openContext(PUBLIC, team, item);
  if (!("context" in opened)) throw new Error("there is no workspace");
  return opened.context;
}

/** What a person is sent who asks for a link. */
async function ask(context: SlackContext, user: string, app = "crm"): Promise<SlackContent> {
  const sent: SlackContent[] = [];
  await connectApp(context, { user, app }, async (words) => sent.push(words));
  const [words] = sent;
  if (words === undefined || sent.length !== 1) throw new Error("there is not one message");
  return words;
}

const openLink = async ({ blocks }: SlackContent) => {
  const [, token = ""] = /https:\/\/otto\.example\/connect\/([^|]+)\|/.exec(JSON.stringify(blocks)) ?? [];
  return await openConnectLink(PUBLIC, token);
};

test("each gets a link of their own, which names them and the app", async () => {
  const workspace = await openWorkspace();
  const { tenant } = workspace.caller;
  const { ana, ben } = await addPeople(workspace);
  await addApp(tenant, "crm");
  await addApp(tenant, "office", { title: "Office", per: "shared" });
  const context = await openSlack(workspace);
  const links = [await openLink(await ask(context, "U0ANA")), await openLink(await ask(context, "U0BEN"))];
  expect(links).toMatchObject([
    { tenant, app: "crm", person: ana, alias: null, wait: null, by: { person: ana, name: "ana" } },
    { tenant, app: "crm", person: ben, by: { person: ben } },
  ]);
  expect((await ask(context, "U0ANA", "nothing")).text).toBe("There is no app nothing. `/otto apps` lists them.");
  expect((await ask(context, "U0ANA", "office")).text).toContain("Everyone shares one account of Office.");
});

test("the command and the button answer their author alone, and name what is missing", async () => {
  const workspace = await openWorkspace();
  await addPeople(workspace);
  expect((await workspace.command("apps")).status).toBe(200);
  await workspace.whispers(1);
  await addApp(workspace.caller.tenant, "crm");
  await workspace.command("apps");
  const value = JSON.stringify({ app: "crm" });
  await workspace.whispers(2);
  await workspace.click({ actionId: "otto:connect_app", value });
  await workspace.whispers(3);
  await workspace.command("connect crm");
  await workspace.whispers(4);
  await workspace.click({ actionId: "otto:connect_app", value, user: "U0FAR", userTeam: "T0FAR" });
  expect(await workspace.whispers(5)).toEqual([
    "No app can be connected yet. An administrator adds one in the console.",
    "*Crm*: not connected",
    "Otto does not know its own address. Ask an administrator to set OTTO_PUBLIC_URL.",
    "Otto does not know its own address. Ask an administrator to set OTTO_PUBLIC_URL.",
    "Otto accepts no requests from members of another workspace. Ask a member of this workspace.",
  ]);
  const posted = (await workspace.slack.calls()).filter(({ method }) => method === "chat.postMessage");
  expect(posted).toEqual([]);
  expect((await workspace.caller.send("GET", "/v1/tasks")).json.data).toEqual([]);
});
