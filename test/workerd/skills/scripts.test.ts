/** Scripts of skills through the whole gateway, by a model and by the API, with the real sidecar and its cage. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { type Caller, makeCaller } from "../http/entry.ts";
import { recordsOf, serve, somewhere } from "../outside.ts";
import { skillText, uploadText, uploadZip } from "./client.ts";

const TENANT_LIMIT_BYTES = 107_374_182_400;
const AGENT = {
  instructions: "",
  tools: ["*"],
  permissions: ["read", "write", "exec"],
  approval: { dangerous: "allow" },
};

let caller: Caller;

beforeAll(async () => {
  caller = await makeCaller();
});

async function makeAgent(by: Caller, change: object): Promise<string> {
  const made = await by.send("POST", "/v1/agents", { ...AGENT, name: `agent-${crypto.randomUUID()}`, ...change });
  expect(made.status, made.text).toBe(201);
  return made.json.id;
}

/** A task that is held, under these skills. */
async function heldTask(skills: string[], change: object = {}, by = caller): Promise<string> {
  return (await by.makeTask([], { hold: true, skills, agent: await makeAgent(by, change) })).id;
}

async function put(task: string, path: string, text: string, by = caller): Promise<void> {
  const answer = await by.send("PUT", `/v1/tasks/${task}/files/${path}`, text, { "content-type": "text/plain" });
  expect(answer.status, answer.text).toBeLessThan(300);
}

async function textAt(task: string, path: string): Promise<string | null> {
  const answer = await caller.send("GET", `/v1/tasks/${task}/files/${path}`);
  return answer.status === 200 ? answer.text : null;
}

async function pathsOf(task: string, by = caller): Promise<string[]> {
  return (await by.send("GET", `/v1/tasks/${task}/files`)).json.data.map(({ path }: { path: string }) => path);
}

