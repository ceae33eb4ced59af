/** Which commands are blocked by name, and what a command gets in addition to the visible files: repositories and skills. */
import { beforeEach, describe, expect, it } from "vitest";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import { MAX_COPIED_FILES } from "../../../core/sandbox/working-copy.ts";
import { DEFAULT_AGENT, getSandboxRules } from "../../../core/agents/agent.ts";
import { checkToolConfig } from "../../../core/steps/tool-settings.ts";
import { openSkillFolders, orderSkills } from "../../../core/skills/skill-folders.ts";
import { fakeSkills } from "../../fakes/skills.ts";
import { EXAMPLE_SKILLS, makeSkill } from "../../fakes/skill-texts.ts";
import readFile from "../../../tools/files/read-file.ts";
import runCommand from "../../../tools/shell/run-command.ts";
import { DEFAULT_RULES, runTool } from "../run-tool.ts";
import { encode, files, OPEN, openSandbox, read, run, seen, write } from "./shell-on-fakes.ts";

beforeEach(openSandbox);

describe("a command that the agent's patterns block", () => {
  it.each([
    ["rm -rf /", "rm -rf /"],
    ["sudo rm -r --force /*", "rm -rf /"],
    ["/bin/rm / -fr", "rm -rf /"],
    ["echo a && r'm' -Rf \"/\"", "rm -rf /"],
    ["sh -c 'rm -rf /'", "rm -rf /"],
    ['echo "$(rm -rf /)"', "rm -rf /"],
    ["mkfs.ext4 /dev/sda1", "mkfs"],
    [":(){ :|:& };:", "fork bomb"],
    ["dd if=/dev/zero of=/dev/sda bs=1M", "dd of=/dev/*"],
  ])("is refused with the pattern's name: %s", async (command, name) => {
    const { result } = await run({ command });
    expect(result).toMatchObject({ returncode: -1, success: false, stdout: "" });
    expect(result.stderr).toBe(`Command not permitted: it matches the blocked pattern ${JSON.stringify(name)}.`);
    expect(seen).toEqual([]);
  });

  it.each(["rm -rf ./build", "rm -rf /tmp/x", "rm /", "echo 'mkfs is a program'", "dd if=a of=b", "f() { ls | wc; }"])(
    "is not %s",
    async (command) => {
      expect((await run({ command })).result).toMatchObject({ returncode: 0 });
    },
  );

  it("is one of the agent's own instead, and none runs while one cannot be read", async () => {
    const own = (blocked_patterns: unknown[]) => ({ config: { allow_shell: true, blocked_patterns } });
    const push = own([{ name: "no pushes", pattern: "^git (?:[^ ]+ )*push( |$)" }, "^curl "]);
    expect((await run({ command: "git -c a=b push origin" }, undefined, push)).result.stderr).toContain('"no pushes"');
    expect((await run({ command: "ls; curl x" }, undefined, push)).result.stderr).toContain('"^curl "');
    expect((await run({ command: "rm -rf /" }, undefined, push)).result.returncode).toBe(0);
    expect((await run({ command: "ls" }, undefined, own(["(?=a)"]))).result.stderr).toContain("cannot be used");
  });

  it("is in RE2's syntax, not in JavaScript's", async () => {
    const own = (pattern: string) => ({ config: { allow_shell: true, blocked_patterns: [pattern] } });
    const stderr = async (command: string, pattern: string) =>
      (await run({ command }, undefined, own(pattern))).result.stderr;
    expect(await stderr("curl x", "\\Acurl [[:alpha:]]\\z")).toContain("matches the blocked pattern");
    expect(await stderr("curl :", "\\Acurl [[:alpha:]]\\z")).toBe("");
  });

  it("is bounded before it is searched", async () => {
    const own = (blocked_patterns: string[]) => ({ config: { allow_shell: true, blocked_patterns } });
    const large = own(Array.from({ length: 10 }, (_, index) => `x${index}[a-z]{90}`));
    expect((await run({ command: "ls" }, undefined, large)).result.returncode).toBe(0);
    const { result } = await run({ command: `echo ${"a ".repeat(10_000)}` }, undefined, large);
    expect(result.stderr).toContain("too long to be searched");
    const many = own(Array.from({ length: 100 }, (_, index) => `x${index}[a-z]{900}`));
    expect((await run({ command: "ls" }, undefined, many)).result.stderr).toContain("too large together");
    expect((await run({ command: `echo ${"a ".repeat(15_000)}` })).result.returncode).toBe(0);
  });

  it("is answered before a person is asked, like one that the settings forbid", () => {
    const check = (command: string, config: object) =>
      runCommand.check?.({ command } as never, {
        config: { ...config },
        skills: { pinned: [], inForce: [] },
        permissions: ["exec"],
        patterns: linearPatterns,
      });
    const answer = (stderr: string) => ({
      kind: "answers",
      result: { returncode: -1, stderr: expect.stringContaining(stderr) },
    });
    expect(check("ls", {})).toMatchObject(answer("disabled"));
    expect(check("rm -rf /", { allow_shell: true })).toMatchObject(answer("rm -rf /"));
    expect(check("ls", { allow_shell: true, allowed_commands: ["git"] })).toMatchObject(answer("not in allowed"));
    expect(check("ls", { allow_shell: true })).toBeNull();
  });
});

