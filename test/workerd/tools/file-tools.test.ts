/** The file tools as they are called: over the API and by a model, through the gateway, on the object and the bucket. */
import { beforeAll, describe, expect, test } from "vitest";
import { LITERALS, TRAVERSALS } from "../../tools/files/hostile-paths.ts";
import { type Caller, makeCaller } from "../http/entry.ts";

/** Every tool that takes a path, with what else it needs. */
const PATH_TOOLS: Readonly<Record<string, object>> = {
  read_file: {},
  write_file: { content: "x" },
  list_directory: {},
  attach_file: {},
  create_directory: {},
  delete_file: {},
  find_files: { glob: "**/*" },
  search_in_files: { pattern: "." },
  grep: { pattern: "." },
  "fs.read": {},
  "fs.write": { content: "x" },
};
const OPEN_AGENT = {
  instructions: "Follow the script.",
  tools: ["*"],
  permissions: ["read", "write"],
  sandbox: { extensions: ["*"], denied_patterns: [] },
};

/** Calls a tool for a task; gives the body of the answer. */
async function call(caller: Caller, task: string, name: string, given: object) {
  const answer = await caller.send("POST", `/v1/tools/${name}/call`, { arguments: given, task_id: task });
  expect(answer.status, `${name} ${JSON.stringify(given)}: ${answer.text}`).toBeLessThan(500);
  return answer.json;
}

async function makeTask(caller: Caller, more: object = {}): Promise<string> {
  return (await caller.makeTask([], { hold: true, ...more })).id;
}

