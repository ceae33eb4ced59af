import { beforeAll, describe, expect, test } from "vitest";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import { type ActionIndex, indexActions } from "../../../core/apps/choice/action-index.ts";
import { readIntent } from "../../../core/apps/intent/intent.ts";
import { rankActions } from "../../../core/apps/choice/rank.ts";
import { MAX_ACTIONS, type Resolution, resolveActions } from "../../../core/apps/choice/resolve.ts";
import { failed, ok } from "../../../core/base/errors.ts";
import { unwrap } from "../../../core/base/unwrap.ts";
import type { DescribedAction } from "../../../core/apps/catalogue.ts";
import { makeActions, toCatalogueAction, toListed } from "./make-actions.ts";

let described: readonly DescribedAction[];
let index: ActionIndex;
const PEOPLES = ["slack", "gmail", "github", "googlecalendar", "googlesheets", "googledrive", "linear", "notion"];

beforeAll(async () => {
  described = makeActions();
  index = indexActions(toListed(described));
  await index.build();
});

interface Question {
  readonly apps?: readonly string[];
  readonly unconnected?: readonly string[];
  /** Actions whose schema cannot be used. */
  readonly invalid?: readonly string[];
  readonly fails?: boolean;
}

async function resolve(text: string, question: Question = {}): Promise<Resolution> {
  return unwrap(await tryResolve(text, question));
}

async function tryResolve(text: string, { apps = PEOPLES, unconnected = [], invalid = [], fails = false }: Question) {
  const actionsOf = async (app: string) => {
    if (fails) return failed("upstream_failed", "The catalogue cannot be read now.");
    const own = described.filter((action) => action.app === app).map(toCatalogueAction);
    return ok(own.map((one) => (invalid.includes(one.action) ? { ...one, input: { type: "array" } } : one)));
  };
  const request = { text, intent: readIntent([text]), apps: new Set(apps), unconnected: new Set(unconnected) };
  let now = 0;
  const clock = { now: () => (now += 5) };
  return await resolveActions(request, { index, snapshot: { actionsOf }, patterns: linearPatterns, clock });
}

const names = ({ actions }: Resolution) => actions.map(({ action }) => action);

describe("the choice of actions", () => {
  test.each([
    ["send a message to #general", "SLACK_SEND_MESSAGE"],
    ["email Bob that I am late", "GMAIL_SEND_EMAIL"],
    ["merge the pull request", "GITHUB_MERGE_A_PULL_REQUEST"],
    ["book a meeting with Ana", "GOOGLECALENDAR_CREATE_EVENT"],
    ["upload the file to the drive", "GOOGLEDRIVE_UPLOAD_FILE"],
    ["comment on the Linear issue", "LINEAR_CREATE_LINEAR_COMMENT"],
    ["delete the repository", "GITHUB_DELETE_A_REPOSITORY"],
    ["what is in my inbox", "GMAIL_FETCH_EMAILS"],
  ])("%s: %s is among the first five", async (text, action) => {
    const found = await resolve(text);
    expect(names(found).slice(0, 5)).toContain(action);
  });

  test.each([
    "send a message",
    "send a message to #general",
    "Send a message to the channel that the conversation is based on",
    "post a message in the channel-based conversation",
    "please reply to the thread",
  ])("%s: never creates a channel", async (text) => {
    for (const apps of [PEOPLES, ["slack"], [...index.byApp.keys()]]) {
      const found = await resolve(text, { apps });
      expect(names(found)).not.toContain("SLACK_CREATE_CHANNEL_BASED_CONVERSATION");
      expect(names(found).filter((name) => name.startsWith("SLACK_CREATE_CHANNEL"))).toEqual([]);
    }
  });

  test("every name is found", () => {
    for (const { action, app } of described.filter((_, number) => number % 5 === 0)) {
      for (const text of [`Use ${action} now.`, `composio_${action}`]) {
        const intent = readIntent([text]);
        const found = rankActions({ text, intent, apps: new Set([app]) }, index);
        expect([found.strategy, found.actions.map((one) => one.action)]).toEqual(["exact_lookup", [action]]);
      }
    }
  });

  test("more than six named actions of one app are all given", async () => {
    const named = described.filter(({ app }) => app === "slack").map(({ action }) => action);
    const found = await resolve(`Run ${named.join(", ")}`);
    expect(names(found)).toEqual(named.slice(0, MAX_ACTIONS));
  });

  test("a name of an app that is not allowed gives nothing of it", async () => {
    const found = await resolve("Use SLACK_SEND_MESSAGE", { apps: ["gmail"] });
    expect(found.appNames).toEqual(["gmail"]);
    expect(found.strategy).not.toBe("exact_lookup");
  });

  test("at most 30 actions, 12 apps, 6 of an app", async () => {
    const found = await resolve("list, create, update and search everything: messages, files, issues and users", {
      apps: [...index.byApp.keys()],
    });
    const counts = Map.groupBy(found.actions, ({ app }) => app);
    expect(found.actions.length).toBeLessThanOrEqual(30);
    expect(counts.size).toBeLessThanOrEqual(12);
    expect(Math.max(...[...counts.values()].map(({ length }) => length))).toBeLessThanOrEqual(6);
    const slack = await resolve("list channels, messages and users", { apps: ["slack"] });
    expect(slack.actions).toHaveLength(6);
  });

  test("an invalid schema drops its action only, and the next one takes its position", async () => {
    const before = names(await resolve("list channels, messages and users", { apps: ["slack"] }));
    const after = names(
      await resolve("list channels, messages and users", { apps: ["slack"], invalid: before.slice(0, 2) }),
    );
    expect(after).toHaveLength(6);
    expect(after.slice(0, 4)).toEqual(before.slice(2));
  });

  test("a capability finds what no word of the request names", async () => {
    expect((await resolve("send a message")).strategy).toBe("sdk_search");
    expect((await resolve("what is in my inbox", { apps: ["gmail"] })).strategy).toBe("cache_ranked");
  });

  test("the third tier answers until the search index is built, and `none` is the end", () => {
    const unbuilt = indexActions(index.actions);
    const ask = (text: string) => rankActions({ text, intent: readIntent([text]), apps: new Set(["slack"]) }, unbuilt);
    const found = ask("send a message");
    expect(found.strategy).toBe("cache_ranked");
    expect(found.actions[0]?.action).toBe("SLACK_SEND_MESSAGE");
    expect(ask("qqq zzz").strategy).toBe("none");
  });

  test("suggests at most three apps that are not connected", async () => {
    const found = await resolve("send an email to Bob", { apps: ["slack"], unconnected: ["gmail", "googlesheets"] });
    expect(found.suggestedApps).toEqual(["gmail"]);
    const all = await resolve("list the orders", { apps: ["slack"], unconnected: [...index.byApp.keys()].slice(8) });
    expect(all.suggestedApps).toHaveLength(3);
  });

  test("a catalogue that cannot be read is an error, and the time is measured", async () => {
    expect((await tryResolve("send a message", { fails: true })).ok).toBe(false);
    expect((await resolve("send a message")).searchMs).toBe(5);
  });
});