describe("a repository", () => {
  const rules = { ...DEFAULT_RULES, extensions: ["*"] };

  it("is stored by a command and given to the next, and no file tool reads it", async () => {
    await run({}, (work) => void work.set("src/.git/HEAD", encode("ref: x")), { sandbox: rules });
    expect(await read("src/.git/HEAD")).toBe("ref: x");
    await run({}, undefined, { sandbox: rules });
    expect(seen[1]?.files.map(({ path }) => path)).toContain("src/.git/HEAD");
    const denied = await runTool(readFile, { filename: "src/.git/HEAD" }, { files }, { ...OPEN, sandbox: rules });
    expect(denied.failure?.code).toBe("sandbox_denied");
  });

  it("takes nothing else with it that the rules deny", async () => {
    const { result } = await run({}, (work) => void work.set("a/.git/.env", encode("x")), { sandbox: rules });
    expect(result.refused).toMatchObject([{ path: "a/.git/.env" }]);
  });

  it("is neither given nor stored where the agent's own rules say so", async () => {
    await write("src/.git/HEAD", "ref: x");
    const own = { ...DEFAULT_AGENT.config, permissions: ["read", "write", "exec"] as const };
    const sandboxes = [{ denied_patterns: ["**/.git/**"] }, { denied_patterns: [".git"] }, { extensions: [".txt"] }];
    for (const sandbox of sandboxes) {
      seen.length = 0;
      const agentRules = getSandboxRules({ ...own, permissions: [...own.permissions], sandbox });
      const made = await run({}, (work) => void work.set(".git/HEAD", encode("x")), { sandbox: agentRules });
      expect(made.result.refused).toMatchObject([{ path: ".git/HEAD" }]);
      expect(seen[0]?.files.map(({ path }) => path)).not.toContain("src/.git/HEAD");
    }
  });

  it("is left out, and named, where it does not fit the bound of a copy", async () => {
    for (let index = 0; index < MAX_COPIED_FILES - 2; index += 1) await write(`src/.git/objects/${index}`, "x");
    const { result } = await run({}, undefined, { sandbox: rules });
    expect(seen[0]?.files.map(({ path }) => path)).toEqual(["a.txt", "project/c.txt", "src/b.txt"]);
    expect(result.refused).toMatchObject([{ path: "src/.git", why: expect.stringContaining("left out") }]);
    await run({ files: ["src"] }, undefined, { sandbox: rules });
    expect(seen[1]?.files).toHaveLength(MAX_COPIED_FILES - 1);
  });
});

describe("the skills of a task", () => {
  it("are at /skill for a command, the last loaded one in SKILL_DIR", async () => {
    await run({});
    expect(seen[0]?.env).toEqual({ SKILL_DIR: "/skill/data-report" });
    expect(seen[0]?.skill.map(({ path }) => path)).toContain("data-report/SKILL.md");
    await run({}, undefined, { taskSkills: { pinned: EXAMPLE_SKILLS, inForce: [], scriptTimeoutMs: 1 } });
    expect([seen[1]?.env, seen[1]?.skill]).toEqual([{}, []]);
  });

  it("are left out and named where one cannot be read or is too large with the others", async () => {
    const [gone, large, small] = ["gone", "large", "small"].map((name) => makeSkill(name, { hash: name }));
    if (gone === undefined || large === undefined || small === undefined) throw new Error("unreachable");
    const skills = fakeSkills({
      large: { "SKILL.md": new Uint8Array(32_000_000) },
      small: { "SKILL.md": encode("x") },
    });
    const hashes = [large, gone, small].map(({ hash }) => hash);
    const folders = await openSkillFolders(orderSkills([large, gone, small], hashes), skills);
    expect(folders.files.map(({ path }) => path)).toEqual(["small/SKILL.md"]);
    expect(folders.env).toEqual({ SKILL_DIR: "/skill/small" });
    expect(folders.refused).toMatchObject([
      { path: "/skill/gone", why: expect.stringContaining("no such skill") },
      { path: "/skill/large", why: expect.stringContaining("32 MB") },
    ]);
    const taskSkills = { pinned: [gone], inForce: ["gone"], scriptTimeoutMs: 1 };
    const { result } = await run({}, undefined, { taskSkills });
    expect(result).toMatchObject({ returncode: 0, refused: [{ path: "/skill/gone" }] });
  });
});

it("checks an agent's blocked patterns with the engine that runs them, by name of the field", () => {
  const faults = (blocked_patterns: (string | { name: string; pattern: string })[]) => {
    const config = { ...DEFAULT_AGENT.config, tool_config: { shell: { blocked_patterns } } };
    const checked = checkToolConfig(config, [runCommand], linearPatterns);
    return checked.ok ? [] : checked.error.fields?.map(({ field }) => field);
  };
  expect(faults(["\\Agit ", { name: "a", pattern: "[[:digit:]]\\z" }])).toEqual([]);
  expect(faults(["ok", "(?=a)"])).toEqual(["tool_config.shell.blocked_patterns.1"]);
  expect(faults([{ name: "a", pattern: "\\u0041" }])).toEqual(["tool_config.shell.blocked_patterns.0"]);
  expect(faults(Array.from({ length: 20 }, (_, index) => `x${index}[a-z]{900}`))).toHaveLength(1);
});
