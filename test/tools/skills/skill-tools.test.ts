import { describe, expect, it } from "vitest";
import { ok } from "../../../core/base/errors.ts";
import type { ScriptRequest } from "../../../core/ports/scripts.ts";
import { matchesTool } from "../../../core/gateway/envelope.ts";
import { skillCaller } from "../../../core/steps/skill-call.ts";
import { createSkillTool } from "../../../core/tool/skill-tool.ts";
import type { SkillScript } from "../../../core/skills/skill.ts";
import type { SkillsPort } from "../../../core/ports/skills.ts";
import type { CallFacts, CallSkills, CheckFacts, EffectFacts } from "../../../core/tool/tool.ts";
import { createOutsideTools } from "../../../core/gateway/outside-tool.ts";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import loadSkill from "../../../tools/skills/load-skill.ts";
import runSkillScript from "../../../tools/skills/run-skill-script.ts";
import { fakeFiles } from "../../fakes/files.ts";
import { fakeScripts, type FakeProgram } from "../../fakes/scripts.ts";
import { skillsOfTexts, makeSkill } from "../../fakes/skill-texts.ts";
import { runTool } from "../run-tool.ts";

const script = (name: string, change: Partial<SkillScript> = {}): SkillScript => ({
  name,
  path: `scripts/${name}`,
  description: "",
  timeoutS: null,
  network: false,
  ...change,
});
const REPORT = makeSkill("data-report", {
  allowedTools: ["read_file"],
  scripts: [
    script("make.py", { description: "Makes it." }),
    script("net.py", { network: true }),
    script("look.py", { readOnly: true, timeoutS: 5 }),
  ],
});
const OTHER = makeSkill("other", { scripts: [script("make.py")] });
const PACKAGES = {
  "hash-of-data-report": {
    "SKILL.md": "---\nname: data-report\n---\n\nMake a report.\n",
    "references/long.md": "x".repeat(90_000),
    "references/style.md": "# Style\n",
    "scripts/make.py": "#!/usr/bin/env python3\n",
    "scripts/net.py": "#!/bin/sh\n",
    "scripts/look.py": "#!/bin/sh\n",
  },
  "hash-of-other": { "SKILL.md": "Other.", "scripts/make.py": "#!/bin/sh\n" },
};
const known = (change: Partial<CallSkills> = {}): CallSkills => ({
  pinned: [REPORT, OTHER],
  inForce: [REPORT.hash],
  scriptTimeoutMs: 120_000,
  ...change,
});
const skills = skillsOfTexts(PACKAGES);

async function load(given: object, change: Partial<CallSkills> = {}) {
  const ran = await runTool(loadSkill, given, { skills }, { taskSkills: known(change) });
  if (ran.control !== undefined && ran.control.kind !== "load") throw new Error("no load");
  return { failure: ran.failure, control: ran.control };
}

describe("load_skill", () => {
  it("gives the instructions without their head, and says which files and scripts there are", async () => {
    const { control } = await load({ name: "data_report" });
    expect(control).toMatchObject({
      skill: { name: "data-report", hash: REPORT.hash, allowedTools: ["read_file"], how: "load" },
      result: { file: null, scripts: ["make.py", "net.py", "look.py"], files: expect.arrayContaining(["SKILL.md"]) },
    });
    expect(control?.content).toBe(
      "# Skill: data-report\n\nMake a report.\n\nFiles of this skill, which load_skill reads one by one: references/long.md, references/style.md\n\nScripts of this skill, which run_skill_script runs:\n- make.py: Makes it.\n- net.py\n- look.py",
    );
  });

  it("reads a file of the skill, a long one in parts, and counts as loading it", async () => {
    const { control } = await load({ skill_name: "data-report", file: "./references/style.md" });
    expect(control).toMatchObject({
      content: "# Style\n",
      skill: { how: "load" },
      result: { file: "./references/style.md" },
    });
    const first = await load({ name: "data-report", file: "references/long.md" });
    expect(first.control?.content).toMatch(/^x{40000}\n\n\(50000 more characters, offset 40000\.\)$/);
    const last = await load({ name: "data-report", file: "references/long.md", offset: 80_000 });
    expect(last.control?.content).toBe("x".repeat(10_000));
  });

  it.each([
    [{ name: "gone" }, "name", "data-report, other"],
    [{ name: "data-report", file: "../other/SKILL.md" }, "file", "references/style.md"],
    [{ name: "data-report", file: "/etc/passwd" }, "file", "references/style.md"],
  ])("refuses what is not there and lists what is: %j", async (given, field, there) => {
    const { failure } = await load(given);
    expect(failure).toMatchObject({ code: "invalid_input", field, message: expect.stringContaining(there) });
  });

  it("fails while the package cannot be read", async () => {
    const { failure } = await load({ name: "gone" }, { pinned: [makeSkill("gone")] });
    expect(failure?.code).toBe("not_found");
  });
});

