/** Every example of document 003, each named by its paragraph. Deviations are in decision 0112. */
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import { failRateLimited } from "../../../adapters/slack/refusals.ts";
import { failed, ok } from "../../../core/base/errors.ts";
import { parseAgentDocument } from "../../../core/agents/document.ts";
import { checkEnvelope } from "../../../core/gateway/envelope.ts";
import type { FilesPort } from "../../../core/ports/files.ts";
import type { SandboxRules } from "../../../core/sandbox/rules.ts";
import { toToolError } from "../../../core/steps/prepare.ts";
import { openToolBus, type ToolBus } from "../../../core/steps/tool-bus.ts";
import { getInputSchema } from "../../../core/tool/input-schema.ts";
import type { CallFacts, ToolResult } from "../../../core/tool/tool.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { fakeFiles } from "../../fakes/files.ts";
import { fakeScripts } from "../../fakes/scripts.ts";
import { fakeSlack, makeNotesPort } from "../../fakes/slack.ts";
import { fakeWeb } from "../../fakes/web.ts";
import type { ToolPorts } from "../../../core/ports/tool-ports.ts";
import { contextFacts, DEFAULT_RULES, OPEN_RULES, runTool } from "../run-tool.ts";

let files: FilesPort;
beforeEach(() => {
  files = fakeFiles();
});

async function put(path: string, text: string): Promise<void> {
  await files.write(path, new TextEncoder().encode(text), { key: crypto.randomUUID() });
}

/** The bus of the document: `call_tool` runs the tool on fakes. */
async function openBus(facts: Partial<CallFacts> = {}, ports: Partial<ToolPorts> = {}): Promise<ToolBus> {
  const call = async (tool: (typeof catalogue)[number], given: object): Promise<ToolResult> => {
    const ran = await runTool(tool, given, { files, ...ports }, { sandbox: OPEN_RULES, ...facts });
    return ran.failure === undefined
      ? { ok: true, result: ran.result }
      : { ok: false, error: toToolError(ran.failure) };
  };
  const acts = { call, reload: async () => ok(undefined), register: async () => ok(undefined) };
  return await openToolBus({ tools: catalogue, patterns: linearPatterns, acts });
}

async function callTool(
  name: string,
  given: Readonly<Record<string, unknown>>,
  facts: Partial<CallFacts> = {},
  ports: Partial<ToolPorts> = {},
): Promise<ToolResult> {
  const called = await (await openBus(facts, ports)).call(name, given);
  return called.ok ? called.value : { ok: false, error: toToolError(called.error) };
}

describe("[003] Otto.Tool Behaviour, Implementation Example: fs.read", () => {
  test("has the name, the permission and the parameters", () => {
    const tool = catalogue.find(({ name }) => name === "fs.read");
    expect(tool?.permissions).toEqual(["read"]);
    expect(tool === undefined ? null : getInputSchema(tool)).toMatchObject({
      type: "object",
      properties: { path: { type: "string" }, max_size: { type: "integer", default: 2_097_152 } },
      required: ["path"],
    });
  });

  test("fails with its words", async () => {
    await put("big.txt", "12345");
    await files.write("locked.txt", new Uint8Array(1), { key: "locked", mode: 0o200 });
    const rules: SandboxRules = { ...DEFAULT_RULES, allowedPaths: ["/app"] };
    const messageOf = async (given: Record<string, unknown>, sandbox = OPEN_RULES) => {
      const result = await callTool("fs.read", given, { sandbox });
      return result.ok ? null : result.error.message;
    };
    expect(await messageOf({ path: "no.txt" })).toBe("File not found: no.txt");
    expect(await messageOf({ path: "locked.txt" })).toBe("Permission denied: locked.txt");
    expect(await messageOf({ path: "big.txt", max_size: 4 })).toBe("File too large: 5 bytes");
    expect(await messageOf({ path: "/etc/passwd" }, rules)).toBe("File access denied by sandbox: /etc/passwd");
  });

  test("refuses a call without a path", async () => {
    expect(await callTool("fs.read", {})).toMatchObject({ ok: false, error: { code: "invalid_input", field: "path" } });
  });
});

