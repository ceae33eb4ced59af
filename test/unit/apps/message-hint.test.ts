/** The note after a message to a running task: what it names, its bounds, and that it speaks for nobody. */
import { describe, expect, test } from "vitest";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import { hintMessage, type MessageRequest } from "../../../core/apps/choice/message-hint.ts";
import { indexPinnedActions } from "../../../core/apps/choice/pinned-actions.ts";
import { readTaskIntent } from "../../../core/apps/intent/task-apps.ts";
import { OPERATOR, OUTSIDE, PRINCIPAL } from "../../../core/provenance/label.ts";
import { toPromptMessages } from "../../../core/prompt/mark-data.ts";
import { decide } from "../../../core/task/task.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { countTokens } from "../prompt/first-request.ts";
import { makeAppTools } from "../prompt/app-tools.ts";
import { created } from "../task/play-task.ts";

const AT = { now: Date.UTC(2026, 10, 28, 12), timeZone: "Europe/Oslo" };

describe("the note after a message", async () => {
  const tools = await makeAppTools(12);
  const actions = indexPinnedActions(tools);
  await actions.index.build();
  const apps = new Set(tools.flatMap(({ action }) => action?.app ?? []));
  const hint = async (text: string, change: Partial<MessageRequest> = {}) => {
    const request = { texts: [text], writtenAt: AT, usable: apps, unconnected: new Set<string>(), shown: [] };
    const sources = { actions, patterns: linearPatterns, clock: { now: () => 0 } };
    return valueOf(await hintMessage({ ...request, mayCall: () => true, ...change }, sources));
  };
  const namesOf = (text: string) => [...text.matchAll(/^- (\w+):/gm)].map(([, name]) => name ?? "");

  test("names at most five pinned actions that fit, and none that the requests show", async () => {
    const text = await hint("Now send an email to Ana, and create an issue.");
    const names = namesOf(text);
    expect(text).toMatch(/^Note of Otto\. Actions of connected apps that fit this message, called like tools:\n/);
    expect(names.length).toBeGreaterThan(0);
    expect(names.length).toBeLessThanOrEqual(5);
    expect(countTokens(text, "o200k")).toBeLessThanOrEqual(250 * 1.1);
    const [first = ""] = names;
    expect(namesOf(await hint("Now send an email to Ana, and create an issue.", { shown: [first] }))).not.toContain(
      first,
    );
    const mayCall: MessageRequest["mayCall"] = ({ name }) => name !== first;
    expect(namesOf(await hint("Now send an email to Ana, and create an issue.", { mayCall }))).not.toContain(first);
  });

  test("names apps that could be connected, and the dates of the message", async () => {
    const none = { usable: new Set<string>(), unconnected: apps };
    expect(await hint("Send an email to Ana tomorrow.", none)).toMatch(
      /^Note of Otto\. Could do this, not connected: [\w, ]+\. Ask for it with request_connection\.\n“tomorrow” is 2026-11-29\.$/,
    );
  });

  test("is empty for a message that asks for nothing of apps", async () => {
    for (const text of ["Thanks!", "Yes, go on.", "Write it shorter, please."]) expect(await hint(text)).toBe("");
  });

  test("fits its bound for any message", async () => {
    const words = ["send", "email", "issue", "create", "file", "list", "message", "channel", "tomorrow", "last week"];
    for (let at = 0; at < 100; at += 1) {
      const text = words.filter((_, index) => ((at * 37 + index * 11) % 7) % 2 === 0).join(" ");
      expect(countTokens(await hint(text), "o200k")).toBeLessThanOrEqual(250 * 1.1);
    }
  });
});

describe("a message with a note", () => {
  const intent = readTaskIntent(["List the open issues."], AT);
  const state = created({ apps: { intent, shown: [], hints: "" } });
  const by = { person: null, name: "Ana" };
  const message = { type: "message", request: "m1", text: "Thanks, and now?", by } as const;
  const hint = "Note of Otto. Actions: CRM_DELETE_ISSUE.";

  test("has it after the text, as Otto's own, and asks for nothing by it", () => {
    const { state: next, events } = decide(state, { ...message, hint }, AT.now);
    expect(next.steering).toEqual([
      { role: "user", content: message.text, label: PRINCIPAL },
      { role: "user", content: `\n\n${hint}`, label: OPERATOR, continues: true },
    ]);
    expect(next.intent).toBeUndefined();
    expect(JSON.stringify(events)).not.toContain("CRM_DELETE_ISSUE");
    const read = toPromptMessages(next.steering, { id: "task_1", label: OUTSIDE });
    expect(read).toMatchObject([{ role: "user", content: `${message.text}\n\n${hint}` }]);
  });

  test("is accepted without it where both together are too long", () => {
    const text = "x".repeat(99_990);
    const { state: next, refused } = decide(state, { ...message, text, hint }, AT.now);
    expect(refused).toBeNull();
    expect(next.steering.map(({ content }) => content)).toEqual([text]);
  });

  test("is stored once: the same request again keeps the first note", () => {
    const first = decide(state, { ...message, hint }, AT.now);
    const again = decide(first.state, { ...message, hint: "Another note." }, AT.now + 1);
    expect(again.state.steering).toEqual(first.state.steering);
    expect(decide(state, message, AT.now).state.steering).toHaveLength(1);
  });
});
