/**
 * Calls one tool. The call runs in a hidden task with its own ledger, so it survives a crash like any task's call.
 * With `task_id` it uses that task's sandbox and agent.
 */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { databasesFromEnv } from "../../adapters/env/databases.ts";
import { appRightsFromEnv } from "../../adapters/env/app-rights.ts";
import { connectionsFromEnv } from "../../adapters/env/connections.ts";
import { blobsFromEnv } from "../../adapters/env/files.ts";
import { patternsFromEnv } from "../../adapters/env/patterns.ts";
import { mailFromEnv } from "../../adapters/env/mail.ts";
import { settingsFromEnv } from "../../adapters/env/settings.ts";
import { tasksFromEnv, type TaskStub } from "../../adapters/env/tasks.ts";
import type { PinnedAgent } from "../../core/agents/agent.ts";
import { startActors } from "../../core/connections/actors.ts";
import { type Failure, failed, NO_SUCH_TASK, raise, type Result } from "../../core/base/errors.ts";
import { EXECUTE_ACTION, parseInnerCall, readExecuted } from "../../core/steps/call-tool.ts";
import { prepareCalls, toToolError } from "../../core/steps/prepare.ts";
import { BY_PRINCIPAL } from "../../core/model/label-messages.ts";
import { CALL_TOOL } from "../../core/steps/shown-tools.ts";
import type { ToolBus } from "../../core/steps/tool-bus.ts";
import { buildToolset, type Toolset } from "../../core/steps/toolset.ts";
import { getResultKey } from "../../core/prompt/stored-results.ts";
import { createCallFacts, projectSchema } from "../../core/task/new-task.ts";
import type { SkillInForce } from "../../core/skills/skill.ts";
import { matchSkills } from "../../core/task/match-skills.ts";
import type { TaskFacts } from "../../core/task/state.ts";
import { hasEnded } from "../../core/task/status.ts";
import type { PendingView, TaskView } from "../../core/task/view.ts";
import type { Tool, ToolResult } from "../../core/tool/tool.ts";
import { TASK_MS } from "../../core/tenant/cost-rates.ts";
import { checkStart, isInBounds } from "../../core/tenant/key-bounds.ts";
import { answers, withKey } from "../http/answers.ts";
import { toolResultSchema } from "../http/schemas.ts";
import { getActorId } from "../http/audit-entry.ts";
import { awaitTask, MAX_WAIT_SECONDS } from "../tasks/await.ts";
import { chargeCost } from "../http/charge-cost.ts";
import type { App, AppContext } from "../http/context.ts";
import { refuseStopped } from "../http/middleware/refuse-stopped.ts";
import { getBounds } from "../http/middleware/key-bounds.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getIdSource } from "../http/new-ids.ts";
import { findOwnApi } from "../http/own-origin.ts";
import { openPinnedSkills } from "./pinned.ts";
import { resolveAgent } from "../agents/resolve.ts";
import { readActsFor } from "../tasks/acts-for.ts";
import { findFacts, readTask, refuseEnded, getTaskStub } from "../tasks/access.ts";
import { getTenant } from "../http/principal.ts";
import { readSources } from "../http/tenant-facts.ts";
import { unwrap } from "../http/unwrap.ts";
import { openBus } from "./bus.ts";
import { listTools } from "./tenant-tools.ts";
import { toolParams } from "./routes.ts";

const callBody = z.strictObject({
  arguments: z.record(z.string(), z.json()).optional(),
  agent: z.string().min(1).max(200).optional(),
  project: projectSchema.optional(),
  task_id: z.string().min(1).max(100).optional(),
});

type CallBody = z.infer<typeof callBody>;