describe("the file tools over the API", () => {
  test("work together on the files of a task", async () => {
    const caller = await makeCaller();
    const task = await makeTask(caller);
    const run = async (name: string, given: object) => await call(caller, task, name, given);
    expect(await run("create_directory", { path: "src/empty" })).toMatchObject({ ok: true, result: { success: true } });
    expect(await run("fs.write", { path: "src/a.ts", content: "one\n", mode: "0755" })).toMatchObject({
      result: { path: "src/a.ts", size: 4, backup_path: null },
    });
    expect(await run("fs_write", { file_path: "src/a.ts", content: "needle two\n" })).toMatchObject({
      result: { backup_path: "src/a.ts.bak" },
    });
    expect(await run("fs.read", { path: "src/a.ts.bak" })).toMatchObject({ result: { content: "one\n" } });
    expect(await run("find_files", { glob: "**/*.ts*" })).toMatchObject({
      result: { files: ["src/a.ts", "src/a.ts.bak"], total: 2 },
    });
    expect(await run("list_directory", { path: "src" })).toMatchObject({
      result: { entries: [{ name: "a.ts" }, { name: "a.ts.bak" }, { name: "empty", kind: "directory" }] },
    });
    expect(await run("grep", { pattern: "NEEDLE", path: "src/", case_sensitive: false })).toMatchObject({
      result: { results: [{ file: "src/a.ts", line: 1, content: "needle two", line_number: 1 }], total_matches: 1 },
    });
    expect(await run("search_in_files", { pattern: "needle", glob: "**/*.ts" })).toMatchObject({
      result: { matches: [{ file: "src/a.ts", line_number: 1, line: "needle two" }], total: 1 },
    });
    expect(await run("delete_file", { path: "src/a.ts" })).toMatchObject({ ok: true });
    expect(await run("fs.read", { path: "src/a.ts" })).toMatchObject({
      ok: false,
      error: { code: "not_found", message: "File not found: src/a.ts", field: "path" },
    });
  });

  test("work in the folder that the tasks of a project share, and there alone for the others", async () => {
    const caller = await makeCaller();
    const [one, two, outside] = [
      await makeTask(caller, { project: "sales" }),
      await makeTask(caller, { project: "sales" }),
      await makeTask(caller),
    ];
    await call(caller, one, "create_directory", { path: "project/drafts" });
    await call(caller, one, "fs.write", { path: "project/notes/a.md", content: "needle" });
    await call(caller, one, "fs.write", { path: "own.md", content: "needle" });
    const changed = await call(caller, two, "fs.write", { path: "project/notes/a.md", content: "needle again" });
    expect(changed).toMatchObject({ result: { path: "project/notes/a.md", backup_path: "project/notes/a.md.bak" } });
    const readPlaces = async (task: string, given: object) =>
      (await call(caller, task, "grep", { pattern: "needle", ...given })).result.results.map(
        ({ file }: { file: string }) => file,
      );
    expect(await readPlaces(one, {})).toEqual(["own.md", "project/notes/a.md", "project/notes/a.md.bak"]);
    expect(await readPlaces(two, { path: "project" })).toEqual(["project/notes/a.md", "project/notes/a.md.bak"]);
    expect(await readPlaces(two, { path: "project/notes/a.md" })).toEqual(["project/notes/a.md"]);
    expect(await readPlaces(outside, {})).toEqual([]);
    expect(await call(caller, two, "find_files", { glob: "*.md", path: "project/notes" })).toMatchObject({
      result: { files: ["project/notes/a.md"] },
    });
    expect(await call(caller, two, "list_directory", { path: "project" })).toMatchObject({
      result: { entries: [{ name: "drafts" }, { name: "notes" }] },
    });
    expect(await call(caller, two, "delete_file", { path: "project" })).toMatchObject({ error: { code: "conflict" } });
    expect(await call(caller, two, "delete_file", { path: "project/notes/a.md" })).toMatchObject({ ok: true });
    expect(await readPlaces(one, { path: "project" })).toEqual(["project/notes/a.md.bak"]);
    const versions = await caller.send("GET", `/v1/tasks/${one}/file-versions/project/notes/a.md`);
    expect(versions.json.data).toMatchObject([{ version: 2 }, { version: 1 }]);
  });

  test("show one tenant nothing of another's, also in a project of the same name", async () => {
    const [owner, other] = [await makeCaller(), await makeCaller()];
    const theirs = await makeTask(owner, { project: "sales" });
    await call(owner, theirs, "write_file", { filename: "secret.md", content: "canary" });
    await call(owner, theirs, "write_file", { filename: "project/secret.md", content: "canary" });
    const mine = await makeTask(other, { project: "sales" });
    for (const [name, more] of Object.entries(PATH_TOOLS)) {
      for (const path of ["secret.md", "project/secret.md", "project", `${owner.tenant}/tree/${theirs}/secret.md`]) {
        if (["write_file", "fs.write", "create_directory"].includes(name)) continue;
        expect(JSON.stringify(await call(other, mine, name, { ...more, path }))).not.toContain("canary");
      }
      const asTheirs = await other.send("POST", `/v1/tools/${name}/call`, {
        arguments: { ...more, path: "secret.md" },
        task_id: theirs,
      });
      expect(asTheirs.status, asTheirs.text).toBe(404);
    }
    expect(await call(other, mine, "find_files", { glob: "**" })).toMatchObject({ result: { total: 0 } });
    expect(await call(other, mine, "grep", { pattern: "canary" })).toMatchObject({ result: { total_matches: 0 } });
  });

  test("follow the rules of the task's agent", async () => {
    const caller = await makeCaller();
    const agent = await caller.send("POST", "/v1/agents", {
      ...OPEN_AGENT,
      name: "reader",
      sandbox: { allow_write: false, allowed_paths: ["app"] },
    });
    const task = await makeTask(caller, { agent: agent.json.id });
    for (const path of ["app/a.txt", "app/.env", "app-evil/a.txt"]) {
      await caller.send("PUT", `/v1/tasks/${task}/files/${path}`, "needle", { "content-type": "text/plain" });
    }
    expect(await call(caller, task, "find_files", { glob: "**" })).toMatchObject({ result: { files: ["app/a.txt"] } });
    expect(await call(caller, task, "grep", { pattern: "needle" })).toMatchObject({ result: { total_matches: 1 } });
    for (const [name, more] of Object.entries(PATH_TOOLS)) {
      if (!["write_file", "fs.write", "create_directory", "delete_file"].includes(name)) continue;
      expect(await call(caller, task, name, { ...more, path: "app/a.txt" })).toMatchObject({
        ok: false,
        error: { code: "sandbox_denied", message: "Write access is disabled (allow_write=False)." },
      });
    }
  });
});

