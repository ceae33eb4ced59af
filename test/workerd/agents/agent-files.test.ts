import { describe, expect, test } from "vitest";
import { NOTIFIER_FILE } from "../../fakes/notifier-file.ts";
import { makeId } from "../../../core/base/ids.ts";
import { type Caller, expectProblem, makeCaller } from "../http/entry.ts";

const YAML = { "content-type": "application/yaml" };
const put = (caller: Caller, method: string, path: string, text: string, type = "application/yaml") =>
  caller.send(method, path, text, { "content-type": type });

const FILE = `
# In the manner of document 003
name: "reader"
tools:
  - "read_file"
  - "http*"
tool_config:
  files:
    allow_write: false
budgets:
  permissions: [:read, write]
  max_steps: 7
`;

describe("an agent's file", () => {
  test("makes an agent, and its next version", async () => {
    const caller = await makeCaller();
    const made = await put(caller, "POST", "/v1/agents", FILE);
    expect(made.status, made.text).toBe(201);
    expect(made.json).toMatchObject({
      name: "reader",
      version: 1,
      tools: ["read_file", "http*"],
      permissions: ["read", "write"],
      budget: { max_steps: 7 },
      tool_config: { files: { allow_write: false } },
    });
    const next = await put(
      caller,
      "PUT",
      `/v1/agents/${made.json.id}`,
      FILE.replace("7", "9"),
      "text/yaml; charset=utf-8",
    );
    expect(next.json).toMatchObject({ version: 2, budget: { max_steps: 9 } });
    const file = await caller.send("GET", `/v1/agents/${made.json.id}`, undefined, { accept: "application/yaml" });
    expect([file.headers.get("content-type"), file.headers.get("etag")]).toEqual([
      "application/yaml; charset=utf-8",
      '"2"',
    ]);
    expect(file.text).toMatch(/^# agent_\w+, version 2\n/);
    const again = await put(caller, "POST", "/v1/agents", file.text.replace("name: reader", "name: twin"));
    const { id: _, version: __, name: ___, created_at: ____, updated_at: _____, ...config } = again.json;
    expect(next.json).toMatchObject(config);
    expect((await caller.send("GET", `/v1/agents/${made.json.id}`)).headers.get("content-type")).toContain("json");
  });

  test.each([
    ["a field that nobody knows", "colour: red", "colour"],
    ["a limit that there is not", "budgets: {max_money: 1}", "budgets.max_money"],
    ["permissions in two places", "permissions: [read]\nbudgets: {permissions: [read]}", "permissions"],
    ["a permission that there is not", "budgets: {permissions: [fly]}", "permissions.0"],
    ["no sandbox", "sandbox: {enabled: false}", "sandbox.enabled"],
    ["a sandbox without rules", "sandbox:", "sandbox"],
    ["a setting of no tool", "tool_config: {fly.high: {wings: 2}}", "tool_config.fly.high"],
    ["a setting that there is not", "tool_config: {files: {colour: red}}", "tool_config.files.colour"],
    [
      "settings of more tools than there are to set",
      `tool_config: {${Array.from({ length: 201 }, (_, index) => `tool_${index}: {}`).join(", ")}}`,
      "tool_config",
    ],
    ["a setting of another type", "tool_config: {files: {allow_write: 7}}", "tool_config.files.allow_write"],
    [
      "a setting in two places",
      "tool_config: {files: {allow_write: true}}\nsandbox: {allow_write: true}",
      "tool_config.files.allow_write",
    ],
    [
      "a tool with nothing to set",
      "tool_config: {get_current_datetime: {zone: UTC}}",
      "tool_config.get_current_datetime",
    ],
    ["a name that stands twice", "name: other", "body"],
    ["text that is no YAML", "a: [", "body"],
  ])("is refused for %s, by its name", async (_what, text, field) => {
    const caller = await makeCaller();
    expectProblem(await put(caller, "POST", "/v1/agents", `name: reader\ntools: []\n${text}\n`), 422, field);
  });

  test("is accepted for agents only", async () => {
    const caller = await makeCaller();
    expectProblem(await caller.send("POST", "/v1/tasks", "input: hello", YAML), 415);
    expectProblem(await caller.send("POST", "/v1/agents", "- a list", YAML), 422, "body");
    expectProblem(await caller.send("POST", "/v1/agents", "a: &x [*x]", YAML), 422, "body");
  });

  test("is read in time that grows with it, or refused: by each mistake, level, name and alias", async () => {
    const caller = await makeCaller();
    const bombs = Array.from(
      { length: 30 },
      (_, at) =>
        `l${at}: &l${at} [${Array(9)
          .fill(at && `*l${at - 1}`)
          .join()}]`,
    );
    const names = Array.from({ length: 60_000 }, (_, at) => `k${at}: 1`);
    const pieces = ["]", "&a ", "*a ", "!t ", "[", "? ", "- "].map((piece) => piece.repeat(1_000_000 / piece.length));
    for (const text of [...pieces, `"${"\\q".repeat(400_000)}"`, bombs.join("\n"), names.join("\n")]) {
      const answer = await caller.send("POST", "/v1/agents", text, YAML);
      expect(answer.status, answer.text.slice(0, 200)).toBe(422);
    }
  });

  test("may say a thing once and name it again", async () => {
    const caller = await makeCaller();
    const text = "name: twice\ninstructions: Do it.\ntools: &names [read_file, grep]\nidempotent_hosts: *names\n";
    const made = await put(caller, "POST", "/v1/agents", text);
    expect(made.json).toMatchObject({ tools: ["read_file", "grep"], idempotent_hosts: ["read_file", "grep"] });
  });
});

/** Document 003's Permission Enforcement and Sandbox Enforcement. */
const LIMITS = `budgets:
  permissions: [:read, :write]  # Agent can only use read/write tools
sandbox:
  enabled: true
  allowed_paths: ["/app/src", "/app/test"]
  denied_patterns: ["**/*.secret", ".env*"]
`;

describe("[003] an agent's file, applied by name", () => {
  const apply = async (caller: Caller, text: string, path = "/v1/agents/slack_notifier") =>
    await put(caller, "PUT", path, text);

  test("creates the agent, changes nothing when applied again, and makes a version of what changed", async () => {
    const caller = await makeCaller();
    const made = await apply(caller, NOTIFIER_FILE);
    expect([made.status, made.headers.get("location")], made.text).toEqual([201, `/v1/agents/${made.json.id}`]);
    expect(made.json).toMatchObject({
      name: "slack_notifier",
      version: 1,
      tools: ["slack.notify", "fs.read"],
      tool_config: { "slack.notify": { default_channel: "#alerts" } },
    });
    const again = await apply(caller, NOTIFIER_FILE);
    expect([again.status, again.json]).toEqual([200, made.json]);
    const file = await caller.send("GET", "/v1/agents/slack_notifier", undefined, { accept: "application/yaml" });
    expect((await apply(caller, file.text)).json).toEqual(made.json);
    const changed = await apply(caller, NOTIFIER_FILE + LIMITS);
    expect(changed.json).toMatchObject({
      id: made.json.id,
      version: 2,
      permissions: ["read", "write"],
      sandbox: { allowed_paths: ["/app/src", "/app/test"], denied_patterns: ["**/*.secret", ".env*"] },
    });
    expect((await apply(caller, NOTIFIER_FILE + LIMITS)).json.version).toBe(2);
  });

  test("has rules whose paths begin with a slash in force", async () => {
    const caller = await makeCaller();
    await apply(caller, NOTIFIER_FILE + LIMITS);
    const read = async (path: string) =>
      await caller.send("POST", "/v1/tools/fs.read/call", { arguments: { path }, agent: "slack_notifier" });
    expect((await read("/etc/passwd")).json.error.message).toBe("File access denied by sandbox: /etc/passwd");
    expect((await read("/app/src/main.ex")).json.error.message).toBe("File not found: app/src/main.ex");
  });

  test("creates one agent when it is applied twice at the same time", async () => {
    const caller = await makeCaller();
    const both = await Promise.all([apply(caller, NOTIFIER_FILE), apply(caller, NOTIFIER_FILE)]);
    expect(both.map(({ status }) => status).every((status) => status === 200 || status === 201)).toBe(true);
    expect(new Set(both.map(({ json }) => `${json.id} ${json.version}`)).size).toBe(1);
  });

  test("is refused under another name, under an id that no agent has, and for a version of what is not there", async () => {
    const caller = await makeCaller();
    expectProblem(await apply(caller, NOTIFIER_FILE, "/v1/agents/other"), 422, "name");
    expectProblem(await apply(caller, NOTIFIER_FILE, `/v1/agents/${makeId("agent", 1, new Uint8Array(10))}`), 404);
    expectProblem(await apply(caller, NOTIFIER_FILE, "/v1/agents/no%20name"), 404);
    const conditional = { "content-type": "application/yaml", "if-match": '"1"' };
    expectProblem(await caller.send("PUT", "/v1/agents/slack_notifier", NOTIFIER_FILE, conditional), 404);
    expect((await caller.send("GET", "/v1/agents/slack_notifier")).status).toBe(404);
  });
});

test("a toolbox's settings hold for the tasks of the agent, and the built-in names of them for no other", async () => {
  const caller = await makeCaller();
  await put(caller, "POST", "/v1/agents", FILE.replace('"read_file"', '"*"'));
  const write = { arguments: { filename: "a.txt", content: "x" } };
  const refused = await caller.send("POST", "/v1/tools/write_file/call", { ...write, agent: "reader" });
  expect(refused.json.error.message).toBe("Write access is disabled (allow_write=False).");
  expect((await caller.send("POST", "/v1/tools/write_file/call", write)).json.ok).toBe(true);
});