const call = createRoute({
  tags: ["Tools"],
  ...withKey,
  method: "post",
  operationId: "tools.call",
  path: "/v1/tools/{name}/call",
  summary: "Call a tool",
  description:
    "A failed tool call returns `{ok: false, error}` with status 200. The call runs in a hidden task, which `Location` names and whose ledger has the call. With `task_id` it works in that task's sandbox, as that task's agent, without `agent` and `project`; a task that has ended accepts no calls, and cancelling the task cancels the call. A tool with `steers` needs a `task_id`: `attach_file` marks the file on that task. `dispatch_subagent`, the tools of skills and `finished` cannot be called here. `composio_execute` calls an action of an app, with the arguments `action` and `params`. A call that waits for an answer, or has not ended after 60 seconds, returns the error `timeout`; its `details` name the hidden task, where you can answer its question. If policy requires an approval, the error is `needs_approval`; its `details` have `approval_id`, `task_id` (the hidden task) and `expires_at`. Decide it at `/v1/tasks/{task_id}/approvals/{approval_id}`: the approved call runs in the hidden task. A call acts through the accounts of the key's person and through shared ones; without a usable one, the error is `timeout`, whose `details.pending` has the account to connect. A repeat with the same `Idempotency-Key` returns the result of a call that waited. If the outcome is unknown and the agent has `on_unknown: ask`, the error is `outcome_unknown`, with the `task_id` and `call_id` to decide.",
  middleware: [requireScope("tools:call"), refuseStopped],
  request: {
    params: toolParams,
    body: { required: true, content: { "application/json": { schema: callBody.meta({ id: "ToolCallInput" }) } } },
  },
  responses: answers(
    { 200: { description: "The result of the tool.", json: toolResultSchema } },
    [404, 409, 413, 415, 422],
  ),
});

export function toolCallRoutes(app: App): void {
  app.openapi(call, async (c) => {
    const { name } = c.req.valid("param");
    const body = c.req.valid("json");
    const of = body.task_id === undefined ? null : await readTaskOfCall(c, body.task_id);
    const sources = of?.sources ?? (await readSources(c));
    const bus = await openBus(c, {
      sources,
      call: async (tool, given) => await makeCall(c, tool, given, { body, of }),
    });
    if (name === EXECUTE_ACTION) return c.json(await executeAction(bus, body.arguments ?? {}), 200);
    const { tool } = unwrap(bus.get(name));
    if (tool.name === CALL_TOOL) return c.json(await callWithin(bus, tool, body), 200);
    refuseSteering(tool, body);
    return c.json(unwrap(await bus.call(name, body.arguments ?? {})), 200);
  });
}

/** Finds tools of the bus by their names. */
function toResolve(bus: ToolBus): Toolset["resolve"] {
  return (name) => {
    const found = bus.get(name);
    return found.ok ? found.value.tool : null;
  };
}

/** `composio_execute` over the API: calls the action that its arguments name. */
async function executeAction(bus: ToolBus, given: Readonly<Record<string, unknown>>): Promise<ToolResult> {
  const named = unwrap(nestField(readExecuted(given, toResolve(bus))));
  return unwrap(nestField(await bus.call(named.tool.name, named.arguments)));
}

/** `call_tool` over the API: calls the tool that its arguments name. */
async function callWithin(bus: ToolBus, callTool: Tool, body: CallBody): Promise<ToolResult> {
  const called = unwrap(nestField(parseInnerCall(callTool, body.arguments ?? {}, toResolve(bus))));
  if (called.name === EXECUTE_ACTION) return await executeAction(bus, called.arguments);
  const { tool } = unwrap(bus.get(called.name));
  refuseSteering(tool, body);
  return unwrap(nestField(await bus.call(tool.name, called.arguments)));
}

/** Converts fields of the called tool to fields of the request: `arguments.arguments.path`. */
function nestField<T>(result: Result<T>): Result<T> {
  if (result.ok) return result;
  const { field = "arguments", message, fields = [{ field, message }] } = result.error;
  const inBody = fields.map((one) => ({ ...one, field: `arguments.${one.field}` }));
  return { ok: false, error: { ...result.error, fields: inBody } };
}

/** Refuses a tool that needs a task, and one that only a model can call. */
function refuseSteering({ name, steers, onlyByModel }: Tool, body: CallBody): void {
  if (onlyByModel === "dispatches")
    raise("invalid_input", `${name}: only a task's own model dispatches subagents`, { field: "name" });
  if (onlyByModel === "finishes")
    raise("invalid_input", `${name}: only a task's own model ends it this way`, { field: "name" });
  if (steers && body.task_id === undefined)
    raise("invalid_input", `${name} needs a task. Name it in task_id.`, { field: "task_id" });
}

