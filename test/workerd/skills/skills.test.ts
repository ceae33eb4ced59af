import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { skillsFromEnv } from "../../../adapters/env/skills.ts";
import { tasksFromEnv } from "../../../adapters/env/tasks.ts";
import { toolSourcesFromEnv } from "../../../adapters/env/tool-sources.ts";
import { SHIPPED } from "../../../core/skills/shipped.generated.ts";
import { shippedPin } from "../../../core/tool/shipped-skills.ts";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { sweep } from "../../../workers/sweep.ts";
import { type Caller, expectProblem, makeCaller, open } from "../http/entry.ts";
import { reportFiles, skillText, uploadForm, uploadText, uploadZip } from "./client.ts";
import { operatorKey, send } from "../tenant/client.ts";
import { definition, namesOf, register } from "../tools/client.ts";

const factsOf = async (caller: Caller) => {
  const task = await caller.makeTask([], { hold: true });
  const facts = await tasksFromEnv(env)(caller.tenant, task.id).facts();
  if (!facts.ok) throw new Error(facts.error.message);
  return facts.value.sources;
};

describe("a skill under the name of another publisher's", () => {
  const text = (author: string, body: string) => skillText("pdf", [`author: ${author}`], body);

  test("asks which is meant, and becomes its next version only when that is said", async () => {
    const caller = await makeCaller();
    expect((await uploadText(caller, text("Ana", "One."))).status).toBe(201);
    const refused = await uploadText(caller, text("Ben", "Two."));
    expectProblem(refused, 409, "same_skill");
    expect(refused.json.detail).toContain("same_skill=true");
    expect((await uploadText(caller, text("Ben", "Two."), "/v1/skills/validate")).json).toMatchObject({
      valid: true,
      question: expect.stringContaining("Another publisher"),
    });
    expect((await caller.send("GET", "/v1/skills/pdf")).json).toMatchObject({ versions: 1, author: "Ana" });
    const meant = await uploadText(caller, text("Ben", "Two."), "/v1/skills?same_skill=true");
    expect([meant.status, meant.json.outcome]).toEqual([201, "updated"]);
    expect((await uploadText(caller, text("Ben", "Three."))).json).toMatchObject({ outcome: "updated" });
    expectProblem(await uploadText(caller, text("Ben", "x"), "/v1/skills?same_skill=maybe"), 422, "same_skill");
  });
});

