/** The shell's tools through the whole gateway, by the API and by a model, with the real sidecar and its cage. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { type Caller, makeCaller } from "../http/entry.ts";

/** Of a file while a command runs on it. */
const MAX_WRITES = 200;
const TENANT_LIMIT_BYTES = 107_374_182_400;
const AGENT = {
  name: "shell",
  instructions: "",
  tools: ["*"],
  permissions: ["read", "write", "exec"],
  approval: { dangerous: "allow" },
  tool_config: { shell: { allow_shell: true } },
};

let caller: Caller;

beforeAll(async () => {
  caller = await makeCaller();
});

async function makeAgent(change: object): Promise<string> {
  const made = await caller.send("POST", "/v1/agents", { ...AGENT, name: `agent-${crypto.randomUUID()}`, ...change });
  expect(made.status, made.text).toBe(201);
  return made.json.id;
}

/** A task that is held, of an agent like the one above. */
async function heldTask(change: object = {}, more: object = {}): Promise<string> {
  return (await caller.makeTask([], { hold: true, agent: await makeAgent(change), ...more })).id;
}

async function put(task: string, path: string, text: string): Promise<void> {
  const answer = await caller.send("PUT", `/v1/tasks/${task}/files/${path}`, text, { "content-type": "text/plain" });
  expect(answer.status, answer.text).toBeLessThan(300);
}

async function textAt(task: string, path: string): Promise<string | null> {
  const answer = await caller.send("GET", `/v1/tasks/${task}/files/${path}`);
  return answer.status === 200 ? answer.text : null;
}