/** Makes the call in its own hidden task, and returns its result. */
async function makeCall(
  c: AppContext,
  tool: Tool,
  given: Readonly<Record<string, unknown>>,
  { body, of }: { readonly body: CallBody; readonly of: TaskFacts | null },
): Promise<ToolResult> {
  const facts = await buildFacts(c, tool, body, of);
  const prepared = await prepareCalls([{ name: tool.name, arguments: JSON.stringify(given) }], {
    facts,
    step: 1,
    toolset: {
      ...(await buildToolset(await listTools(c, facts.sources), facts)),
      mailKeyedForMs: mailFromEnv(c.env).keyedForMs,
      ownApi: findOwnApi(c.env),
      patterns: patternsFromEnv(c.env),
    },
    repeat: null,
    context: BY_PRINCIPAL,
    connections: connectionsFromEnv(c.env, facts.tenant),
    appRights: appRightsFromEnv(c.env, facts.tenant),
    databases: databasesFromEnv(c.env, facts),
    actors: startActors(facts.actsFor?.person ?? null, facts.actsFor?.person ?? null),
  });
  const [only] = prepared;
  if (only === undefined) throw new Error("a prepared call is missing");
  if (body.task_id !== undefined) await adoptCall(c, body.task_id, facts);
  const open = () => tasksFromEnv(c.env)(facts.tenant, facts.id);
  chargeCost(c.env, facts.tenant, TASK_MS);
  const made = await open().create({ facts, hold: false, call: only });
  if (!made.ok && body.task_id !== undefined) await getTaskStub(c, body.task_id).disown(facts.id);
  unwrap(made);
  if (body.task_id !== undefined) await cancelWithoutParent(c, body.task_id, open());
  const view = unwrap(await awaitTask(open, MAX_WAIT_SECONDS * 1000, hasEndedOrAsks));
  c.header("location", `/v1/tasks/${facts.id}`);
  return await readResult(c, view, facts, body.task_id);
}

/**
 * Links the call to the task before it is made, so that cancelling or erasing the task reaches it. A repeat of a
 * request whose call was made skips the check that the task is live.
 */
async function adoptCall(c: AppContext, taskId: string, { id, tenant }: TaskFacts): Promise<void> {
  const isRepeat = c.get("idempotency") !== null && (await tasksFromEnv(c.env)(tenant, id).view()).ok;
  if (isRepeat) return;
  refuseEnded(await readTask(c, taskId, (stub) => stub.view()));
  unwrap(await getTaskStub(c, taskId).adopt(id));
}

/** A task that was cancelled or erased between the link and the call did not reach the call. */
async function cancelWithoutParent(c: AppContext, taskId: string, call: TaskStub): Promise<void> {
  const parent = await getTaskStub(c, taskId).view();
  if (!parent.ok || hasEnded(parent.value.status)) await call.cancel("the end of its task");
}

/** Builds the facts of the hidden task. `of` is the task of the call. */
async function buildFacts(c: AppContext, tool: Tool, body: CallBody, of: TaskFacts | null): Promise<TaskFacts> {
  const tenant = getTenant(c);
  const double = (["agent", "project"] as const).find((field) => of !== null && body[field] !== undefined);
  if (double !== undefined) raise("invalid_input", `${double}: comes from the task; omit it`, { field: double });
  const agent = of?.agent ?? (await resolveAgent(c, body.agent));
  const project = of === null ? (body.project ?? null) : of.project;
  unwrap(checkStart(getBounds(c), { project, agent: { id: agent.id, name: agent.config.name } }));
  const { model: defaultModel } = settingsFromEnv(c.env);
  const source = await getIdSource(c, "call");
  const sources = await readSources(c);
  const skills = of === null ? await listSkills(c, agent) : [];
  // Also of a call for another task: it acts for the person who asks for it.
  const actsFor = await readActsFor(c, undefined);
  return createCallFacts(
    { tenant, key: getActorId(c), actsFor, agent, sources, defaultModel, ...source },
    { project: body.project ?? null, of, skills, toolName: tool.name },
  );
}