interface RunFacts extends Partial<CallFacts> {
  readonly program?: FakeProgram;
  readonly skills?: SkillsPort;
}

async function run(given: object, { program, skills: port = skills, ...facts }: RunFacts = {}) {
  const requests: ScriptRequest[] = [];
  const files = fakeFiles(() => 0);
  await files.write("data.csv", new TextEncoder().encode("a,b\n1,2\n"), { key: "k" });
  const scripts = fakeScripts(async (work, request) => {
    requests.push(request);
    return await program?.(work, request);
  });
  const call = { skill_name: "data-report", script_name: "make.py", ...given };
  const ran = await runTool(runSkillScript, call, { skills: port, scripts, files }, { taskSkills: known(), ...facts });
  return { ...ran, requests, files };
}

describe("run_skill_script", () => {
  it("runs the script on the sandbox's files, with the package next to them and an empty environment", async () => {
    const { result, output, requests, files } = await run(
      { args: "data.csv --title 'My report'" },
      {
        program(work) {
          work.set("report.md", new TextEncoder().encode("# Report\n"));
          return { stdout: "made it\n" };
        },
      },
    );
    const [request] = requests;
    expect(request).toMatchObject({
      argv: ["python3", "/skill/data-report/scripts/make.py", "data.csv", "--title", "My report"],
      cwd: "",
      env: { SKILL_DIR: "/skill/data-report", PYTHONPATH: "/skill/data-report" },
      network: null,
      timeoutMs: 120_000,
    });
    expect(request?.files.map(({ path }) => path)).toEqual(["data.csv"]);
    expect(request?.skill.map(({ path, mode }) => [path, mode])).toContainEqual(["data-report/scripts/make.py", 0o755]);
    expect(await request?.skill[0]?.open()).toMatchObject({ ok: true });
    expect(result).toMatchObject({ exit_code: 0, success: true, changed: [{ path: "report.md", change: "written" }] });
    expect(output).toBe("The script ended with 0.\nstdout:\nmade it\n\nChanged: report.md (written)");
    expect(await files.read("report.md", 100)).toMatchObject({ ok: true });
  });

  it("takes a script by its name, its path or the path in its folder, and arguments as a list as they are", async () => {
    for (const script_name of ["make.py", "scripts/make.py"]) {
      const { requests } = await run({ script_name, args: ["a b", "$HOME", ""] });
      expect(requests[0]?.argv).toEqual(["python3", "/skill/data-report/scripts/make.py", "a b", "$HOME", ""]);
    }
  });

  it("has a folder for each loaded skill, its own last", async () => {
    const { requests } = await run({}, { taskSkills: known({ inForce: [REPORT.hash, OTHER.hash] }) });
    const folders = requests[0]?.skill.map(({ path }) => path.split("/")[0]);
    expect([...new Set(folders)]).toEqual(["other", "data-report"]);
  });

  it("runs a script that no head declares, by its extension, and says of other files why not", async () => {
    const plain = makeSkill("plain");
    const packages = {
      [plain.hash]: { "SKILL.md": "---\nname: plain\n---\n", "scripts/a.ts": "1;", "scripts/b.xsd": "<x/>" },
    };
    const facts = { taskSkills: known({ pinned: [plain], inForce: [plain.hash] }), skills: skillsOfTexts(packages) };
    const { requests } = await run({ skill_name: "plain", script_name: "scripts/a.ts" }, facts);
    expect(requests[0]?.argv).toEqual(["node", "/skill/plain/scripts/a.ts"]);
    const { failure } = await run({ skill_name: "plain", script_name: "b.xsd" }, facts);
    expect(failure).toMatchObject({ code: "invalid_input", field: "script_name" });
    expect(failure?.message).toBe("The skill plain has no script b.xsd. It has: a.ts.");
  });

  it("knows before anybody is requests that a call fails", () => {
    const check = (given: object, change: Partial<CheckFacts> = {}) =>
      runSkillScript.check?.({ skill_name: "data-report", script_name: "make.py", ...given } as never, {
        config: {},
        skills: known(),
        permissions: ["exec"],
        patterns: linearPatterns,
        ...change,
      });
    expect(check({})).toBeNull();
    expect(check({ script_name: "gone.py" })).toMatchObject({ kind: "fails", failure: { field: "script_name" } });
    expect(check({ skill_name: "gone" })).toMatchObject({ kind: "fails", failure: { field: "skill_name" } });
    expect(check({ skill_name: "other" })).toMatchObject({ kind: "fails", failure: { code: "permission_denied" } });
    expect(check({ args: "'a" })).toMatchObject({ kind: "fails", failure: { field: "args" } });
    expect(check({ script_name: "net.py" })).toMatchObject({ kind: "fails", failure: { code: "permission_denied" } });
    expect(check({ script_name: "net.py" }, { permissions: ["exec", "network"] })).toBeNull();
  });

  it.each([
    ["a script that is not declared", { script_name: "SKILL.md" }, "invalid_input", "script_name"],
    ["a path out of the package", { script_name: "../other/scripts/make.py" }, "invalid_input", "script_name"],
    ["a skill that is not there", { skill_name: "gone" }, "invalid_input", "skill_name"],
    ["a skill that the task does not work under", { skill_name: "other" }, "permission_denied", undefined],
    ["arguments that do not close", { args: "'a" }, "invalid_input", "args"],
  ])("refuses %s", async (_, given, code, field) => {
    const { failure, requests } = await run(given);
    expect(failure?.code).toBe(code);
    expect(failure?.field).toBe(field);
    expect(requests).toEqual([]);
  });

  it("runs one of any skill for a call that belongs to no task", async () => {
    const { failure } = await run({ skill_name: "other" }, { taskSkills: known({ inForce: null }) });
    expect(failure).toBeUndefined();
  });

  it("gives the network to a script that asks for it, of an agent that has it, to the agent's hosts", async () => {
    const net = { script_name: "net.py" };
    const { requests } = await run(net, { permissions: ["exec", "network"], allowedDomains: ["*.example.com"] });
    expect(requests[0]?.network).toEqual(["*.example.com"]);
    const none = await run(net, { permissions: ["exec", "network"], allowedDomains: null });
    expect(none.requests[0]?.network).toEqual([]);
    const refused = await run(net, { permissions: ["exec"] });
    expect([refused.failure?.code, refused.requests]).toEqual(["permission_denied", []]);
    const other = await run({}, { permissions: ["exec", "network"], allowedDomains: ["*"] });
    expect(other.requests[0]?.network).toBeNull();
  });

  it("ends a script when its own time or the operator's is up, whichever is less", async () => {
    expect((await run({ script_name: "look.py" })).requests[0]?.timeoutMs).toBe(5000);
    const short = await run({ script_name: "look.py" }, { taskSkills: known({ scriptTimeoutMs: 2000 }) });
    expect(short.requests[0]?.timeoutMs).toBe(2000);
  });

  it("stores no change of a script that declares read_only, so that its call may be repeated", async () => {
    const { files, result } = await run(
      { script_name: "look.py" },
      {
        program(work) {
          work.clear();
          return { stdout: "looked" };
        },
      },
    );
    expect(result).toMatchObject({ changed: [], stdout: "looked" });
    expect(await files.read("data.csv", 100)).toMatchObject({ ok: true });
    const facts: EffectFacts = { idempotentHosts: [], skills: [REPORT, OTHER], mailKeyedForMs: 86_400_000 };
    const effectOf = (given: object) => {
      if (typeof runSkillScript.effect === "string") throw new Error("a fixed effect");
      return runSkillScript.effect(given as never, facts);
    };
    expect(effectOf({ skill_name: "data-report", script_name: "look.py" })).toBe("none");
    expect(effectOf({ skill_name: "data-report", script_name: "make.py" })).toBe("once");
    expect(effectOf({ skill_name: "gone", script_name: "look.py" })).toBe("once");
  });

  it("shows a script that fails, or does not end, as a result", async () => {
    const failed = await run({}, { program: () => ({ exitCode: 3, stderr: "no data", truncated: true }) });
    expect(failed.result).toMatchObject({ success: false, exit_code: 3 });
    expect(failed.output).toContain("The script ended with 3.\nstderr:\nno data\n(The output was cut.)");
    const late = await run({}, { program: () => ({ exitCode: null, signal: "SIGKILL", timedOut: true }) });
    expect(late.output).toContain("its time was up");
  });
});

