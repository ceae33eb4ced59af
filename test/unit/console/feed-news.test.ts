import { describe, expect, it } from "vitest";
import { FeedNews, type News } from "../../../web/src/api/feed-news.ts";
import { isTouched } from "../../../web/src/api/is-touched.ts";

type EventData = Readonly<Record<string, unknown>>;
type Event = Parameters<FeedNews["add"]>[0];

/** A change of a task as the feed tells it. */
function changed(id: string, more: EventData = {}): { id: null; event: string; data: EventData } {
  const task = { agent: "agent_a", project: null };
  const data = {
    task_id: id,
    parent_id: null,
    root_id: id,
    status: "running",
    version: 1,
    hidden: false,
    pending: 0,
    task,
  };
  return { id: null, event: "task.changed", data: { ...data, ...more } };
}

/** Collects the changes of some events for a reader that already knows these tasks. */
function newsOf(...events: readonly Event[]): News {
  const news = new FeedNews();
  for (const event of events) news.add(event);
  return news.take();
}

const OPEN = { id: null, event: "feed.open", data: { at: "2026-11-22T00:00:00.000Z" } };
const list = (search: EventData, ...ids: readonly string[]) => ({
  queryKey: ["tasks", "list", search],
  data: { data: ids.map((id) => ({ id })), next_cursor: null },
});
const about = (...queryKey: readonly unknown[]) => ({ queryKey: ["tasks", ...queryKey], data: {} });
const knowsNothing = () => null;

describe("what the live feed makes old", () => {
  const answers = {
    "the open task": about("task_open"),
    "its trace": about("task_open", "trace"),
    "its files": about("task_open", "files", "a.txt", "versions"),
    "its tree": {
      queryKey: ["tasks", "task_open", "tree"],
      data: { nodes: [{ id: "task_open" }, { id: "task_part" }] },
    },
    "another task": about("task_other"),
    "the list": list({}, "task_open", "task_other"),
    "subtasks too": list({ subtasks: true }, "task_other"),
    "those that failed": list({ status: "failed,cancelled" }),
    "a later page": list({ after: "cursor" }, "task_late"),
    "a project's": list({ project: "sales" }),
    "an agent's": list({ agent: "agent_b" }),
    "those of an agent by its name": list({ agent: "writer" }),
    "an agent's latest": { queryKey: ["tasks", "of agent", "agent_b"], data: { data: [] } },
    inbox: { queryKey: ["inbox", "count"], data: {} },
    agents: { queryKey: ["agents", "all"], data: [] },
  };
  const touchedBy = (news: News): string[] =>
    Object.entries(answers).flatMap(([name, answer]) => (isTouched(news, answer, knowsNothing) ? [name] : []));
  /** The inbox is looked at below: what was not heard of before may have waited. */
  const ofTasks = (...events: readonly Event[]): string[] =>
    touchedBy(newsOf(...events)).filter((name) => name !== "inbox");

  it("invalidates all tasks and the inbox when it opens, skips, or reports something unknown", () => {
    const all = Object.keys(answers).filter((name) => name !== "agents");
    for (const event of [OPEN, { ...OPEN, event: "feed.skipped" }, { ...OPEN, event: "task.changed", data: "?" }])
      expect(touchedBy(newsOf(event))).toEqual(all);
  });

  const first = ["the list", "subtasks too", "those of an agent by its name"];

  it.each([
    ["the open task", changed("task_open"), ["the open task", "its trace", "its files", "its tree", ...first]],
    ["another task", changed("task_other"), [...first.slice(0, 2), "another task", ...first.slice(2)]],
    ["a new task", changed("task_new"), first],
    ["one that failed", changed("task_new", { status: "failed" }), [...first, "those that failed"]],
    [
      "one of a project",
      changed("task_new", { task: { agent: "agent_a", project: "sales" } }),
      [...first, "a project's"],
    ],
    [
      "one of an agent",
      changed("task_new", { task: { agent: "agent_b" } }),
      [...first, "an agent's", "an agent's latest"],
    ],
    ["a task of a later page", changed("task_late", { hidden: true }), ["a later page"]],
    ["a call over the API", changed("task_call", { hidden: true }), []],
    ["one that is erased", changed("task_late", { status: "erased", root_id: null, task: null }), ["a later page"]],
  ])("by %s is what shows it or may come to show it", (_, event, touched) => {
    expect(ofTasks(event).toSorted()).toEqual(touched.toSorted());
  });

  it("by two hundred other tasks that run is the list, and nothing of the open task", () => {
    const others = Array.from({ length: 200 }, (_, index) =>
      changed(`task_${index}`, { parent_id: "task_x", root_id: "task_x" }),
    );
    expect(ofTasks(...others)).toEqual(["subtasks too"]);
    const roots = Array.from({ length: 200 }, (_, index) => changed(`task_${index}`));
    expect(ofTasks(...roots)).toEqual(first);
  });

  it("by a subtask is its parent, the tree that it joins, and the files that they share", () => {
    const part = { parent_id: "task_open", root_id: "task_open" };
    expect(ofTasks(changed("task_new", part))).toEqual(["the open task", "its files", "its tree", "subtasks too"]);
    const deep = { parent_id: "task_part", root_id: "task_open" };
    expect(ofTasks(changed("task_deep", deep))).toEqual(["its files", "its tree", "subtasks too"]);
  });

  it("by a task of the same tree is the files that a subtask's page shows", () => {
    const news = newsOf(changed("task_sister", { parent_id: "task_root", root_id: "task_root" }));
    const files = about("task_open", "files");
    expect(isTouched(news, files, () => "task_root")).toBe(true);
    expect(isTouched(news, files, () => "task_elsewhere")).toBe(false);
  });

  it("is an answer that has not come yet", () => {
    expect(isTouched(newsOf(changed("task_a")), { queryKey: ["tasks", "task_b"], data: undefined }, knowsNothing)).toBe(
      true,
    );
  });
});

describe("what waits", () => {
  const isInbox = (news: FeedNews, ...events: readonly Event[]): boolean => {
    for (const event of events) news.add(event);
    return news.take().isInbox;
  };

  it("is read again when a task asks, asks on, or asks no more, and not when it only works", () => {
    const news = new FeedNews();
    expect(isInbox(news, changed("task_a"))).toBe(true);
    expect(isInbox(news, changed("task_a"), changed("task_a", { status: "sleeping" }))).toBe(false);
    expect(isInbox(news, changed("task_a", { pending: 1 }))).toBe(true);
    expect(isInbox(news, changed("task_a", { pending: 1 }))).toBe(true);
    expect(isInbox(news, changed("task_a"))).toBe(true);
    expect(isInbox(news, changed("task_a"))).toBe(false);
  });

  it("is read again after anything that was not reported", () => {
    const news = new FeedNews();
    isInbox(news, changed("task_a"), OPEN);
    expect(isInbox(news, changed("task_a"))).toBe(true);
  });
});

describe("the news", () => {
  it("are reported once, and of too many tasks as all", () => {
    const news = new FeedNews();
    news.add(changed("task_a"));
    expect(news.take().changes).toHaveLength(1);
    expect(news.take()).toEqual({ isAll: false, isInbox: false, changes: [] });
    for (let index = 0; index < 2_000; index += 1) news.add(changed(`task_${index}`));
    const { isAll, changes } = news.take();
    expect([isAll, changes.length <= 500]).toEqual([true, true]);
  });
});