describe("[003] Otto.ToolBus Registry", () => {
  test("Tool Registration: registers a tool, and says why a definition is invalid", async () => {
    const bus = await openBus();
    const definition = { summary: "Read it.", input: { type: "object" }, request: { url: "https://x.example/" } };
    expect(await bus.register({ name: "file_reader", ...definition })).toMatchObject({ ok: true });
    expect(await bus.register("NotATool")).toMatchObject({
      ok: false,
      error: { code: "invalid_input", message: expect.stringContaining("not a valid tool") },
    });
  });

  test("Tool Discovery: lists every tool, and finds one by name", async () => {
    const bus = await openBus();
    const names = bus.list().map(({ tool }) => tool.name);
    expect(names).toEqual(expect.arrayContaining(["fs.read", "fs.write", "grep", "http.get", "test.run"]));
    expect(bus.get("fs.read")).toMatchObject({ ok: true, value: { tool: { name: "fs.read" } } });
    expect(bus.get("nonexistent")).toMatchObject({ ok: false, error: { code: "not_found" } });
  });

  test("Tool Information: has name, permissions and schema", async () => {
    const found = (await openBus()).get("fs.read");
    expect(found.ok && [found.value.tool.permissions, typeof getInputSchema(found.value.tool)]).toEqual([
      ["read"],
      "object",
    ]);
  });

  test("Tool Invocation: calls fs.read with a relative path", async () => {
    await put("README.md", "# My Project\n");
    const sandbox = { ...OPEN_RULES, allowedPaths: ["/"] };
    expect(await callTool("fs.read", { path: "README.md" }, { sandbox })).toEqual({
      ok: true,
      result: { content: "# My Project\n", path: "README.md", size: 13 },
    });
  });

  test("Hot Reloading: a built-in tool is reloaded by doing nothing", async () => {
    expect(await (await openBus()).reload("fs.read")).toEqual(ok(undefined));
  });
});

describe("[003] Built-in Tools", () => {
  test("fs.read", async () => {
    await put("src/main.ex", "defmodule Otto do\nend\n");
    expect(await callTool("fs.read", { path: "src/main.ex" })).toMatchObject({
      ok: true,
      result: { content: expect.stringMatching(/^defmodule/), path: "src/main.ex", size: 22 },
    });
  });

  test("fs.write", async () => {
    await put("output.txt", "before");
    expect(await callTool("fs.write", { path: "output.txt", content: "Hello, Otto!", backup: true })).toEqual({
      ok: true,
      result: { path: "output.txt", size: 12, backup_path: "output.txt.bak" },
    });
  });

  test("grep", async () => {
    await put("lib/agent.ex", "defmodule Otto.Agent do\nend\n");
    const given = { pattern: "defmodule.*Agent", path: "lib/", max_results: 50 };
    expect(await callTool("grep", given)).toMatchObject({
      ok: true,
      result: {
        results: [{ file: "lib/agent.ex", line: 1, content: "defmodule Otto.Agent do", line_number: 1 }],
        total_matches: 1,
        search_time_ms: expect.any(Number),
      },
    });
  });

  test("http.get", async () => {
    const web = fakeWeb(({ headers }) => ({
      headers: { "content-type": "application/json" },
      body: headers["authorization"] === "token abc" ? '{"login": "user"}' : "{}",
    }));
    const given = { url: "https://api.github.example/user", headers: { Authorization: "token abc" } };
    expect(await callTool("http.get", given, {}, { web })).toMatchObject({
      ok: true,
      result: { status: 200, headers: {}, body: '{"login": "user"}', response_time_ms: expect.any(Number) },
    });
  });

  test("http.post: a map as JSON by default", async () => {
    const web = fakeWeb(({ headers, body }) => ({ body: `${headers["content-type"]} ${body}` }));
    expect(await callTool("http.post", { url: "https://x.example/", body: { a: 1 } }, {}, { web })).toMatchObject({
      result: { status: 200, body: 'application/json {"a":1}' },
    });
  });

  test("json.parse", async () => {
    expect(await callTool("json.parse", { json: '{"name": "Otto", "version": "0.1.0"}' })).toEqual({
      ok: true,
      result: { name: "Otto", version: "0.1.0" },
    });
  });

  test("yaml.parse", async () => {
    expect(await callTool("yaml.parse", { yaml: "name: Otto\n" })).toEqual({ ok: true, result: { name: "Otto" } });
  });

  test("test.run", async () => {
    for (const path of ["mix.exs", "test/agent_test.exs"]) await put(path, "");
    const scripts = fakeScripts(() => ({ stdout: "Finished in 2.3 seconds\n12 tests, 0 failures\n" }));
    const given = { path: "test/agent_test.exs", timeout_ms: 30_000 };
    expect(await callTool("test.run", given, {}, { scripts })).toMatchObject({
      ok: true,
      result: { passed: 12, failed: 0, skipped: 0, duration_ms: expect.any(Number), failures: [] },
    });
  });
});

describe("[003] Custom Tool Development: slack.notify", () => {
  test("Step 1 and 4: sends a message, and refuses a call without one", async () => {
    const workspace = fakeSlack({ team: "T1", channels: [{ id: "C1", name: "general", isOpen: true }], users: [] });
    const slack = makeNotesPort([workspace]);
    expect(await callTool("slack.notify", { message: "Test notification" }, {}, { slack })).toMatchObject({
      ok: true,
      result: { sent: true, message: "Test notification" },
    });
    expect(workspace.messages).toHaveLength(1);
    expect(await callTool("slack.notify", {})).toMatchObject({ ok: false, error: { field: "message" } });
  });

  test("Step 3: `default_channel` is the channel of a call that names none", async () => {
    const channels = [{ id: "C9", name: "alerts", isOpen: true }];
    const slack = makeNotesPort([fakeSlack({ team: "T1", channels, users: [] })]);
    const facts = { config: { default_channel: "#alerts" } };
    expect(await callTool("slack.notify", { message: "Test notification" }, facts, { slack })).toMatchObject({
      result: { channel: "C9" },
    });
  });
});

