/** People's decisions on calls that wait for an account. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { REQUEST_DEPTH } from "../../core/base/call-budget.ts";
import { findTaskOfWait } from "../../core/base/ids.ts";
import { answers, withKey } from "../http/answers.ts";
import type { App } from "../http/context.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getRequestName } from "../http/new-ids.ts";
import { getAuthor } from "../http/principal.ts";
import { takePermit } from "../http/request-permit.ts";
import { taskSchema } from "../http/schemas.ts";
import { unwrap } from "../http/unwrap.ts";
import { findDecidingTask, getTaskStub, readTask, taskParams } from "./access.ts";
import { toTaskView } from "./view.ts";

const skip = createRoute({
  tags: ["Tasks"],
  ...withKey,
  method: "post",
  operationId: "tasks.skipConnection",
  path: "/v1/tasks/{id}/connections/{wait}",
  summary: "Continue without an account that a call waits for",
  description:
    "The call is refused, and the agent continues without it. Settled before: 409. Expired: 410. Decide a wait of a subtask at the subtask or at any task above. Returns the task of the path.",
  middleware: [requireScope("tasks:write")],
  request: {
    params: taskParams.extend({ wait: z.string().describe("The wait's id, `cnw_…`") }),
    body: {
      required: true,
      content: {
        "application/json": {
          schema: z.strictObject({ decision: z.literal("skip") }).meta({ id: "ConnectionDecisionInput" }),
        },
      },
    },
  },
  responses: answers({ 200: { description: "The task.", json: taskSchema } }, [404, 409, 410, 413, 415, 422]),
});

export function taskConnectionRoutes(app: App): void {
  app.openapi(skip, async (c) => {
    const { id, wait } = c.req.valid("param");
    const owner = await findDecidingTask(c, id, findTaskOfWait(wait), "This task waits for no account with that id.");
    const by = getAuthor(c).name;
    const skipped = await getTaskStub(c, owner).skipConnection(
      wait,
      { by },
      getRequestName(c),
      REQUEST_DEPTH,
      takePermit(c),
    );
    const view = unwrap(skipped);
    return c.json(await toTaskView(c, owner === id ? view : await readTask(c, id, (stub) => stub.view())), 200);
  });
}