describe("a model", () => {
  test("calls the tools by their names with underscores, and reads what they found", async () => {
    const caller = await makeCaller();
    const calls = (...wanted: [string, object][]) => ({
      calls: wanted.map(([name, given]) => ({ name, arguments: given })),
    });
    const task = await caller.makeTask([
      calls(["fs_write", { path: "src/a.ts", content: "needle\n" }], ["create_directory", { path: "out" }]),
      calls(
        ["grep", { pattern: "needle" }],
        ["search_in_files", { pattern: "(" }],
        ["find_files", { glob: "**/*.ts" }],
        ["fs_read", { path: "src/a.ts" }],
        ["fs_read", { path: "../../etc/passwd" }],
      ),
      calls(["delete_file", { path: "src/a.ts" }]),
      { text: "Done." },
    ]);
    await caller.until(task.id, ({ status }) => status === "completed");
    const { data } = (await caller.send("GET", `/v1/tasks/${task.id}/ledger`)).json;
    const said = data.map(({ tool, state, result }: { tool: string; state: string; result: object }) => [
      tool,
      state,
      result,
    ]);
    expect(said).toMatchObject([
      ["fs.write", "confirmed", { ok: true }],
      ["create_directory", "confirmed", { ok: true }],
      ["grep", "confirmed", { ok: true, result: { total_matches: 1 } }],
      ["search_in_files", "confirmed", { ok: true, result: { total: 0 } }],
      ["find_files", "confirmed", { ok: true, result: { files: ["src/a.ts"] } }],
      ["fs.read", "confirmed", { ok: true, result: { content: "needle\n" } }],
      [
        "fs.read",
        "refused",
        { ok: false, error: { code: "sandbox_denied", message: "File access denied by sandbox: ../../etc/passwd" } },
      ],
      ["delete_file", "confirmed", { ok: true }],
    ]);
    expect((await caller.send("GET", `/v1/tasks/${task.id}/files`)).json.data).toEqual([]);
  });
});

describe("a hostile path", () => {
  let caller: Caller;
  let task: string;

  beforeAll(async () => {
    caller = await makeCaller();
    const agent = await caller.send("POST", "/v1/agents", { ...OPEN_AGENT, name: "open" });
    task = await makeTask(caller, { agent: agent.json.id });
  });

  // Every path goes through several tools here, and every one through every tool in `test/tools`.
  test.each(Object.entries(PATH_TOOLS).map(([name, more], index) => [name, more, index % 3] as const))(
    "leads %s nowhere, through the whole gateway",
    async (name, more, third) => {
      const paths = TRAVERSALS.filter((_, at) => at % 3 === third);
      const refused = async (path: string) => {
        const body = { arguments: { ...more, path }, task_id: task };
        const answer = await caller.send("POST", `/v1/tools/${name}/call`, body);
        const code = answer.status === 200 ? answer.json.error?.code : answer.json.code;
        expect([answer.status, path.slice(0, 80), code]).toEqual([
          answer.status === 200 ? 200 : 422,
          path.slice(0, 80),
          expect.stringMatching(/^(invalid_input|sandbox_denied)$/),
        ]);
      };
      for (let at = 0; at < paths.length; at += 10) await Promise.all(paths.slice(at, at + 10).map(refused));
      expect((await caller.send("GET", `/v1/tasks/${task}/files`)).json.data).toEqual([]);
    },
    60_000,
  );

  test("that is only an odd name is a name in this sandbox", async () => {
    const own = await makeTask(caller, { agent: "open" });
    for (const path of LITERALS) {
      await call(caller, own, "fs.write", { path, content: "x" });
    }
    const found = await call(caller, own, "find_files", { glob: "**" });
    expect(found.result.files.toSorted()).toEqual(
      [...new Set(LITERALS.map((path) => path.normalize("NFC")))].toSorted(),
    );
  }, 60_000);
});