describe("[003] Permission Model", () => {
  test("Permission Enforcement: names the missing permission and those that the agent has", () => {
    const tool = catalogue.find(({ name }) => name === "http.get");
    const config = { name: "a", tools: ["*"], permissions: ["read", "write"] as const };
    expect(tool === undefined ? null : checkEnvelope(tool, { agent: { config }, tools: [] } as never)).toMatchObject({
      ok: false,
      error: { message: "Tool requires :network permission but agent only has [:read, :write]" },
    });
  });

  test("Sandbox Enforcement: allowed paths and denied patterns", async () => {
    await put("app/src/main.ex", "defmodule Main do");
    await put("app/src/db.secret", "x");
    const sandbox: SandboxRules = {
      ...OPEN_RULES,
      allowedPaths: ["/app/src", "/app/test"],
      deniedPatterns: ["**/*.secret", ".env*"],
    };
    expect(await callTool("fs.read", { path: "/app/src/main.ex" }, { sandbox })).toMatchObject({ ok: true });
    expect(await callTool("fs.read", { path: "/app/src/db.secret" }, { sandbox })).toMatchObject({ ok: false });
    expect(await callTool("fs.read", { path: "/etc/passwd" }, { sandbox })).toMatchObject({
      ok: false,
      error: { code: "sandbox_denied", message: "File access denied by sandbox: /etc/passwd" },
    });
  });
});

describe("[003] Agent configuration and Tool Context", () => {
  test("Permission Enforcement: budgets name the permissions of an agent", () => {
    const document = { name: "slack_notifier", tools: ["fs.read"], budgets: { permissions: [":read", ":write"] } };
    expect(parseAgentDocument(document)).toMatchObject({ ok: true, value: { permissions: ["read", "write"] } });
  });

  test("Using Context in Tools: a call knows its agent, permissions, sandbox, directory and correlation id", () => {
    expect(contextFacts()).toMatchObject({
      agent: { id: expect.any(String) },
      permissions: ["read", "write", "exec", "network"],
      sandbox: { allowedPaths: null },
      workingDirectory: "",
      correlationId: expect.any(String),
      metadata: {},
    });
  });
});

describe("[003] Error Handling, Common Error Patterns", () => {
  test.each([
    [
      "invalid parameters",
      failed("invalid_input", "Path is required", { field: "path" }),
      { code: "invalid_input", field: "path", retry: "never", details: { field: "path" } },
    ],
    ["resource not found", failed("not_found", "File not found: x"), { code: "not_found", retry: "never" }],
    [
      "timeout, and Error Recovery: worth a repeat",
      failed("timeout", "Service request timed out", { details: { timeout_ms: 30_000 } }),
      { code: "timeout", retry: "later", details: { timeout_ms: 30_000 } },
    ],
    [
      "external service failure",
      failRateLimited(null),
      { code: "rate_limited", retry: "later", details: { service: "slack", status: 429 } },
    ],
    [
      "external service failure of another kind",
      failed("upstream_failed", "crm.example answered 502", { details: { service: "crm.example", status: 502 } }),
      { code: "upstream_failed", retry: "later", details: { service: "crm.example", status: 502 } },
    ],
  ])("%s", (_, result, error) => {
    expect(result.ok ? null : toToolError(result.error)).toMatchObject(error);
  });

  test("what is for the log stays there", () => {
    const { error } = failed("internal", "Otto failed.", { details: { thrown: "secret inside" } });
    expect(toToolError(error)).toEqual({ code: "internal", message: "Otto failed.", retry: "later" });
  });
});

describe("[003] Testing Tools", () => {
  test("Unit Testing: reads an existing file, and fails for a missing one", async () => {
    await put("sample.txt", "Hello, World!");
    expect(await callTool("fs.read", { path: "sample.txt" })).toMatchObject({
      result: { content: "Hello, World!", size: 13 },
    });
    expect(await callTool("fs.read", { path: "missing.txt" })).toMatchObject({
      error: { message: expect.stringContaining("File not found") },
    });
  });

  test("Integration Testing: reads by an absolute path through the bus", async () => {
    await put("tmp/test.txt", "Test content");
    expect(await callTool("fs.read", { path: "/tmp/test.txt" })).toMatchObject({ result: { content: "Test content" } });
  });

  test("Property-Based Testing: json.parse is the inverse of encoding", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 5 }), async (data) => {
        const json = JSON.stringify(data);
        expect(await callTool("json.parse", { json })).toEqual({ ok: true, result: JSON.parse(json) });
      }),
      { numRuns: 200 },
    );
  });
});