/** Runs a script for a task, and gives what the API answers. */
async function runScript(task: string, skill: string, args: string | string[] = [], by = caller) {
  const given = { skill_name: skill, script_name: "run", args };
  const answer = await by.send("POST", "/v1/tools/run_skill_script/call", { arguments: given, task_id: task });
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

/** Uploads a skill with one script, and gives its name. */
async function uploadScript(script: string, declared: readonly string[] = [], by = caller): Promise<string> {
  const name = `skill-${crypto.randomUUID()}`;
  const head = ["scripts:", "  - name: run", ...declared.map((line) => `    ${line}`)];
  const files = { "SKILL.md": skillText(name, head), "scripts/run.py": `#!/usr/bin/env python3\n${script}` };
  const answer = await uploadZip(by, files);
  expect(answer.status, answer.text).toBe(201);
  return name;
}

describe("the script of data-report", () => {
  const SALES = "region,amount\nnorth,10\nsouth,20\nnorth,30\nsouth,\n";

  test("reports on a CSV file for a model that works under the skill, and stores what it wrote", async () => {
    const run = {
      name: "run_skill_script",
      arguments: {
        skill_name: "data-report",
        script_name: "report.py",
        args: "data/sales.csv --out report --group region --value amount",
      },
    };
    const agent = await makeAgent(caller, {});
    const task = await caller.makeTask([{ calls: [run] }, { text: "Done." }], {
      agent,
      hold: true,
      skills: ["data-report"],
    });
    await put(task.id, "data/sales.csv", SALES);
    await caller.send("POST", `/v1/tasks/${task.id}/start`);
    await caller.until(task.id, ({ status }) => status === "completed");
    const { data } = (await caller.send("GET", `/v1/tasks/${task.id}/ledger`)).json;
    expect(data).toMatchObject([
      { tool: "run_skill_script", effect: "once", state: "confirmed", result: { result: { success: true } } },
    ]);
    const report = JSON.parse((await textAt(task.id, "report/report.json")) ?? "");
    expect(JSON.stringify(report)).toContain('"north"');
    expect(await textAt(task.id, "report/chart.svg")).toMatch(/^<svg|^<\?xml/);
    expect(await textAt(task.id, "report/report.md")).toMatch(/north[^\n]*40/);
    expect(await textAt(task.id, "data/sales.csv")).toBe(SALES);
  }, 60_000);

  test("says what is wrong with a file, and a model may load the skill first", async () => {
    const load = { name: "load_skill", arguments: { name: "data-report" } };
    const run = {
      name: "run_skill_script",
      arguments: { skill_name: "data-report", script_name: "report.py", args: ["it's not there.csv"] },
    };
    const replies = [{ calls: [run] }, { calls: [load] }, { calls: [run] }, { text: "Done." }];
    const { id } = await caller.makeTask(replies, { agent: await makeAgent(caller, {}), skills: [] });
    await caller.until(id, ({ status }) => status === "completed");
    const [before, loaded, after] = (await caller.send("GET", `/v1/tasks/${id}/ledger`)).json.data;
    expect(before).toMatchObject({ result: { ok: false, error: { code: "permission_denied" } } });
    expect(loaded).toMatchObject({ tool: "load_skill", state: "confirmed" });
    expect(after.result.result).toMatchObject({ success: false, exit_code: 1, changed: [] });
    expect(after.result.result.stderr).toContain("it's not there.csv: no such file");
  });
});

test("the built-in agent may do what built-in skills tell a model to do with CSV files and scripts", async () => {
  const call = async (skill: string, name: string, given: object) => {
    const task = await caller.makeTask([], { hold: true, skills: [skill] });
    await put(task.id, "sales.csv", "a,b\n1,2\n");
    return (await caller.send("POST", `/v1/tools/${name}/call`, { arguments: given, task_id: task.id })).json;
  };
  const script = { path: "skills/sums/scripts/sums.py", content: "#!/usr/bin/env python3\n" };
  expect(await call("data-report", "read_file", { path: "sales.csv" })).toMatchObject({ ok: true });
  expect(await call("data-report", "write_file", { path: "table.csv", content: "a\n1\n" })).toMatchObject({ ok: true });
  expect(await call("skill-writer", "write_file", script)).toMatchObject({ ok: true });
});

/** Tries what a program of a hostile author would, and prints what came of each. */
const REACH = `
import json, os, socket, sys, urllib.request
seen = {}
def tried(name, attempt):
    try:
        seen[name] = str(attempt())
    except BaseException as error:
        seen[name] = "no: " + type(error).__name__
for index, url in enumerate(sys.argv[1:]):
    tried("url%d" % index, lambda: urllib.request.urlopen(url, timeout=3).read()[:200])
    host, port = url.split("/")[2].split(":")
    tried("tcp%d" % index, lambda: socket.create_connection((host, int(port)), 3) and "connected")
tried("name", lambda: socket.gethostbyname("localhost.example"))
seen["environment"] = dict(os.environ)
def parents():
    found = []
    for one in os.listdir("/proc"):
        if one.isdigit():
            try:
                found.append(open("/proc/%s/environ" % one).read())
            except OSError:
                pass
    return found
tried("parents", parents)
tried("package", lambda: open("/skill/SKILL.md", "a"))
tried("root", lambda: os.listdir("/root"))
seen["uid"] = os.getuid()
print(json.dumps(seen))
`;

describe("a script", () => {
  test("that does not declare the network reaches nothing: no API, no sidecar, no secret", async () => {
    const { SIDECAR_URL, SIDECAR_SECRET } = inject("servers").variables;
    const url = somewhere();
    await serve(url, "here");
    expect(await (await fetch(url)).text()).toBe("here");
    const skill = await uploadScript(REACH);
    const task = await heldTask([skill], { permissions: ["read", "write", "exec", "network"], allowed_domains: ["*"] });
    const before = (await recordsOf(url)).length;
    const answer = await runScript(task, skill, [url, `${SIDECAR_URL}/health`]);
    expect(answer, JSON.stringify(answer)).toMatchObject({ ok: true, result: { success: true, stderr: "" } });
    const seen = JSON.parse(answer.result.stdout);
    for (const name of ["url0", "tcp0", "url1", "tcp1", "name", "package"]) expect(seen[name]).toMatch(/^no: /);
    const plain = ["HOME", "LANG", "PATH", "PWD", "PYTHONPATH", "SKILL_DIR", "TMPDIR"];
    // They name the file that keeps the links of skills out of a repository.
    const git = ["GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_CONFIG_VALUE_0"];
    expect([...plain, ...git]).toEqual(expect.arrayContaining(Object.keys(seen.environment)));
    expect(answer.result.stdout).not.toContain(SIDECAR_SECRET);
    expect(seen.parents).not.toMatch(/SIDECAR|OTTO_|DATABASE/);
    expect(seen.uid).not.toBe(0);
    expect(await recordsOf(url)).toHaveLength(before);
  });

  test("that declares it runs where the agent has the permission, and reaches what the agent's domains admit only", async () => {
    const url = somewhere();
    await serve(url, "here");
    const skill = await uploadScript(REACH, ["network: true"]);
    const without = await heldTask([skill]);
    expect(await runScript(without, skill, [url])).toMatchObject({
      ok: false,
      error: { code: "permission_denied", message: expect.stringContaining("asks for the network") },
    });
    const network = ["read", "write", "exec", "network"];
    const elsewhere = await heldTask([skill], { permissions: network, allowed_domains: ["nowhere.example"] });
    const seen = JSON.parse((await runScript(elsewhere, skill, [url])).result.stdout);
    expect([seen.url0, seen.tcp0]).toEqual([expect.stringMatching(/^no: /), expect.stringMatching(/^no: /)]);
    const admitted = await heldTask([skill], { permissions: network, allowed_domains: ["*"] });
    const through = JSON.parse((await runScript(admitted, skill, [url])).result.stdout);
    expect([through.url0, through.tcp0]).toEqual(["b'here'", expect.stringMatching(/^no: /)]);
    const none = await heldTask([skill], { permissions: network });
    expect(JSON.parse((await runScript(none, skill, [url])).result.stdout).url0).toMatch(/^no: /);
  });

  test("that declares read_only has the effect class none, and nothing that it writes is stored", async () => {
    const script = 'open("a.txt", "w").write("two")\nopen("new.txt", "w").write("x" * 100000)\nprint("ran")\n';
    const skill = await uploadScript(script, ["read_only: true"]);
    const run = { name: "run_skill_script", arguments: { skill_name: skill, script_name: "run.py" } };
    const replies = [{ calls: [run] }, { text: "Done." }];
    const { id } = await caller.makeTask(replies, {
      agent: await makeAgent(caller, {}),
      skills: [skill],
      hold: true,
    });
    await put(id, "a.txt", "one");
    await caller.send("POST", `/v1/tasks/${id}/start`);
    await caller.until(id, ({ status }) => status === "completed");
    const { data } = (await caller.send("GET", `/v1/tasks/${id}/ledger`)).json;
    expect(data).toMatchObject([{ effect: "none", state: "confirmed" }]);
    expect(data[0].result.result).toMatchObject({ stdout: "ran\n", changed: [], refused: [], note: null });
    expect(await pathsOf(id)).toEqual(["a.txt"]);
    expect(await textAt(id, "a.txt")).toBe("one");
  });

  test("has its changes stored under the quota, all of them or nothing", async () => {
    const own = await makeCaller();
    const script = 'import os\nos.remove("a.txt")\nopen("big.bin", "wb").write(b"0" * 100000)\n';
    const skill = await uploadScript(script, [], own);
    const task = await heldTask([skill], {}, own);
    await put(task, "a.txt", "one", own);
    await tenantsFromEnv(env)(own.tenant).holdStorage("another", TENANT_LIMIT_BYTES - 65_536);
    const { result } = await runScript(task, skill, [], own);
    expect(result).toMatchObject({ success: true, changed: [] });
    expect(result.note).toMatch(/^Nothing that the (?:command|script) changed was kept/);
    expect(await pathsOf(task, own)).toEqual(["a.txt"]);
  });

  test("brings no link out, and nothing that the agent's rules do not admit", async () => {
    const script = [
      "import os",
      'os.symlink("/etc/passwd", "passwd")',
      'open(".env", "w").write("x")',
      'open("good.txt", "w").write("x")',
      'open("../outside.txt", "w")',
    ].join("\n");
    const skill = await uploadScript(script);
    const task = await heldTask([skill]);
    const { result } = await runScript(task, skill);
    expect(result.success).toBe(false);
    expect(result.refused.map(({ path }: { path: string }) => path).sort()).toEqual([".env", "passwd"]);
    expect(await pathsOf(task)).toEqual(["good.txt"]);
  });

  test("is ended when the time that it declares is up", async () => {
    const skill = await uploadScript('import time\nprint("begun", flush=True)\ntime.sleep(60)\n', ["timeout: 4"]);
    const { result } = await runScript(await heldTask([skill]), skill);
    expect(result).toMatchObject({ success: false, timed_out: true, exit_code: null, stdout: "begun\n" });
  });

  test("that is not declared where others are, or is another skill's, is not run", async () => {
    const skill = `skill-${crypto.randomUUID()}`;
    const files = { "scripts/run.py": "print('ran')\n", "scripts/other.py": "print('ran')\n" };
    await uploadZip(caller, { "SKILL.md": skillText(skill, ["scripts: [other.py]"]), ...files });
    const other = await uploadScript('print("ran")');
    const task = await heldTask([skill]);
    expect(await runScript(task, skill)).toMatchObject({ ok: false, error: { code: "invalid_input" } });
    expect(await runScript(task, other)).toMatchObject({ ok: false, error: { code: "permission_denied" } });
  });

  test("of a public skill, which declares none, is run by the built-in agent, whose commands stay off", async () => {
    const skill = `skill-${crypto.randomUUID()}`;
    const script =
      "import sys\nprint(open('/skill/references/a.md').read(), open('references/a.md').read(), sys.argv[1:])\n";
    const files = { "SKILL.md": skillText(skill), "scripts/fill/form.py": script, "references/a.md": "a" };
    expect((await uploadZip(caller, files)).json.skill.scripts).toMatchObject([
      { name: "fill/form.py", network: false },
    ]);
    const given = { skill_name: skill, script_name: "scripts/fill/form.py", args: "x y" };
    const replies = [{ calls: [{ name: "run_skill_script", arguments: given }] }, { text: "Done." }];
    const { id } = await caller.makeTask(replies, { skills: [skill] });
    await caller.until(id, ({ status }) => status === "completed");
    const [call] = (await caller.send("GET", `/v1/tasks/${id}/ledger`)).json.data;
    expect(call.result).toMatchObject({ ok: true, result: { success: true, stdout: "a a ['x', 'y']\n", refused: [] } });
    const open = await caller.makeTask([], { hold: true, skills: [skill] });
    const command = { arguments: { command: "ls" }, task_id: open.id };
    expect((await caller.send("POST", "/v1/tools/run_command/call", command)).json).toMatchObject({
      ok: false,
      error: { code: "permission_denied" },
    });
  });

  test("is the one that the task began with, also when the skill was replaced or deleted meanwhile", async () => {
    const skill = await uploadScript('print("first")');
    const task = await heldTask([skill]);
    await uploadText(caller, skillText(skill));
    expect((await runScript(task, skill)).result).toMatchObject({ stdout: "first\n" });
    expect((await caller.send("DELETE", `/v1/skills/${skill}`)).status).toBe(200);
    expect((await runScript(task, skill)).result).toMatchObject({ stdout: "first\n" });
  });
});