describe("the tool of a skill", () => {
  const DEPS = { callers: { skill: skillCaller }, patterns: linearPatterns };
  const [tool] = createOutsideTools([{ source: "skills", tool: createSkillTool(REPORT) }], [], DEPS);

  it("is a subtask under the skill, with the tools that the skill allows", async () => {
    if (tool === undefined) throw new Error("no tool");
    expect(tool).toMatchObject({ name: "data_report", steers: true, onlyByModel: "dispatches", skill: REPORT });
    const ran = await runTool(tool, { task: "Report on it." });
    expect(ran.control).toMatchObject({
      kind: "dispatch",
      tools: ["ask_human", "read_file"],
      skill: { name: "data-report", how: "tool" },
    });
    expect(matchesTool(tool, "data_*")).toBe(true);
  });

  it("does not narrow the tools if the skill lists none", async () => {
    const [free] = createOutsideTools([{ source: "skills", tool: createSkillTool(OTHER) }], [], DEPS);
    if (free === undefined) throw new Error("no tool");
    expect((await runTool(free, { task: "x", context: "y" })).control).toMatchObject({ tools: null });
    expect((await runTool(free, { context: "y" })).failure).toMatchObject({ code: "invalid_input" });
    expect(ok(free).value.written?.source).toBe("skills");
  });
});
