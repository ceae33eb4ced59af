/** Runs one tool as the gateway does, on ports of the test: arguments checked, output checked, the result rendered. */
import { linearPatterns } from "../../adapters/re2/patterns.ts";
import { getSandboxRules } from "../../core/agents/agent.ts";
import { calledToolSchema } from "../../core/steps/call-tool.ts";
import { openToolSearch } from "../../core/steps/find-tools.ts";
import { CALL_TOOL } from "../../core/steps/shown-tools.ts";
import { getSupplied } from "../../core/steps/tool-settings.ts";
import { getInputSchema } from "../../core/tool/input-schema.ts";
import { toModelSpec } from "../../core/steps/toolset.ts";
import { validateArguments, validateOutput } from "../../core/gateway/validate.ts";
import { type Failure, ok } from "../../core/base/errors.ts";
import { toShownText } from "../../core/prompt/rows.ts";
import type { ToolPorts } from "../../core/ports/tool-ports.ts";
import { createToolList } from "../../core/lib/tool-search/tool-list.ts";
import type { CallFacts, Control, Tool, ToolContext } from "../../core/tool/tool.ts";
import type { SandboxRules } from "../../core/sandbox/rules.ts";
import { catalogue } from "../../tools/catalogue.generated.ts";
import { expect } from "vitest";
import { fakeAppCalls } from "../fakes/app-calls.ts";
import { fakeDocumentIntake } from "../fakes/document-intake.ts";
import { codebasesOfTexts } from "../fakes/codebases.ts";
import { fakeDocuments } from "../fakes/documents.ts";
import { fakeAppConnections } from "../fakes/app-connections.ts";
import { fakeFiles } from "../fakes/files.ts";
import { fakeLanguage } from "../fakes/language.ts";
import { fakeMail } from "../fakes/mail.ts";
import { exampleKnowledge } from "../fakes/knowledge-port.ts";
import { fakeMemory } from "../fakes/memory.ts";
import { fakeMcp } from "../fakes/mcp.ts";
import { fakePages } from "../fakes/pages.ts";
import { fakePeople } from "../fakes/people.ts";
import { fakeReminders } from "../fakes/reminders.ts";
import { fakeResults } from "../fakes/results.ts";
import { fakeScripts } from "../fakes/scripts.ts";
import { fakeSlack, makeNotesPort } from "../fakes/slack.ts";
import { fakeDatabases } from "../fakes/databases.ts";
import { fakeSsh } from "../fakes/ssh.ts";
import { EXAMPLE_SKILLS, skillsOfTexts } from "../fakes/skill-texts.ts";
import { fakeSearch } from "../fakes/search.ts";
import { fakeWeb } from "../fakes/web.ts";
import { PRINCIPAL } from "../../core/provenance/label.ts";
import { freeWork } from "../fakes/work-meter.ts";

/** The outcome of a call: exactly one of `result`, `failure` and `control` is set; `output` is what the model reads of a result. */
export interface Ran {
  readonly result?: unknown;
  readonly output?: string;
  readonly failure?: Failure;
  readonly control?: Control;
}

export const DEFAULT_RULES: SandboxRules = getSandboxRules({
  name: "test",
  instructions: "",
  tools: ["*"],
  permissions: [],
});
export const OPEN_RULES: SandboxRules = { allowedPaths: null, deniedPatterns: [], extensions: ["*"], allowWrite: true };
const NOW = Date.UTC(2026, 10, 21, 12, 34, 56, 789);

/** Fresh fakes: an empty sandbox, no memories, no results of earlier calls, and a web in which every host answers with a short text. The pattern engine is the real one: nothing outside is behind it. */
/** The search itself, over the built-in tools: nothing outside is behind it. */
const allTools = openToolSearch(
  {
    resolve: toolNamed,
    findable: catalogue.filter(({ aliasOf }) => aliasOf === undefined).map(({ name }) => name),
    specOf: (name) => {
      const tool = toolNamed(name);
      return tool === null ? null : toModelSpec(tool, name.replaceAll(".", "_"), null);
    },
  },
  async () => ok([{ source: null, list: createToolList(catalogue, getInputSchema) }]),
);

function toolNamed(name: string): Tool | null {
  return catalogue.find((tool) => tool.name === name) ?? null;
}

