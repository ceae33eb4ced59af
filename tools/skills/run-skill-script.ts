import { z } from "zod";
import { failed, type Failure, ok, type Result } from "../../core/base/errors.ts";
import { formatRefused } from "../../core/sandbox/format-refused.ts";
import { runOnCopy } from "../../core/sandbox/working-copy.ts";
import { findSkill } from "../../core/task/match-skills.ts";
import type { SkillPackage } from "../../core/ports/skills.ts";
import { listScripts } from "../../core/skills/find-scripts.ts";
import { findInterpreter } from "../../core/skills/interpreter.ts";
import type { Skill, SkillScript } from "../../core/skills/skill.ts";
import { getCagedPath, openSkillFolders, orderSkills } from "../../core/skills/skill-folders.ts";
import { splitArguments } from "../../core/lib/shell/split-arguments.ts";
import { defineTool, failWith } from "../define-tool.ts";
import { checkInForce, pinnedSkill } from "./pinned-skill.ts";

const MAX_ARGUMENTS = 200;
const MAX_ARGUMENT_CHARACTERS = 16_000;
/** Of stdout and of stderr each. */
const MAX_OUTPUT_BYTES = 100_000;
/** Names that a refusal lists. */
const MAX_LISTED = 100;
/** What a script may take, and what goes with it; less where the operator or the script says so. */
const TIMEOUT_MS = 600_000;

export default defineTool({
  name: "run_skill_script",
  summary:
    "Run a script of a loaded skill on the sandbox's files; changes go back into the sandbox. The skill's files are at $SKILL_DIR, read-only.",
  toolbox: "skills",
  category: "shell",
  permissions: ["exec"],
  runsPinnedSkills: true,
  security: "dangerous",
  // A script without the network changes nothing but the sandbox. Only declared scripts can have it.
  reachesOutside: ({ skill_name, script_name }, { skills }) => {
    const skill = findSkill(skill_name, skills);
    return skill === null || findScript(script_name, skill.scripts)?.network === true;
  },
  effect: ({ skill_name, script_name }, { skills }) => {
    const skill = findSkill(skill_name, skills);
    return skill !== null && findScript(script_name, skill.scripts)?.readOnly === true ? "none" : "once";
  },
  needs: ["skills", "scripts", "files"],
  copies: () => ({ cwd: "", only: null }),
  timeoutMs: TIMEOUT_MS,
  aliases: { skill: "skill_name", script: "script_name", arguments: "args" },
  input: z.object({
    skill_name: z.string().trim().min(1).max(200).describe("The skill, e.g. data-report"),
    script_name: z.string().trim().min(1).max(300).describe("One of its scripts, e.g. report.py or scripts/report.py"),
    args: z
      .union([
        z.string().max(MAX_ARGUMENT_CHARACTERS),
        z.array(z.string().max(MAX_ARGUMENT_CHARACTERS)).max(MAX_ARGUMENTS),
      ])
      .optional()
      .describe("As one text, quoted as for a shell (nothing is expanded), or as a list"),
  }),
  check: ({ skill_name, script_name, args = [] }, { skills, permissions }) => {
    const found = pinnedSkill(skill_name, skills, "skill_name");
    if (!found.ok) return { kind: "fails", failure: found.error };
    const inForce = checkInForce(found.value, skills);
    if (!inForce.ok) return { kind: "fails", failure: inForce.error };
    const words = typeof args === "string" ? splitArguments(args) : ok(args);
    if (!words.ok) return { kind: "fails", failure: words.error };
    // Without a list, the package says which scripts there are, and the call reads it.
    const { scripts } = found.value;
    const script = findScript(script_name, scripts);
    if (scripts.length > 0 && script === null)
      return { kind: "fails", failure: failNoScript(script_name, found.value, scripts) };
    if (script?.network === true && !permissions.includes("network"))
      return { kind: "fails", failure: NO_NETWORK(script) };
    return null;
  },
  output: z.object({
    exit_code: z.int().nullable().describe("Null: a signal or the time limit ended it"),
    success: z.boolean(),
    stdout: z.string(),
    stderr: z.string(),
    truncated: z.boolean(),
    timed_out: z.boolean(),
    duration_ms: z.number(),
    changed: z.array(z.strictObject({ path: z.string(), change: z.enum(["written", "removed"]) })),
    refused: z.array(z.strictObject({ path: z.string(), why: z.string() })).describe("What was not kept"),
    note: z.string().nullable(),
  }),
  async run({ skill_name, script_name, args = [] }, context) {
    const { taskSkills, permissions, allowedDomains, skills } = context;
    const found = pinnedSkill(skill_name, taskSkills, "skill_name");
    if (!found.ok) return failWith(found.error);
    const skill = found.value;
    const inForce = checkInForce(skill, taskSkills);
    if (!inForce.ok) return failWith(inForce.error);
    const words = typeof args === "string" ? splitArguments(args) : ok(args);
    if (!words.ok) return failWith(words.error);
    const opened = await skills.open(skill.hash);
    if (!opened.ok) return failWith(opened.error);
    const chosen = chooseScript(script_name, skill, opened.value);
    if (!chosen.ok) return failWith(chosen.error);
    const { script, interpreter } = chosen.value;
    if (script.network && !permissions.includes("network")) return failWith(NO_NETWORK(script));
    const known = new Map([[skill.hash, opened.value]]);
    const folders = await openSkillFolders(orderSkills(taskSkills.pinned, taskSkills.inForce, skill), skills, known);
    const own = script.timeoutS === null ? Number.POSITIVE_INFINITY : script.timeoutS * 1000;
    const ran = await runOnCopy(
      {
        argv: [...interpreter, getCagedPath(skill, script.path), ...words.value],
        cwd: "",
        only: null,
        env: { ...folders.env, ...getPythonPath(skill, interpreter) },
        timeoutMs: Math.min(own, taskSkills.scriptTimeoutMs),
        maxOutputBytes: MAX_OUTPUT_BYTES,
        network: script.network ? (allowedDomains ?? []) : null,
        skill: folders.files,
        savesChanges: script.readOnly !== true,
      },
      context,
    );
    if (!ran.ok) return failWith(ran.error);
    const { run, changed, refused, note } = ran.value;
    return {
      exit_code: run.exitCode,
      success: run.exitCode === 0,
      stdout: run.stdout,
      stderr: run.stderr,
      truncated: run.truncated,
      timed_out: run.timedOut,
      duration_ms: run.durationMs,
      changed: [...changed],
      refused: [...folders.refused, ...refused].map(({ path, why }) => ({ path, why })),
      note,
    };
  },
  show({ exit_code, stdout, stderr, truncated, timed_out, changed, refused, note }) {
    const end = timed_out
      ? "The script was ended: its time was up."
      : `The script ended with ${exit_code ?? "a signal"}.`;
    const parts = [
      end,
      stdout.trim() === "" ? "" : `stdout:\n${stdout}`,
      stderr.trim() === "" ? "" : `stderr:\n${stderr}`,
      truncated ? "(The output was cut.)" : "",
      changed.length === 0 ? "" : `Changed: ${changed.map(({ path, change }) => `${path} (${change})`).join(", ")}`,
      refused.length === 0 ? "" : `Not saved:\n${formatRefused(refused).join("\n")}`,
      note ?? "",
    ];
    return parts.filter((part) => part !== "").join("\n");
  },
  examples: [
    {
      note: "arguments as one text",
      given: { skill_name: "data-report", script_name: "report.py", args: "sales.csv --group region" },
    },
  ],
});