describe("a skill that is uploaded", () => {
  test("is the same skill as a folder, an archive or an archive in a form, and unchanged when it comes again", async () => {
    const caller = await makeCaller();
    const files = reportFiles("weekly-report", ["allowed-tools: [read_*, run_skill_script]", "version: 1.0"]);
    const made = await uploadForm(caller, files);
    expect(made.status, made.text).toBe(201);
    expect(made.headers.get("location")).toBe("/v1/skills/weekly-report");
    expect(made.json).toMatchObject({ outcome: "created", difference: null });
    expect(made.json.skill).toMatchObject({
      name: "weekly-report",
      slug: "weekly_report",
      source: "own",
      version: 1,
      versions: 1,
      allowed_tools: ["read_*", "run_skill_script"],
      stated_version: "1.0",
      scripts: [
        { name: "report.py", path: "scripts/report.py", description: "Makes it.", timeout_s: 30, network: false },
      ],
    });
    const again = await uploadZip(caller, files);
    expect([again.status, again.json.outcome]).toEqual([200, "unchanged"]);
    expect(again.json.skill).toEqual(made.json.skill);
    const detail = (await caller.send("GET", "/v1/skills/weekly-report")).json;
    expect(detail).toMatchObject({ ...made.json.skill, instructions: "Do it well.\n" });
    expect(detail.files).toEqual([
      { path: "SKILL.md", size: expect.any(Number), mode: "0644", hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { path: "references/notes.md", size: 8, mode: "0644", hash: await sha256Hex("# Notes\n") },
      { path: "scripts/report.py", size: expect.any(Number), mode: "0755", hash: expect.any(String) },
    ]);
  });

  test("is a tool of tasks that are made after it, at the version of then", async () => {
    const caller = await makeCaller();
    expect(await factsOf(caller)).toEqual([shippedPin]);
    const one = (await uploadText(caller, skillText("greeting"))).json.skill;
    const before = await factsOf(caller);
    const two = (await uploadText(caller, skillText("greeting", [], "Do it better."))).json.skill;
    expect([one.version, two.version, one.hash === two.hash]).toEqual([1, 2, false]);
    const [pinned] = before;
    const tools = await toolSourcesFromEnv(env).read(caller.tenant, pinned?.hash ?? "");
    expect(tools).toMatchObject({
      value: [{ name: "greeting", origin: { kind: "skill", skill: { hash: one.hash } } }],
    });
    expect((await factsOf(caller))[0]?.hash).not.toBe(pinned?.hash);
    const opened = await skillsFromEnv(env, caller).open(one.hash);
    expect(opened.ok && opened.value.text).toBe(skillText("greeting"));
    expect(await namesOf(caller, "?toolbox=skills")).toContain("greeting");
  });

  test("can be restored to an earlier version, and lists the permissions that this brings", async () => {
    const caller = await makeCaller();
    const list = (tools: string) => skillText("careful", [`allowed-tools: ${tools}`]);
    await uploadText(caller, list("[read_file]"));
    const wider = (await uploadText(caller, list("[read_file, write_file]"))).json;
    expect(wider).toMatchObject({ outcome: "updated", difference: { widens: true } });
    expect(wider.difference.said).toEqual(["It allows more tools: write_file."]);
    const open = (await uploadText(caller, skillText("careful"))).json;
    expect(open.difference).toMatchObject({ widens: true, allowed_tools: { after: null } });
    const back = await caller.send("PUT", "/v1/skills/careful", { version: 1 });
    expect(back.json).toMatchObject({ outcome: "restored", skill: { version: 1, versions: 3 } });
    expect(back.json.difference).toMatchObject({ widens: false });
    const again = await uploadText(caller, list("[read_file, write_file]"));
    expect([again.status, again.json.outcome, again.json.skill.version]).toEqual([200, "restored", 2]);
    expectProblem(await caller.send("PUT", "/v1/skills/careful", { version: 9 }), 404);
    const versions = (await caller.send("GET", "/v1/skills/careful/versions?limit=2")).json;
    const listed = versions.data.map((one: { version: number; is_current: boolean }) => [one.version, one.is_current]);
    expect(listed).toEqual([
      [3, false],
      [2, true],
    ]);
    const rest = await caller.send("GET", `/v1/skills/careful/versions?limit=2&cursor=${versions.next_cursor}`);
    expect(rest.json.data).toMatchObject([{ version: 1 }]);
    const between = (await caller.send("GET", `/v1/skills/careful/versions/${wider.skill.hash}/difference/1`)).json;
    expect(between).toMatchObject({ widens: false, allowed_tools: { added: [], removed: ["write_file"] } });
  });

  test("is rejected with the location of every problem, and nothing of it is stored", async () => {
    const caller = await makeCaller();
    const text = "---\nname: Bad Name\ntags: {a: b}\nscripts: [nowhere.py]\n---\nx\n";
    const refused = await uploadText(caller, text);
    expectProblem(refused, 422);
    expect(refused.json.errors).toEqual([
      { field: "description", message: "SKILL.md:1: description is missing" },
      { field: "name", message: expect.stringContaining('SKILL.md:2: name is "Bad Name"') },
      { field: "tags", message: expect.stringContaining("SKILL.md:3: tags is a map") },
      { field: "scripts", message: "SKILL.md:4: scripts: nowhere.py is not in scripts/" },
    ]);
    const verdict = await uploadText(caller, text, "/v1/skills/validate");
    expect(verdict.json).toMatchObject({ valid: false, skill: null });
    expect(verdict.json.problems).toHaveLength(4);
    const good = (await uploadText(caller, skillText("fine"), "/v1/skills/validate")).json;
    expect(good).toMatchObject({ valid: true, skill: { name: "fine" }, problems: [], difference: null });
    expectProblem(await caller.send("GET", "/v1/skills/fine"), 404);
  });

  test("is rejected if its tool has another tool's name, and cannot replace a built-in one", async () => {
    const caller = await makeCaller();
    expectProblem(await uploadText(caller, skillText("read-file")), 409, "name");
    await register(caller, definition("my_report", "https://nowhere.example"));
    const refused = await uploadText(caller, skillText("my-report"));
    expectProblem(refused, 409, "name");
    expect(refused.json.detail).toContain("a tool of the source custom");
    const verdict = (await uploadText(caller, skillText("my-report"), "/v1/skills/validate")).json;
    expect(verdict).toMatchObject({ valid: false, problems: [{ field: "name" }] });
    await uploadText(caller, skillText("taken"));
    expectProblem(await caller.send("POST", "/v1/tools", definition("taken", "https://nowhere.example")), 409, "name");
  });

  test("goes with its versions when it is deleted, and tasks that pinned it read it on", async () => {
    const caller = await makeCaller();
    const { hash } = (await uploadZip(caller, reportFiles("gone"))).json.skill;
    const [pinned] = await factsOf(caller);
    expect((await caller.send("DELETE", "/v1/skills/gone")).json).toMatchObject({ name: "gone", version: 1 });
    expectProblem(await caller.send("GET", "/v1/skills/gone"), 404);
    expectProblem(await caller.send("GET", "/v1/skills/gone/versions"), 404);
    expectProblem(await caller.send("DELETE", "/v1/skills/gone"), 404);
    expect(await factsOf(caller)).toEqual([shippedPin]);
    expect((await toolSourcesFromEnv(env).read(caller.tenant, pinned?.hash ?? "")).ok).toBe(true);
    expect((await skillsFromEnv(env, caller).open(hash)).ok).toBe(true);
    expect((await uploadZip(caller, reportFiles("gone"))).json).toMatchObject({
      outcome: "created",
      skill: { version: 1 },
    });
    const acts = (await caller.send("GET", "/v1/audit")).json.data.map((act: { action: string }) => act.action);
    expect(acts.slice(0, 3)).toEqual(["skill.upload", "skill.delete", "skill.upload"]);
  });

  test("serves its files with a type that browsers do not run", async () => {
    const caller = await makeCaller();
    const page = "<script>alert(1)</script>";
    await uploadZip(caller, { "SKILL.md": skillText("pages"), "assets/a b.html": page });
    const got = await open(caller, "/v1/skills/pages/files/assets/a%20b.html");
    expect(await got.text()).toBe(page);
    expect(got.headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
    expect(got.headers.get("content-disposition")).toContain("attachment");
    expectProblem(await caller.send("GET", "/v1/skills/pages/files/assets/nothing"), 404);
    expectProblem(await caller.send("GET", "/v1/skills/pages/files/..%2f..%2fetc%2fpasswd"), 403, "path");
    expectProblem(await caller.send("GET", "/v1/skills/pages/files/%ff"), 422, "path");
    expectProblem(await caller.send("GET", "/v1/skills/pages/files/SKILL.md?version=7"), 404);
    expect((await caller.send("GET", "/v1/skills/pages/files/SKILL.md?version=1")).text).toBe(skillText("pages"));
  });

  test("is changed by an admin only, and is no other tenant's", async () => {
    const [caller, other] = [await makeCaller(), await makeCaller()];
    const { hash } = (await uploadText(caller, skillText("private"))).json.skill;
    const reader = await makeCaller(["tasks:read", "tasks:write"]);
    expectProblem(await uploadText(reader, skillText("mine")), 403);
    expect((await uploadText(reader, skillText("mine"), "/v1/skills/validate")).json.valid).toBe(true);
    expectProblem(await other.send("GET", "/v1/skills/private"), 404);
    expect(await skillsFromEnv(env, other).open(hash)).toMatchObject({ ok: false, error: { code: "not_found" } });
    const names = (await other.send("GET", "/v1/skills")).json.data.map(({ name }: { name: string }) => name);
    expect(names).not.toContain("private");
    expect((await uploadText(other, skillText("private"))).json.outcome).toBe("created");
  });

  test("stays with a tenant when another that had the same package is erased", async () => {
    const [live, gone] = [await makeCaller(), await makeCaller()];
    const { hash } = (await uploadZip(live, reportFiles("shared"))).json.skill;
    expect((await uploadZip(gone, reportFiles("shared"))).json.skill.hash).toBe(hash);
    const [pinned] = await factsOf(live);
    await send({ method: "DELETE", path: `/v1/tenants/${gone.tenant}`, key: operatorKey() });
    await vi.waitFor(
      async () => {
        await sweep(env, Date.now());
        expect(await databaseFromEnv(env).tenants.listErased(100)).toMatchObject({
          value: expect.not.arrayContaining([gone.tenant]),
        });
      },
      { timeout: 25_000, interval: 50 },
    );
    expect((await env.FILES.list({ prefix: `${gone.tenant}/` })).objects).toEqual([]);
    expect(await databaseFromEnv(env).skills.get(gone.tenant, "shared")).toMatchObject({
      error: { code: "not_found" },
    });
    expect((await skillsFromEnv(env, live).open(hash)).ok).toBe(true);
    expect((await toolSourcesFromEnv(env).read(live.tenant, pinned?.hash ?? "")).ok).toBe(true);
    expect((await live.send("GET", "/v1/skills/shared")).json).toMatchObject({ hash, version: 1 });
  });

  test("answers a repeat as it answered the first, also when the form has another boundary", async () => {
    const caller = await makeCaller();
    const headers = { "idempotency-key": "once" };
    const first = await uploadForm(caller, reportFiles("again"), headers);
    const second = await uploadForm(caller, reportFiles("again"), headers, "another-boundary");
    expect([first.status, second.status, second.text]).toEqual([201, 201, first.text]);
    expectProblem(await uploadForm(caller, reportFiles("other"), headers), 422, "Idempotency-Key");
  });

  test("is there with all others that came at once", async () => {
    const caller = await makeCaller();
    const names = ["a-one", "b-two", "c-three", "d-four"];
    const made = await Promise.all(names.map((name) => uploadText(caller, skillText(name))));
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(await namesOf(caller, "?toolbox=skills")).toEqual(
      expect.arrayContaining(["a_one", "b_two", "c_three", "d_four"]),
    );
  });
});

describe("what is no skill", () => {
  test.each([
    ["an empty body", "application/zip", "", 422],
    ["no archive", "application/zip", "PK no archive", 422],
    ["a form without parts", "multipart/form-data; boundary=x", "--x--\r\n", 422],
    ["no form", "multipart/form-data", "x", 422],
    [
      "a text in a form",
      "multipart/form-data; boundary=x",
      '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\nb\r\n--x--\r\n',
      422,
    ],
    ["JSON", "application/json", "{}", 415],
    ["nothing that is said", "", "x", 415],
    ["a large SKILL.md", "text/markdown", skillText("large", [], "x".repeat(100_001)), 413],
    ["a body over the limit", "application/zip", "x".repeat(10_500_001), 413],
  ])("is refused: %s", async (_, type, body, status) => {
    const caller = await makeCaller();
    expectProblem(await caller.send("POST", "/v1/skills", body, { "content-type": type }), status);
  });
});

describe("the skills that ship", () => {
  test("are available to every tenant, and yield to a tenant's own skill of the same name", async () => {
    const caller = await makeCaller();
    const namesIn = async (query = "") =>
      (await caller.send("GET", `/v1/skills${query}`)).json.data.map((one: { name: string }) => one.name);
    const shipped = SHIPPED.map(({ skill }) => skill.name)
      .sort()
      .reverse();
    expect(await namesIn()).toEqual(shipped);
    const detail = (await caller.send("GET", "/v1/skills/data-report")).json;
    expect(detail).toMatchObject({ source: "otto", version: null, scan: { findings: [] }, warnings: [] });
    expect((await caller.send("GET", "/v1/skills/data-report/files/scripts/report.py")).text).toMatch(/^#!/);
    expectProblem(await caller.send("DELETE", "/v1/skills/data-report"), 409, "name");
    await uploadText(caller, skillText("own"));
    const mine = (await uploadText(caller, skillText("data-report"))).json.skill;
    expect(mine.source).toBe("own");
    const [first, second] = [await caller.send("GET", "/v1/skills?limit=3"), null];
    expect(second).toBeNull();
    const names = first.json.data.map((one: { name: string }) => one.name);
    const rest = await namesIn(`?limit=3&cursor=${first.json.next_cursor}`);
    expect([...names, ...rest]).toEqual(["data-report", "own", "skill-writer", "meeting-notes"]);
    const tool = (await caller.send("GET", "/v1/tools/data_report")).json;
    expect(tool).toMatchObject({ source: "skills", summary: "Does data-report. Use when data-report is wanted." });
    await caller.send("DELETE", "/v1/skills/data-report");
    expect((await caller.send("GET", "/v1/tools/data_report")).json.source).toBe("skills:otto");
  });
});
