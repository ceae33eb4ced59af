import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judgeAction } from "../../../core/apps/effects/judge.ts";
import { listNamedReaders } from "../../../core/apps/effects/effect.ts";
import { makeActions } from "./make-actions.ts";

const judge = (action: string, tags: readonly string[] = [], description = "") =>
  judgeAction({ action, app: action.split("_")[0]?.toLowerCase() ?? "", title: "", description, tags });

const READS = ["readOnlyHint"];

describe("effect and security", () => {
  test.each([
    ["GMAIL_FETCH_EMAILS", READS, "cautious", "none"],
    ["GMAIL_FETCH_EMAILS", [], "dangerous", "probe"],
    ["GMAIL_UPDATE_DRAFT", ["readOnlyHint"], "dangerous", "probe"],
    ["GMAIL_UPDATE_DRAFT", ["idempotentHint"], "dangerous", "keyed"],
    ["GMAIL_UPDATE_DRAFT", ["readOnlyHint", "idempotentHint"], "dangerous", "keyed"],
    ["GMAIL_SEND_EMAIL", ["idempotentHint"], "dangerous", "probe"],
    ["SLACK_SENDS_A_MESSAGE_TO_A_CHANNEL", ["idempotentHint"], "dangerous", "probe"],
    ["SHEETS_APPEND_ROW", ["idempotentHint"], "dangerous", "probe"],
    ["GMAIL_SEND_EMAIL", [], "dangerous", "probe"],
    ["GMAIL_DELETE_MESSAGE", [], "critical", "probe"],
    ["GMAIL_DELETE_MESSAGE", ["idempotentHint"], "critical", "keyed"],
    ["GMAIL_MOVE", ["destructiveHint"], "critical", "probe"],
    ["GMAIL_LIST_LABELS", ["destructiveHint", "readOnlyHint"], "critical", "probe"],
    ["SLACK_DELETES_A_MESSAGE_FROM_A_CHAT", READS, "critical", "probe"],
    ["SLACK_ARCHIVE_A_CONVERSATION", READS, "critical", "probe"],
    ["GITHUB_RUN_A_WORKFLOW", READS, "dangerous", "probe"],
    ["GITHUB_LIST_RUN_STEPS", READS, "cautious", "none"],
    ["GITHUB_GET_A_RELEASE", READS, "cautious", "none"],
    ["TELEGRAM_GET_UPDATES", READS, "cautious", "none"],
    ["INSTAGRAM_POSTS_LIST", READS, "cautious", "none"],
    ["SLACK_UPDATES_A_MESSAGE", READS, "dangerous", "probe"],
    ["LINEAR_RUN_QUERY_OR_MUTATION", READS, "dangerous", "probe"],
  ] as const)("%s with %j is %s, %s", (action, tags, security, effect) => {
    expect(judge(action, tags)).toMatchObject({ security, effect });
  });

  test("the app's own name says nothing of its actions", () => {
    expect(
      judgeAction({ action: "POST_GET_PARCEL", app: "post", title: "", description: "", tags: READS }).effect,
    ).toBe("none");
  });

  test("says why in one sentence", () => {
    expect(judge("GMAIL_DELETE_MESSAGE").because).toBe("Its name has the word “delete”.");
    expect(judge("GMAIL_UPDATE_DRAFT", READS).because).toBe(
      "Its provider says that it only reads, but its name has the word “update”.",
    );
  });

  test("reading a credential needs an approval, although it changes nothing", () => {
    expect(judge("VAULT_GET_ACCESS_TOKEN", READS)).toMatchObject({ security: "dangerous", effect: "none" });
    expect(judge("COINS_GET_TOKEN_PRICE", READS)).toMatchObject({ security: "cautious", capabilities: [] });
  });

  const LEVELS = ["safe", "cautious", "dangerous", "critical"];

  test("12,000 actions: class by the table, none looser than its tags", () => {
    const actions = makeActions();
    expect(actions.length).toBeGreaterThanOrEqual(12_000);
    const counts = new Map<string, number>();
    for (const action of actions) {
      const { effect, security, because } = judgeAction(action);
      const has = (tag: string) => action.tags.includes(tag);
      const least = has("destructiveHint") ? 3 : has("readOnlyHint") ? 1 : 2;
      expect(LEVELS.indexOf(security), action.action).toBeGreaterThanOrEqual(least);
      if (effect === "none") expect(has("readOnlyHint") && !has("destructiveHint"), action.action).toBe(true);
      if (effect === "keyed") expect(has("idempotentHint"), action.action).toBe(true);
      if (/_(DELETE|REMOVE|PURGE|REVOKE)(_|$)/.test(action.action)) expect(security, action.action).toBe("critical");
      expect(because).toMatch(/^Its .+[^.]\.$/);
      counts.set(`${security} ${effect}`, (counts.get(`${security} ${effect}`) ?? 0) + 1);
    }
    expect([...counts.keys()].toSorted()).toEqual([
      "cautious none",
      "critical keyed",
      "critical probe",
      "dangerous keyed",
      "dangerous none",
      "dangerous probe",
    ]);
  });

  test("a name never loosens what the tags alone say", () => {
    const tags = fc.subarray(["readOnlyHint", "destructiveHint", "idempotentHint", "important"]);
    const words = fc.array(fc.constantFrom("GET", "SEND", "DELETE", "UPDATE", "ITEM", "LIST", "POST", "A"), {
      minLength: 1,
    });
    const order = ["none", "keyed", "probe"];
    fc.assert(
      fc.property(tags, words, (given, name) => {
        const alone = judge("APP_ITEM", given);
        const named = judge(`APP_${name.join("_")}`, given);
        expect(LEVELS.indexOf(named.security)).toBeGreaterThanOrEqual(LEVELS.indexOf(alone.security));
        // Destroying twice is the same as once: the table keeps the key of a repeatable removal.
        if (named.security !== "critical")
          expect(order.indexOf(named.effect)).toBeGreaterThanOrEqual(order.indexOf(alone.effect));
      }),
    );
  });
});

