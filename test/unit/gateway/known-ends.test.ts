/** What a tool knows of a call before policy, and whose skills stand for a permission. */
import { describe, expect, test } from "vitest";
import { DEFAULT_AGENT } from "../../../core/agents/agent.ts";
import { decidePolicy } from "../../../core/gateway/policy.ts";
import { checkEnvelope } from "../../../core/gateway/envelope.ts";
import { prepareCalls } from "../../../core/steps/prepare.ts";
import { buildToolset } from "../../../core/steps/toolset.ts";
import { BY_PRINCIPAL } from "../../../core/model/label-messages.ts";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import runCommand from "../../../tools/shell/run-command.ts";
import runSkillScript from "../../../tools/skills/run-skill-script.ts";
import { makeSkill } from "../../fakes/skill-texts.ts";
import { agent } from "../steps/play-gateway.ts";
import { factsOf } from "../task/world.ts";

async function prepareOne(name: string, given: object, change: Parameters<typeof agent>[0]) {
  const facts = factsOf(agent({ permissions: ["exec"], ...change }));
  const tools = [runCommand, runSkillScript];
  const toolset = { ...(await buildToolset(tools, facts)), patterns: linearPatterns };
  const requested = [{ name, arguments: JSON.stringify(given) }];
  return (await prepareCalls(requested, { facts, step: 1, toolset, repeat: null, context: BY_PRINCIPAL }))[0];
}

describe("no person is asked to approve", () => {
  test("a command that the settings answer", async () => {
    const shell = { tool_config: { shell: { allow_shell: true, allowed_commands: ["ls"] } } };
    expect((await prepareOne("run_command", { command: "ls" }, shell))?.approval).not.toBeNull();
    const blocked = await prepareOne("run_command", { command: "rm -rf /" }, shell);
    expect(blocked?.approval).toBeNull();
    expect((await prepareOne("run_command", { command: "ls" }, {}))?.approval).toBeNull();
  });

  test("and its result is stored with the call, so that it never runs", async () => {
    const call = await prepareOne("run_command", { command: "ls" }, {});
    expect(call).toMatchObject({ effect: "none", outcome: { state: "confirmed", label: BY_PRINCIPAL.label } });
    const result = call?.outcome?.result;
    expect(result).toMatchObject({ ok: true, result: { returncode: -1, stderr: expect.stringContaining("disabled") } });
    expect(call?.outcome?.content).toContain("Exit code: -1");
  });

  test("a script of a skill that the task does not have: the call is refused", async () => {
    const call = await prepareOne("run_skill_script", { skill_name: "gone", script_name: "a.py" }, {});
    expect(call).toMatchObject({ approval: null, outcome: { state: "refused" } });
  });
});

describe("a script of a skill", () => {
  const script = (name: string, network: boolean) => ({
    name,
    path: `scripts/${name}`,
    description: "",
    timeoutS: null,
    network,
  });
  const skills = [makeSkill("pdf", { scripts: [script("plain.py", false), script("net.py", true)] })];
  const reaches = (script_name: string, skill_name = "pdf") =>
    runSkillScript.reachesOutside?.({ skill_name, script_name } as never, {
      skills,
      idempotentHosts: [],
      mailKeyedForMs: null,
    });

  test("stays inside the sandbox without the network, so that the default policy runs it", () => {
    expect([reaches("plain.py"), reaches("net.py"), reaches("plain.py", "gone")]).toEqual([false, true, true]);
    expect(decidePolicy(runSkillScript, "dangerous", undefined, false).decision).toBe("allow");
    expect(decidePolicy(runSkillScript, "dangerous", undefined).decision).toBe("ask");
    expect(decidePolicy(runSkillScript, "dangerous", { dangerous: "ask" }, false).decision).toBe("ask");
  });
});

describe("the permission exec", () => {
  const envelope = { agent: DEFAULT_AGENT, tools: [] };

  test("is replaced by a pinned skill for the tool that runs its scripts, and for no other", () => {
    expect(checkEnvelope(runSkillScript, envelope).ok).toBe(false);
    expect(checkEnvelope(runSkillScript, envelope, true).ok).toBe(true);
    expect(checkEnvelope(runCommand, envelope, true).ok).toBe(false);
  });

  test("is not replaced for an agent without the permission read", () => {
    const withPermissions = (permissions: ("read" | "write" | "network")[]) =>
      checkEnvelope(runSkillScript, { agent: { config: { ...DEFAULT_AGENT.config, permissions } }, tools: [] }, true);
    expect(withPermissions(["read"]).ok).toBe(true);
    expect(withPermissions([])).toMatchObject({ error: { code: "permission_denied" } });
    expect(withPermissions(["write", "network"]).ok).toBe(false);
  });

  test("is replaced for an agent that has the tool", () => {
    const config = { ...DEFAULT_AGENT.config, tools: ["read_file"] };
    expect(checkEnvelope(runSkillScript, { agent: { config }, tools: [] }, true).ok).toBe(false);
    expect(checkEnvelope(runSkillScript, { ...envelope, tools: [["read_file"]] }, true).ok).toBe(false);
  });
});
