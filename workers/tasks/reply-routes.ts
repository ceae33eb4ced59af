/** Messages of people to a running task: texts, answers to its questions, decisions on its approvals. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { hasApps, writeMessageHint } from "../apps/hint-message.ts";
import { readSources } from "../http/tenant-facts.ts";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import type { TaskStub } from "../../adapters/env/tasks.ts";
import { REQUEST_DEPTH } from "../../core/base/call-budget.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import { findTaskOfWait } from "../../core/base/ids.ts";
import type { TaskView } from "../../core/task/view.ts";
import { answers, withKey } from "../http/answers.ts";
import { taskSchema } from "../http/schemas.ts";
import type { App, AppContext } from "../http/context.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getRequestName } from "../http/new-ids.ts";
import { getAuthor, getTenant } from "../http/principal.ts";
import { takePermit } from "../http/request-permit.ts";
import { findDecidingTask, readTask, taskParams, getTaskStub } from "./access.ts";
import { toTaskView } from "./view.ts";
import { unwrap } from "../http/unwrap.ts";

/** UTF-16 units of a message or an answer. */
const MAX_TEXT = 16_000;
/** UTF-16 units of the reason for a decision. */
const MAX_REASON = 2000;

const writes = [requireScope("tasks:write")];
const text = z.string().min(1).max(MAX_TEXT);
const shared = { tags: ["Tasks"], ...withKey };

const messageBody = z.strictObject({
  text,
  paste: z
    .boolean()
    .optional()
    .describe(
      "True for text that its sender did not write, such as a mail or a page. The agent treats it as data, not as instructions.",
    ),
});

const message = createRoute({
  ...shared,
  method: "post",
  operationId: "tasks.sendMessage",
  path: "/v1/tasks/{id}/messages",
  summary: "Send a message to a running task, which reads it at its next step",
  middleware: writes,
  request: {
    params: taskParams,
    body: { required: true, content: { "application/json": { schema: messageBody.meta({ id: "MessageInput" }) } } },
  },
  responses: answers({ 202: { description: "The task.", json: taskSchema } }, [404, 409, 413, 415, 422]),
});

const answerBody = z
  .strictObject({ text: text.optional(), choice: text.optional() })
  .refine(({ text: free, choice }) => (free === undefined) !== (choice === undefined), {
    message: "send either `text` or `choice`",
    path: ["text"],
  });

const answer = createRoute({
  ...shared,
  method: "post",
  operationId: "tasks.answer",
  path: "/v1/tasks/{id}/questions/{question}/answer",
  summary: "Answer a question; the first answer counts",
  description:
    "Send `text`, or `choice` with one of the question's choices. Answered before: 409. Expired: 410. Answer a question of a subtask at the subtask or at any task above. Returns the task of the path.",
  middleware: writes,
  request: {
    params: taskParams.extend({ question: z.string().describe("The question's id, `qst_…`") }),
    body: { required: true, content: { "application/json": { schema: answerBody.meta({ id: "AnswerInput" }) } } },
  },
  responses: answers({ 200: { description: "The task.", json: taskSchema } }, [404, 409, 410, 413, 415, 422]),
});

const decisionBody = z
  .strictObject({
    decision: z.enum(["approve", "refuse"]),
    arguments: z
      .record(z.string(), z.json())
      .optional()
      .describe("With `approve`: arguments that replace those shown."),
    reason: z
      .string()
      .min(1)
      .max(MAX_REASON)
      .optional()
      .describe("Stored in the log. The model reads the reason of a refusal."),
  })
  .refine(({ decision, arguments: given }) => decision === "approve" || given === undefined, {
    message: "only `approve` accepts arguments",
    path: ["arguments"],
  });

