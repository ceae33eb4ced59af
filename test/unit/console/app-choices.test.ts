/** Choosing the actions of an app, and the apps of an agent. */
import { describe, expect, test } from "vitest";
import type { AppAction } from "../../../web/src/api/types.generated.ts";
import { describeAccess, NO_ACCESS, toAgentApps, toAppsDraft } from "../../../web/src/pages/agents/agent-apps.ts";
import {
  chooseAll,
  chooseNone,
  chooseReading,
  countDifferences,
  findActions,
  sortNames,
} from "../../../web/src/pages/apps/action-choice.ts";

const SEND: AppAction = {
  name: "GMAIL_SEND_EMAIL",
  display_name: "Send email",
  description: "Sends a message.",
  app_name: "gmail",
  parameters: {},
  enabled: true,
  tags: [],
  effect: "probe",
  security: "dangerous",
  because: "",
  is_overridden: false,
  capabilities: [],
  is_destructive: false,
};
const LIST: AppAction = { ...SEND, name: "GMAIL_LIST_THREADS", display_name: "List threads", effect: "none" };
const READ: AppAction = { ...LIST, name: "GMAIL_GET_PROFILE", display_name: "Get profile" };
const ALL = [SEND, LIST, READ];

describe("the choice of actions", () => {
  test("takes and leaves the listed ones alone", () => {
    const [other, chosen] = [["OTHER"], ["GMAIL_SEND_EMAIL", "OTHER"]];
    expect(chooseAll(other, ALL)).toEqual(["GMAIL_GET_PROFILE", "GMAIL_LIST_THREADS", "GMAIL_SEND_EMAIL", "OTHER"]);
    expect(chooseNone(chosen, ALL)).toEqual(["OTHER"]);
    expect(chooseReading(chosen, ALL)).toEqual(["GMAIL_GET_PROFILE", "GMAIL_LIST_THREADS", "OTHER"]);
    expect(chooseReading(chosen, [SEND])).toEqual(["OTHER"]);
  });

  test("is searched by words of the name, the title and the description", () => {
    expect(findActions(ALL, "MESSAGE threads")).toEqual([LIST]);
    expect(findActions(ALL, "")).toEqual(ALL);
    expect(findActions(ALL, "nothing")).toEqual([]);
  });

  test("differs by names, in any order", () => {
    expect(sortNames(["b", "a", "b"])).toEqual(["a", "b"]);
    expect(countDifferences(["a", "b"], ["b", "c", "d"])).toBe(3);
    expect(countDifferences(["a", "b"], ["b", "a"])).toBe(0);
  });
});

describe("the apps of an agent", () => {
  const assign = (level: "full" | "read_only" | "list", is_active = true) => ({
    app_name: "gmail",
    level,
    actions: level === "list" ? ["GMAIL_LIST_THREADS"] : [],
    is_active,
  });

  test.each([
    [[], "gmail", "All enabled actions of every app"],
    [[assign("full")], "gmail", "All enabled actions"],
    [[assign("read_only")], "gmail", "Only actions that read"],
    [[assign("list")], "gmail", "1 chosen action"],
    [[assign("full", false)], "gmail", "No access"],
    [[assign("full")], "crm", "No access"],
  ] as const)("%j is, for %s, %s", (assignments, app, words) => {
    expect(
      describeAccess({ assignments: assignments.map((one) => ({ ...one, actions: [...one.actions] })) }, app),
    ).toBe(words);
  });

  test("come back from the form as they were", () => {
    const rights = {
      assignments: [assign("list"), { ...assign("full", false), app_name: "crm" }],
      permissions: [{ tool: "GMAIL_SEND_EMAIL", is_active: false }],
    };
    const sent = toAgentApps(toAppsDraft(rights), ["gmail", "crm"]);
    expect(sent).toEqual({
      assignments: [assign("list"), { app_name: "crm", level: "full", is_active: false }],
      permissions: rights.permissions,
    });
    expect(toAgentApps(toAppsDraft({ assignments: [], permissions: [] }), ["gmail"])).toEqual({
      assignments: [],
      permissions: [],
    });
  });

  test("without access to any, each is inactive: no assignment would mean every app", () => {
    const draft = { isEvery: false, choices: { gmail: NO_ACCESS }, switchedOff: " A \n\nB\nA" };
    expect(toAgentApps(draft, ["gmail", "crm"])).toEqual({
      assignments: [
        { app_name: "gmail", level: "full", is_active: false },
        { app_name: "crm", level: "full", is_active: false },
      ],
      permissions: [
        { tool: "A", is_active: false },
        { tool: "B", is_active: false },
      ],
    });
  });
});