/** Fresh fakes: an empty sandbox, no results of earlier calls, and a web in which every host answers with a short text. The pattern engine is the real one: nothing outside is behind it. */
export function freshPorts(): ToolPorts {
  return {
    files: fakeFiles(() => NOW),
    web: fakeWeb(() => ({ headers: { "content-type": "text/plain" }, body: "hello" })),
    search: fakeSearch(),
    results: fakeResults(),
    patterns: linearPatterns,
    memory: fakeMemory(),
    knowledge: exampleKnowledge(),
    mcp: fakeMcp(),
    apps: fakeAppCalls(),
    scripts: fakeScripts(),
    documents: fakeDocuments(),
    documentIntake: fakeDocumentIntake(),
    pages: fakePages(),
    databases: fakeDatabases(),
    language: fakeLanguage(),
    ssh: fakeSsh(),
    slack: makeNotesPort([fakeSlack()]),
    toolSearch: allTools,
    appConnections: fakeAppConnections({ gmail: { kind: "needed", reason: "missing", person: null } }),
    skills: skillsOfTexts(),
    people: fakePeople(),
    reminders: fakeReminders(),
    mail: fakeMail(),
    codebases: codebasesOfTexts(),
  };
}

/** `facts` replaces parts of the context. */
export async function runTool(
  tool: Tool,
  given: unknown,
  ports: Partial<ToolPorts> = {},
  facts: Partial<CallFacts> = {},
): Promise<Ran> {
  const context = { ...contextFacts(), ...facts, ...freshPorts(), ...ports } as ToolContext<keyof ToolPorts>;
  const supplied = getSupplied(tool, facts.config ?? {});
  const parsed = validateArguments(tool, given, { rules: context.sandbox, supplied });
  if (!parsed.ok) return { failure: parsed.error };
  if (tool.name === CALL_TOOL) return await runCalled(parsed.value, ports, facts);
  const outcome = await tool.run(parsed.value as never, context);
  if (outcome.kind === "failure")
    return { failure: outcome.failure, ...(outcome.result === undefined ? {} : { result: outcome.result }) };
  if (outcome.kind === "control") return { control: outcome.control };
  const valid = validateOutput(tool, outcome.result);
  if (!valid.ok) return { failure: valid.error };
  return { result: valid.value, output: toShownText(outcome.content ?? tool.show(valid.value as never)) };
}

/**
 * Runs a tool whose document defines an `error` field, and returns its fields. A failed call has the same text as its
 * failure's message, and its fields fit the output's schema.
 */
export async function runDocumented<Fields>(tool: Tool, given: object): Promise<Fields> {
  const { result, failure } = await runTool(tool, given);
  const { error } = result as { readonly error: string | null };
  if (failure !== undefined) {
    expect(failure).toMatchObject({ code: "invalid_input", message: error, field: expect.any(String) });
    expect(tool.output.parse(result)).toEqual(result);
  }
  return result as Fields;
}

/** The gateway takes `call_tool` apart before anything runs. */
async function runCalled(parsed: unknown, ports: Partial<ToolPorts>, facts: Partial<CallFacts>): Promise<Ran> {
  const { name, arguments: given } = calledToolSchema.parse(parsed);
  const tool = toolNamed(name);
  return tool === null ? { failure: { code: "not_found", message: name } } : await runTool(tool, given, ports, facts);
}

let calls = 0;

export function contextFacts(): CallFacts {
  calls += 1;
  return {
    giveWay: freeWork.giveWay,
    tenant: "ten_1",
    agent: { id: "agent_1", version: 1 },
    task: "task_1",
    rootTask: "task_1",
    project: null,
    step: 1,
    label: PRINCIPAL,
    callId: `call_1_1_${calls}`,
    key: `call_1_1_${calls}`,
    attempt: 1,
    intendedAt: NOW,
    correlationId: "task_1/1/1",
    permissions: ["read", "write", "exec", "network"],
    tools: catalogue.map(({ name }) => name),
    sandbox: DEFAULT_RULES,
    workingDirectory: "",
    allowedDomains: ["*"],
    config: {},
    taskSkills: {
      pinned: EXAMPLE_SKILLS,
      inForce: EXAMPLE_SKILLS.map(({ hash }) => hash),
      scriptTimeoutMs: 120_000,
    },
    metadata: {},
    resumed: null,
    nowMs: NOW,
    signal: new AbortController().signal,
  };
}
