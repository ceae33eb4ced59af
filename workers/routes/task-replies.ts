/** What people tell a running task: messages, answers to its questions, decisions on its approvals. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { raise } from "../../core/errors.ts";
import { answers, withKey } from "../answers.ts";
import { taskSchema } from "../api-schemas.ts";
import type { App } from "../context.ts";
import { requireScope } from "../middleware/require-scope.ts";
import { requestName } from "../new-ids.ts";
import { actorOf, readTask, shownTask, taskParams, taskStub, unwrap } from "../task-access.ts";

/** UTF-16 units of a message or an answer. */
const MAX_TEXT = 16_000;

const writes = [requireScope("tasks:write")];
const text = z.string().min(1).max(MAX_TEXT);
const shared = { tags: ["Tasks"], ...withKey };

const message = createRoute({
  ...shared,
  method: "post",
  path: "/v1/tasks/{id}/messages",
  summary: "Tell a running task something; it reads it at its next step",
  middleware: writes,
  request: {
    params: taskParams,
    body: { required: true, content: { "application/json": { schema: z.strictObject({ text }) } } },
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
  path: "/v1/tasks/{id}/questions/{question}/answer",
  summary: "Answer a question; the first answer counts",
  description: "Send `text`, or `choice` with one of the question's choices. Answered before: 409. Expired: 410.",
  middleware: writes,
  request: {
    params: taskParams.extend({ question: z.string().describe("The question's id, `qst_…`") }),
    body: { required: true, content: { "application/json": { schema: answerBody } } },
  },
  responses: answers({ 200: { description: "The task.", json: taskSchema } }, [404, 409, 410, 413, 415, 422]),
});

const decide = createRoute({
  ...shared,
  method: "post",
  path: "/v1/tasks/{id}/approvals/{approval}",
  summary: "Approve or refuse an action",
  description: "A call that policy would ask about answers `not_available` for now, so no task has an approval: 404.",
  middleware: writes,
  request: {
    params: taskParams.extend({ approval: z.string().describe("The approval's id, `apr_…`") }),
    body: {
      required: true,
      content: {
        "application/json": {
          schema: z.strictObject({
            decision: z.enum(["approve", "refuse"]),
            arguments: z.record(z.string(), z.json()).optional(),
            reason: text.optional(),
          }),
        },
      },
    },
  },
  responses: answers({ 200: { description: "The task.", json: taskSchema } }, [404, 409, 410, 413, 415, 422]),
});

export function taskReplyRoutes(app: App): void {
  app.openapi(message, async (c) => {
    const { id } = c.req.valid("param");
    const body = c.req.valid("json");
    return c.json(shownTask(c, unwrap(await taskStub(c, id).message(body.text, requestName(c)))), 202);
  });

  app.openapi(answer, async (c) => {
    const { id, question } = c.req.valid("param");
    const body = c.req.valid("json");
    const given = { text: body.text ?? body.choice ?? "", isChoice: body.choice !== undefined, by: actorOf(c) };
    return c.json(shownTask(c, unwrap(await taskStub(c, id).answer(question, given, requestName(c)))));
  });

  app.openapi(decide, async (c) => {
    const { id } = c.req.valid("param");
    await readTask(c, id, (stub) => stub.facts());
    return raise("not_found", "This task has no approval with that id.");
  });
}