/** By its name or its path. */
function findScript(name: string, scripts: readonly SkillScript[]): SkillScript | null {
  const path = name.replace(/^\.\//, "");
  return (
    scripts.find((script) => script.name === name) ??
    scripts.find((script) => script.path === path || script.path === `scripts/${path}`) ??
    null
  );
}

/** The script and the program that runs it, or why none can. */
function chooseScript(
  name: string,
  skill: Skill,
  opened: SkillPackage,
): Result<{ readonly script: SkillScript; readonly interpreter: readonly [string, ...string[]] }> {
  const scripts = listScripts(skill, opened);
  const script = findScript(name, scripts);
  if (script === null) return { ok: false, error: failNoScript(name, skill, scripts) };
  const bytes = opened.read(script.path);
  if (!bytes.ok) return bytes;
  const interpreter = findInterpreter(script.path, bytes.value);
  if (!interpreter.ok) return failed("invalid_input", `${script.path} ${interpreter.why}.`, { field: "script_name" });
  return ok({ script, interpreter: interpreter.argv });
}

/** Many public scripts import from the top of their skill (`from scripts.utils import …`), where they expect to be started. */
function getPythonPath({ name }: Skill, [program]: readonly string[]): Readonly<Record<string, string>> {
  return program?.startsWith("python") === true ? { PYTHONPATH: `/skill/${name}` } : {};
}

function failNoScript(name: string, { name: skill }: Skill, scripts: readonly SkillScript[]): Failure {
  const listed = scripts.slice(0, MAX_LISTED).map((script) => script.name);
  const more = scripts.length > MAX_LISTED ? ` and ${scripts.length - MAX_LISTED} more` : "";
  const there = scripts.length === 0 ? "It has none." : `It has: ${listed.join(", ")}${more}.`;
  const message = `The skill ${skill} has no script ${name.slice(0, 100)}. ${there}`;
  return { code: "invalid_input", message, field: "script_name" };
}

const NO_NETWORK = ({ name }: SkillScript) =>
  ({
    code: "permission_denied",
    message: `The script ${name} asks for the network, and the agent does not have the permission network.`,
  }) as const;