const decide = createRoute({
  ...shared,
  method: "post",
  operationId: "tasks.decideApproval",
  path: "/v1/tasks/{id}/approvals/{approval}",
  summary: "Approve or refuse an action; the first decision counts",
  description:
    "An approval is for exactly the arguments that `pending` shows. With `arguments`, the call uses those instead, if they fit the tool's schema (else 422) and the agent's policy allows them (else 403); otherwise the approval stays open. Decided before: 409. Expired: 410. Decide an approval of a subtask at the subtask or at any task above. Returns the task of the path.",
  middleware: writes,
  request: {
    params: taskParams.extend({ approval: z.string().describe("The approval's id, `apr_…`") }),
    body: {
      required: true,
      content: { "application/json": { schema: decisionBody.meta({ id: "ApprovalDecisionInput" }) } },
    },
  },
  responses: answers({ 200: { description: "The task.", json: taskSchema } }, [404, 409, 410, 413, 415, 422]),
});

export function taskReplyRoutes(app: App): void {
  app.openapi(message, async (c) => {
    const { id } = c.req.valid("param");
    const body = c.req.valid("json");
    const own = body.paste === true ? 0 : body.text.length;
    const stub = getTaskStub(c, id);
    const hint = hasApps(await readSources(c)) ? await writeMessageHint(c.env, stub, body.text.slice(0, own)) : "";
    const sent = await stub.message(body.text, getRequestName(c), own, undefined, getAuthor(c), hint);
    return c.json(await toTaskView(c, unwrap(sent)), 202);
  });

  app.openapi(answer, async (c) => {
    const { id, question } = c.req.valid("param");
    const body = c.req.valid("json");
    const given = { text: body.text ?? body.choice ?? "", isChoice: body.choice !== undefined, ...signAs(c) };
    const owner = await findDecidingTask(c, id, findTaskOfWait(question), "This task has no question with that id.");
    return c.json(await sendCommand(c, id, owner, (stub) => stub.answer(question, given, ...getWake(c))), 200);
  });

  app.openapi(decide, async (c) => {
    const { id, approval } = c.req.valid("param");
    const { decision, arguments: given = null, reason = null } = c.req.valid("json");
    const owner = await findDecidingTask(c, id, findTaskOfWait(approval), "This task has no approval with that id.");
    const decider = signAs(c);
    const may = await mayPersonApprove(c, decider.person);
    const decided = { decision, arguments: given, reason, ...decider, mayApprove: may.ok && may.value };
    const decideIt = async (stub: TaskStub): Promise<Result<TaskView>> => {
      const sent = await stub.decideApproval(approval, decided, ...getWake(c));
      // The unread record may have allowed it.
      return !sent.ok && sent.error.code === "forbidden" && !may.ok ? may : sent;
    };
    return c.json(await sendCommand(c, id, owner, decideIt), 200);
  });
}

/** Returns who answers or decides, as a task stores it. */
function signAs(c: AppContext): { readonly by: string; readonly person: string | null } {
  const { name, person } = getAuthor(c);
  return { by: name, person };
}

/**
 * True if the person's record allows approving. A key without a person has only its scopes, which no owner delegates to.
 * Only what an owner delegates depends on it: other decisions do not wait for the database to come back.
 */
async function mayPersonApprove(c: AppContext, person: string | null): Promise<Result<boolean>> {
  if (person === null) return ok(false);
  const found = await databaseFromEnv(c.env).people.get(getTenant(c), person);
  if (found.ok) return ok(found.value.mayApprove);
  return found.error.code === "not_found" ? ok(false) : found;
}

/** Returns the last arguments of a command that may wake the task: the request's name and its permit. */
function getWake(c: AppContext) {
  return [getRequestName(c), REQUEST_DEPTH, takePermit(c)] as const;
}

/** Sends a command to the task that decides, and returns the new view of the path's task. */
async function sendCommand(
  c: AppContext,
  id: string,
  owner: string,
  command: (stub: TaskStub) => Promise<Result<TaskView>>,
) {
  const view = unwrap(await command(getTaskStub(c, owner)));
  return await toTaskView(c, owner === id ? view : await readTask(c, id, (stub) => stub.view()));
}