describe("names that say that they read", () => {
  const action = (name: string, scopes: readonly string[] = [], tags: readonly string[] = []) => ({
    action: `APP_${name}`,
    app: "app",
    tags,
    scopes,
  });

  test("first or last word, no writing word, with scopes as evidence", () => {
    const actions = [
      action("GET_ITEM", ["mail.readonly", "files:read"]),
      action("ITEMS_LIST", ["mail.readonly", "mail.send"]),
      action("GET_AND_DELETE_ITEM"),
      action("ITEM_DETAILS"),
      action("BUDGET_RESET"),
    ];
    expect(listNamedReaders(actions)).toEqual([
      { action: "APP_GET_ITEM", hasReadScopes: true },
      { action: "APP_ITEMS_LIST", hasReadScopes: false },
    ]);
  });

  test("an app with hints has no such list", () => {
    expect(listNamedReaders([action("GET_ITEM"), action("LIST_ITEMS", [], ["readOnlyHint"])])).toEqual([]);
  });
});

describe("capabilities", () => {
  test.each([
    ["SLACK_CREATE_CHANNEL_BASED_CONVERSATION", "", ["channel.create"]],
    ["SLACK_SENDS_A_MESSAGE_TO_A_SLACK_CHANNEL", "", ["message.send"]],
    ["SLACK_INVITE_USERS_TO_A_SLACK_CHANNEL", "", ["user.invite"]],
    ["SLACK_ARCHIVE_A_SLACK_CONVERSATION", "", ["channel.archive"]],
    ["GMAIL_SEND_EMAIL", "", ["email.send"]],
    ["GMAIL_REPLY_TO_THREAD", "Sends a reply in a Gmail thread.", ["message.send", "email.send"]],
    ["GITHUB_LIST_COMMITS_ON_A_PULL_REQUEST", "", ["commit.list"]],
    ["GITHUB_MERGE_A_PULL_REQUEST", "", ["pr.merge"]],
    ["GITHUB_CREATE_AN_ISSUE_COMMENT", "", ["issue.comment"]],
    ["GITHUB_REMOVE_A_LABEL_FROM_AN_ISSUE", "", ["issue.update"]],
    ["WORKSPACE_REMOVE_USER", "", ["user.remove"]],
    ["NOTION_UPDATE_SCHEMA_DATABASE", "", ["database.update"]],
    ["SUPABASE_CREATE_TABLE", "", ["database.schema"]],
    ["EXA_SEARCH", "", ["search.general"]],
    ["SPOTIFY_PLAY", "Plays an album.", []],
    ["ASANA_ADD_ITEM", "Adds a task to a project.", ["task.create"]],
  ])("%s: %s", (action, description, capabilities) => {
    expect(judge(action, [], description).capabilities).toEqual(capabilities);
  });

  test.each(["APP_RESET", "APP_GET_PROFILE", "APP_LIST_BUDGETS", "APP_GET_BUDGET", "APP_PRESET", "APP_PROFILES"])(
    "%s has no capability, and its words contain others only as parts",
    (action) => {
      expect(judge(action).capabilities).toEqual([]);
    },
  );

  test("the provider's tags count before the description", () => {
    expect(judge("APP_GET_ITEM", ["Calendar"], "Gets a file.").capabilities).toEqual(["event.read"]);
  });

  test("rights are not guessed from a sentence", () => {
    expect(judge("APP_PLAY", [], "Plays a song. Only administrators with a token may.").capabilities).toEqual([]);
  });

  test.each([
    ["APP_DELETE_ITEM", true],
    ["APP_ARCHIVE_CHANNEL", true],
    ["APP_MANAGE_USERS", true],
    ["APP_LIST_ADMINS", true],
    ["APP_CREATE_TABLE", true],
    ["APP_UPDATE_CHANNEL", false],
    ["APP_GET_ITEM", false],
  ])("%s is destructive: %s", (action, isDestructive) => {
    expect(judge(action).isDestructive).toBe(isDestructive);
  });
});
