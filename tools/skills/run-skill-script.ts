import { z } from "zod";
import { toStream } from "../../core/base/byte-stream.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { runOnCopy } from "../../core/sandbox/working-copy.ts";
import type { ScriptFile } from "../../core/ports/scripts.ts";
import { findSkill } from "../../core/task/match-skills.ts";
import type { SkillPackage } from "../../core/ports/skills.ts";
import type { Skill, SkillScript } from "../../core/skills/skill.ts";
import { splitArguments } from "../../core/lib/shell/split-arguments.ts";
import { defineTool, failWith } from "../define-tool.ts";
import { checkInForce, pinnedSkill } from "./pinned-skill.ts";

const MAX_ARGUMENTS = 200;
const MAX_ARGUMENT_CHARACTERS = 16_000;
/** Of stdout and of stderr each. */
const MAX_OUTPUT_BYTES = 100_000;
/** What a script may take, and what goes with it; less where the operator or the script says so. */
const TIMEOUT_MS = 600_000;

export default defineTool({
  name: "run_skill_script",
  summary:
    "Run a script of a skill that the task works under, on the sandbox's files: the work folder holds them, what the script changes there is kept, and the skill's own files are at /skill. Bring the skill in with load_skill first.",
  toolbox: "skills",
  category: "shell",
  permissions: ["exec"],
  security: "dangerous",
  effect: ({ skill_name, script_name }, { skills }) => {
    const skill = findSkill(skill_name, skills);
    return skill !== null && scriptNamed(script_name, skill)?.readOnly === true ? "none" : "once";
  },
  needs: ["skills", "scripts", "files"],
  copies: () => ({ cwd: "", only: null }),
  timeoutMs: TIMEOUT_MS,
  aliases: { skill: "skill_name", script: "script_name", arguments: "args" },
  input: z.object({
    skill_name: z.string().trim().min(1).max(200).describe("The skill, e.g. data-report"),
    script_name: z.string().trim().min(1).max(300).describe("A script that the skill declares, e.g. report.py"),
    args: z
      .union([
        z.string().max(MAX_ARGUMENT_CHARACTERS),
        z.array(z.string().max(MAX_ARGUMENT_CHARACTERS)).max(MAX_ARGUMENTS),
      ])
      .optional()
      .describe("As one text, quoted as for a shell (nothing is expanded), or as a list"),
  }),
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
    const script = scriptNamed(script_name, skill);
    if (script === null) return failWith(noScript(script_name, skill));
    if (script.network && !permissions.includes("network")) return failWith(NO_NETWORK(script));
    const words = typeof args === "string" ? splitArguments(args) : ok(args);
    if (!words.ok) return failWith(words.error);
    const opened = await skills.open(skill.hash);
    if (!opened.ok) return failWith(opened.error);
    const own = script.timeoutS === null ? Number.POSITIVE_INFINITY : script.timeoutS * 1000;
    const ran = await runOnCopy(
      {
        argv: [`/skill/${script.path}`, ...words.value],
        cwd: "",
        only: null,
        env: {},
        timeoutMs: Math.min(own, taskSkills.scriptTimeoutMs),
        maxOutputBytes: MAX_OUTPUT_BYTES,
        network: script.network ? (allowedDomains ?? []) : null,
        skill: packageFiles(opened.value),
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
      refused: refused.map(({ path, why }) => ({ path, why })),
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
      refused.length === 0 ? "" : `Not kept: ${refused.map(({ path, why }) => `${path}: ${why}`).join("; ")}`,
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
function scriptNamed(name: string, { scripts }: Pick<Skill, "scripts">): SkillScript | null {
  return (
    scripts.find((script) => script.name === name) ??
    scripts.find(({ path }) => path === name || path === `scripts/${name}`) ??
    null
  );
}

function noScript(name: string, { name: skill, scripts }: Skill) {
  const listed = scripts.map((script) => script.name).join(", ");
  const there = scripts.length === 0 ? "It declares none." : `It declares: ${listed}.`;
  const message = `The skill ${skill} declares no script ${name.slice(0, 100)}. ${there}`;
  return { code: "invalid_input", message, field: "script_name" } as const;
}

const NO_NETWORK = ({ name }: SkillScript) =>
  ({
    code: "permission_denied",
    message: `The script ${name} asks for the network, and the agent does not have the permission network.`,
  }) as const;

/** The package as it stands at `/skill`. */
function packageFiles(opened: SkillPackage): ScriptFile[] {
  return opened.files.map(({ path, size, mode }) => ({
    path,
    size,
    mode,
    open: async (): Promise<Result<ReadableStream<Uint8Array>>> => {
      const read = opened.read(path);
      return read.ok ? ok(toStream(read.value)) : failed(read.error.code, read.error.message);
    },
  }));
}
