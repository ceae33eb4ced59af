import { expect, test } from "vitest";
import { CONNECT_REASONS } from "../../../core/connections/account.ts";
import { type AccountNeed, createConnectionMessage } from "../../../core/people/connection-message.ts";

const need: AccountNeed = {
  app: "crm",
  title: "crm",
  isShared: false,
  isServer: false,
  reason: "missing",
  task: "Q3 report",
  others: 99,
  url: null,
};
const write = (change: Partial<AccountNeed> = {}) => createConnectionMessage({ ...need, ...change });

test("names the account, the task and how many others wait, and says what to do", () => {
  expect(write()).toMatchObject({
    title: "Otto needs your account of crm",
    text: "Otto needs your account of crm: Q3 report and 99 other tasks wait.\n\nConnect it in Otto.",
  });
  expect(write({ others: 0, url: "https://otto.example/tasks/task_1" }).text).toBe(
    "Otto needs your account of crm: Q3 report waits.\n\nConnect it here: https://otto.example/tasks/task_1",
  );
  expect(write({ others: 1 }).text).toContain("Q3 report and 1 other task wait.");
  expect(write({ isShared: true, task: null }).text).toBe(
    "Otto needs the shared account of crm: schedules and tasks that use it will wait.\n\nConnect it in Otto.",
  );
});

test("has a sentence for every reason, and no format of its own from a name", () => {
  const texts = CONNECT_REASONS.map((reason) => write({ reason }).text);
  expect(new Set(texts).size).toBe(CONNECT_REASONS.length);
  const { text, title } = write({ title: "*crm*\n", task: "[a](b)\n\n# c" });
  expect(text).toContain(String.raw`your account of \*crm\*: \[a\](b) \# c and 99`);
  expect(title).toBe("Otto needs your account of *crm*");
});

test("has a button for one's own account, and none for a shared one", () => {
  expect(write({ title: "The CRM" }).connect).toEqual({ app: "crm" });
  expect(write({ isShared: true }).connect).toBeUndefined();
});

test("leads an administrator to the MCP server that has to be authorized again", () => {
  const url = "https://otto.example/mcp-servers/notes";
  const { text, connect } = write({
    title: "notes",
    isShared: true,
    isServer: true,
    reason: "expired",
    others: 0,
    url,
  });
  expect(text).toBe(
    "Otto can no longer use the shared account of notes: Q3 report waits.\n\nAuthorize the MCP server again here: https://otto.example/mcp-servers/notes",
  );
  expect(connect).toBeUndefined();
});