async function call(task: string, name: string, given: object) {
  const answer = await caller.send("POST", `/v1/tools/${name}/call`, { arguments: given, task_id: task });
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

describe("a command over the API", () => {
  test("runs on the task's files and the project's, and what it changes is there afterwards", async () => {
    const task = await heldTask({}, { project: "sales" });
    await put(task, "src/a.txt", "one\n");
    await put(task, "project/shared.txt", "two\n");
    await put(task, ".env", "SECRET=canary");
    const command =
      "cat ../project/shared.txt a.txt | sort > ../sorted.txt; rm a.txt; echo more >> ../project/shared.txt; ls -A ..";
    const answer = await call(task, "run_command", { command, cwd: "src" });
    expect(answer).toMatchObject({ ok: true, result: { returncode: 0, success: true, stderr: "", note: null } });
    expect(answer.result.stdout).toBe("project\nsorted.txt\nsrc\n");
    expect(answer.result.changed).toEqual(
      expect.arrayContaining([
        { path: "sorted.txt", change: "written" },
        { path: "project/shared.txt", change: "written" },
        { path: "src/a.txt", change: "removed" },
      ]),
    );
    expect(await textAt(task, "sorted.txt")).toBe("one\ntwo\n");
    expect(await textAt(task, "project/shared.txt")).toBe("two\nmore\n");
    expect(await textAt(task, "src/a.txt")).toBeNull();
    const versions = await caller.send("GET", `/v1/tasks/${task}/file-versions/project/shared.txt`);
    expect(versions.json.data).toMatchObject([{ version: 2 }, { version: 1 }]);
  });

  test("may run in a directory that holds nothing, and as document 002 names things", async () => {
    const task = await heldTask();
    await call(task, "create_directory", { path: "empty/deep" });
    const answer = await call(task, "execute_command", {
      command: "pwd; echo no >&2; echo x > made.txt; exit 3",
      cwd: "empty/deep",
    });
    expect(answer).toMatchObject({
      ok: true,
      result: { exit_code: 3, success: false, stderr: "no\n", truncated: false },
    });
    expect(answer.result.stdout).toMatch(/\/empty\/deep\n$/);
    expect(await textAt(task, "empty/deep/made.txt")).toBe("x\n");
  });

  test("that takes too long or says too much is cut, and its result says so", async () => {
    const task = await heldTask();
    const slow = await call(task, "run_command", { command: "echo begun; sleep 30", timeout: 3 });
    expect(slow).toMatchObject({ result: { stdout: "begun\n", returncode: -1, success: false } });
    expect(slow.result.stderr).toContain("Command timed out after 3 seconds");
    const loud = await call(task, "execute_command", { command: "yes | head -c 200000" });
    expect(loud).toMatchObject({ result: { exit_code: 0, truncated: true } });
    expect(loud.result.stdout).toHaveLength(51_200);
  });

  test("is not run without the permission exec, with document 003's words", async () => {
    const task = await heldTask({ permissions: ["read", "write"] });
    for (const [name, given] of [
      ["run_command", { command: "true" }],
      ["execute_command", { command: "true" }],
      ["test.run", {}],
    ] as const) {
      expect(await call(task, name, given)).toMatchObject({
        ok: false,
        error: {
          code: "permission_denied",
          message: "Tool requires :exec permission but agent only has [:read, :write]",
        },
      });
    }
  });

  test("is not run until the agent says so, and then only what it lists", async () => {
    const off = await heldTask({ tool_config: {} });
    expect((await call(off, "run_command", { command: "echo x > a.txt" })).result).toMatchObject({
      returncode: -1,
      stderr: expect.stringContaining("Shell execution is disabled"),
    });
    const listed = await heldTask({ tool_config: { run_command: { allow_shell: true, allowed_commands: ["echo"] } } });
    for (const command of [
      "echo; touch a.txt",
      "echofoo",
      "echo $(touch a.txt)",
      "echo\ntouch a.txt",
      "echo > a.txt",
    ]) {
      expect((await call(listed, "run_command", { command })).result).toMatchObject({
        returncode: -1,
        stdout: "",
        stderr: expect.stringContaining("not permitted"),
      });
    }
    const admitted = await call(listed, "run_command", { command: "echo 'a; b' | echo \\$HOME" });
    expect(admitted).toMatchObject({ result: { returncode: 0, stdout: "$HOME\n" } });
    for (const task of [off, listed]) {
      expect((await caller.send("GET", `/v1/tasks/${task}/files`)).json.data).toEqual([]);
    }
  });

  test("that does not fit into the tenant's quota changes nothing", async () => {
    const own = await makeCaller();
    const agent = await own.send("POST", "/v1/agents", AGENT);
    const task = (await own.makeTask([], { hold: true, agent: agent.json.id })).id;
    await own.send("PUT", `/v1/tasks/${task}/files/a.txt`, "one", { "content-type": "text/plain" });
    await tenantsFromEnv(env)(own.tenant).holdStorage("another", TENANT_LIMIT_BYTES - 65_536);
    const command = "head -c 100000 /dev/zero > big.bin; rm a.txt; echo x > small.txt";
    const answer = await own.send("POST", "/v1/tools/run_command/call", { arguments: { command }, task_id: task });
    expect(answer.json).toMatchObject({ ok: true, result: { returncode: 0, changed: [] } });
    expect(answer.json.result.note).toContain("Nothing that the command changed was kept");
    const { data } = (await own.send("GET", `/v1/tasks/${task}/files`)).json;
    expect(data.map(({ path }: { path: string }) => path)).toEqual(["a.txt"]);
  });

  test("that conflicts with a concurrent change of a file changes nothing, and names the file", async () => {
    const task = await heldTask();
    await put(task, "a.txt", "one");
    let isOver = false;
    const ran = call(task, "run_command", { command: "sleep 1; echo two > a.txt; echo x > b.txt" }).finally(() => {
      isOver = true;
    });
    for (let at = 0; !isOver && at < MAX_WRITES; at += 1) {
      await put(task, "a.txt", `meanwhile ${at}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const { result } = await ran;
    expect(result).toMatchObject({ returncode: 0, changed: [], refused: [{ path: "a.txt" }] });
    expect(result.note).toContain("a.txt is at version");
    expect(await textAt(task, "a.txt")).toMatch(/^meanwhile/);
    expect(await textAt(task, "b.txt")).toBeNull();
  });

  test("changes nothing where the agent may not write", async () => {
    const task = await heldTask({ sandbox: { allow_write: false } });
    await put(task, "a.txt", "one");
    const { result } = await call(task, "run_command", { command: "cat a.txt; echo two > a.txt" });
    expect(result).toMatchObject({ stdout: "one", changed: [] });
    expect(result.note).toContain("Write access is disabled (allow_write=False).");
    expect(await textAt(task, "a.txt")).toBe("one");
  });
});

describe("settings of the shell", () => {
  test.each([
    [{ shell: { allow_shel: true } }, "tool_config.shell.allow_shel"],
    [{ shell: { max_timeout: 121 } }, "tool_config.shell.max_timeout"],
    [{ run_command: { allowed_commands: [""] } }, "tool_config.run_command.allowed_commands.0"],
    [{ shell: { allow_shell: true }, run_command: { allow_shell: false } }, "tool_config.run_command.allow_shell"],
    [{ "test.run": { allow_shell: true } }, "tool_config.test.run"],
  ])("%j are refused by their name", async (tool_config, field) => {
    const answer = await caller.send("POST", "/v1/agents", { ...AGENT, tool_config });
    expect(answer.status, answer.text).toBe(422);
    expect(answer.json.errors).toContainEqual(expect.objectContaining({ field }));
  });
});

describe("a model", () => {
  const calls = (command: string) => ({ calls: [{ name: "run_command", arguments: { command } }] });

  test("waits for a person unless the agent says otherwise, and then runs the command once", async () => {
    const agent = await makeAgent({ approval: {} });
    const { id } = await caller.makeTask([calls("echo ran >> log.txt"), { text: "Done." }], { agent });
    const { pending } = await caller.until(id, ({ status }) => status === "waiting_approval");
    expect(await textAt(id, "log.txt")).toBeNull();
    const [approval] = pending;
    expect(approval).toMatchObject({ kind: "approval", tool: "run_command" });
    const decided = approval?.kind === "approval" ? `/v1/tasks/${id}/approvals/${approval.id}` : "";
    expect((await caller.send("POST", decided, { decision: "approve" })).status).toBe(200);
    await caller.until(id, ({ status }) => status === "completed");
    expect(await textAt(id, "log.txt")).toBe("ran\n");
  });

  test("runs commands one after the other on what the one before left", async () => {
    const { id } = await caller.makeTask(
      [calls("echo one > a.txt"), calls("cat a.txt a.txt > b.txt"), { text: "Done." }],
      {
        agent: await makeAgent({}),
      },
    );
    await caller.until(id, ({ status }) => status === "completed");
    const { data } = (await caller.send("GET", `/v1/tasks/${id}/ledger`)).json;
    expect(data).toMatchObject([
      { tool: "run_command", effect: "once", state: "confirmed" },
      { tool: "run_command", effect: "once", state: "confirmed" },
    ]);
    expect(await textAt(id, "b.txt")).toBe("one\none\n");
  });
});

describe("test.run", () => {
  /** A test runner as a project brings it: it reports one test, by what the project says. */
  const RUNNER = `
    import { readFileSync, writeFileSync } from "node:fs";
    const good = readFileSync("mood.txt", "utf8") === "good";
    const report = process.argv.find((one) => one.startsWith("--outputFile=")).slice("--outputFile=".length);
    writeFileSync("left-behind.txt", "x");
    const test = { fullName: "is good", status: good ? "passed" : "failed", failureMessages: ["not good"] };
    writeFileSync(report, JSON.stringify({
      numPassedTests: good ? 1 : 0, numFailedTests: good ? 0 : 1, numPendingTests: 0,
      testResults: [{ name: process.cwd() + "/mood.test.js", status: test.status, assertionResults: [test] }],
    }));
    process.exit(good ? 0 : 1);`;

  test("runs the project's programs, needs no allow_shell, and stores none of its changes", async () => {
    const task = await heldTask({ tool_config: {} });
    await put(task, "app/package.json", JSON.stringify({ type: "module", devDependencies: { vitest: "5" } }));
    await put(task, "app/node_modules/vitest/vitest.mjs", RUNNER);
    await put(task, "app/mood.test.js", "");
    await put(task, "app/mood.txt", "bad");
    expect(await call(task, "test.run", {})).toMatchObject({
      ok: true,
      result: {
        runner: "vitest",
        directory: "app",
        passed: 0,
        failed: 1,
        failures: [{ name: "is good", message: "not good", file: "app/mood.test.js" }],
      },
    });
    await put(task, "app/mood.txt", "good");
    expect(await call(task, "test_run", {})).toMatchObject({ result: { passed: 1, failed: 0, note: null } });
    expect(await textAt(task, "app/left-behind.txt")).toBeNull();
  });

  test("says which runner is missing", async () => {
    const task = await heldTask();
    await put(task, "package.json", JSON.stringify({ devDependencies: { vitest: "5" } }));
    expect(await call(task, "test.run", {})).toMatchObject({
      ok: false,
      error: { code: "not_available", message: expect.stringContaining("vitest is not installed in the container") },
    });
    const nothing = await heldTask();
    expect(await call(nothing, "test.run", {})).toMatchObject({ ok: false, error: { code: "not_found" } });
  });
});