/** Returns the skills of an agent, for any caller of its tools. */
async function listSkills(c: AppContext, agent: PinnedAgent): Promise<readonly SkillInForce[]> {
  if ((agent.config.skills?.names ?? []).length === 0) return [];
  const skills = unwrap(await openPinnedSkills(c.env, { tenant: getTenant(c), sources: await readSources(c) }));
  return unwrap(matchSkills({ input: "", skills: [] }, { skills, agent }));
}

/** Returns the task of a call. `not_found` names the field. */
async function readTaskOfCall(c: AppContext, id: string): Promise<TaskFacts> {
  const facts = await findFacts(c, id);
  if (facts === null || !isInBounds(getBounds(c), facts.project))
    raise("not_found", NO_SUCH_TASK.message, { field: "task_id" });
  return facts;
}

/** Reads the result from the hidden task's ledger row. For a call that continues, tells where. */
async function readResult(
  c: AppContext,
  view: TaskView,
  facts: TaskFacts,
  taskId: string | undefined,
): Promise<ToolResult> {
  if (!hasEnded(view.status)) {
    // A repeat of the request finds the same hidden task, and gets its result once there is one.
    c.set("isReplyTemporary", true);
    return toRefused(toPendingFailure(view));
  }
  const { rows } = await readTask(c, view.id, (stub) => stub.ledger({ after: null, limit: 1, withResults: true }));
  const [row] = rows;
  if (row?.result == null) return toRefused({ code: "internal", message: "The call ended without a result." });
  if (!row.result.ok) return row.result;
  for (const file of taskId === undefined ? [] : (view.output?.files ?? [])) {
    const attached = await getTaskStub(c, taskId ?? "").attach({
      path: file.path,
      size: file.size,
      contentType: file.content_type,
      ...(file.sha256 === undefined ? {} : { hash: file.sha256 }),
    });
    if (!attached.ok) return toRefused(attached.error);
  }
  return { ok: true, result: await readWholeResult(c, row.result.result, getResultKey(facts, row.callId)) };
}

/** Explains why there is no result yet, and where to find it. */
function toPendingFailure({ id, status, pending }: TaskView): Failure {
  const [open] = pending;
  switch (open?.kind) {
    case "approval":
      return toApprovalFailure(id, open);
    case "unknown": {
      const message = `The outcome of the call is unknown. Decide it at /v1/tasks/${id}/ledger/${open.call_id}.`;
      return failed("outcome_unknown", message, { details: { task_id: id, call_id: open.call_id } }).error;
    }
    case "connection": {
      const message = `The call waits for an account of ${open.app}. Connect it, or skip it at /v1/tasks/${id}/connections/${open.id}; its result will be in that task's ledger.`;
      return failed("timeout", message, { details: { task_id: id, status, pending } }).error;
    }
    default: {
      const message = `The call continues in ${id} (${status}). Read that task, and answer its questions there.`;
      return failed("timeout", message, { details: { task_id: id, status, pending } }).error;
    }
  }
}

function toApprovalFailure(task: string, open: Extract<PendingView, { kind: "approval" }>): Failure {
  return failed(
    "needs_approval",
    `A person has to approve this call first: ${open.reason} Decide it at /v1/tasks/${task}/approvals/${open.id}; its result will be in that task's ledger.`,
    { details: { approval_id: open.id, task_id: task, expires_at: open.expires_at } },
  ).error;
}

/** Reads a result that was too large for its row from its key in the store. */
async function readWholeResult(c: AppContext, result: unknown, key: string): Promise<unknown> {
  if (typeof result !== "object" || result === null || !("stored" in result) || result.stored !== key) return result;
  const blob = await blobsFromEnv(c.env).get(key);
  return blob.ok ? (JSON.parse(new TextDecoder().decode(blob.value)) as unknown) : result;
}

function toRefused(failure: Failure): ToolResult {
  return { ok: false, error: toToolError(failure) };
}

function hasEndedOrAsks(view: TaskView): boolean {
  return hasEnded(view.status) || view.status === "waiting_input" || view.status === "waiting_approval";
}
