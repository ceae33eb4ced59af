/**
 * What Slack sends: checked by its signature over the raw body, kept in the workspace's inbox, then acknowledged. Nothing here
 * needs the database, the model, or to know whose workspace it is: Slack waits three seconds, and asks an outage to be sat
 * out here. That Slack sends something again (`X-Slack-Retry-Num`) says nothing about whether it was kept.
 */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { inboxesFromEnv } from "../../../adapters/env/channels.ts";
import { slackSigningSecretFromEnv } from "../../../adapters/env/slack.ts";
import { validateItem } from "../../../core/channels/inbox/queue.ts";
import { escapeText } from "../../../core/channels/slack/escape.ts";
import { HELP, readCommandWords } from "../../../core/channels/slack/command-words.ts";
import {
  type ReadResult,
  readCommand,
  readEvent,
  readInteraction,
  type SlackArrival,
  type SubmissionBody,
} from "../../../core/channels/slack/items.ts";
import { findVerb } from "../../../core/channels/slack/actions.ts";
import { createInputProblem } from "../../../core/channels/slack/views.ts";
import { raise } from "../../../core/base/errors.ts";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { openAnswers } from "../../http/answers.ts";
import { approvalWith } from "./clicks.ts";
import { isSignedBySlack } from "./signature.ts";
import type { App, AppContext } from "../../http/context.ts";
import { readCounted } from "../../http/counted-body.ts";
import { unwrap } from "../../http/unwrap.ts";

const MAX_BODY_BYTES = 1_048_576;

const shared = {
  tags: ["Slack"],
  method: "post" as const,
  responses: openAnswers(
    {
      200: {
        description: "It is stored. The body is empty, or what Slack shows or awaits.",
        json: z.looseObject({}),
        mayBeEmpty: true,
      },
    },
    [401, 413, 422, 503],
  ),
};

const events = createRoute({
  ...shared,
  operationId: "slackRequests.takeEvent",
  path: "/slack/events",
  summary: "Take an event of Slack",
  description: "For Slack's servers: signed with the app's signing secret. Answers `url_verification`.",
});
const commands = createRoute({
  ...shared,
  operationId: "slackRequests.takeCommand",
  path: "/slack/commands",
  summary: "Take a use of the slash command",
  description: "For Slack's servers: a form, signed with the app's signing secret.",
});
const interactive = createRoute({
  ...shared,
  operationId: "slackRequests.takeInteraction",
  path: "/slack/interactive",
  summary: "Take a click or a submitted modal",
  description: "For Slack's servers: a form with a `payload`, signed with the app's signing secret.",
});

export function slackAdmissionRoutes(app: App): void {
  app.openapi(events, async (c) => {
    const body = readJson(await signedBody(c));
    const { type, challenge } = (body ?? {}) as { readonly type?: unknown; readonly challenge?: unknown };
    if (type === "url_verification" && typeof challenge === "string") return c.json({ challenge }, 200);
    await keep(c, readEvent(body));
    return c.body(null, 200);
  });

  app.openapi(commands, async (c) => {
    const body = await signedBody(c);
    const fields = Object.fromEntries(new URLSearchParams(body));
    if (fields["ssl_check"] === "1") return c.body(null, 200);
    if (readCommandWords(fields["text"] ?? "").kind === "help") return whisper(c, escapeText(HELP));
    await keep(c, readCommand(fields, await nameOf("command", body)));
    return whisper(c, "On it.");
  });

  app.openapi(interactive, async (c) => {
    const text = new URLSearchParams(await signedBody(c)).get("payload") ?? "";
    const read = readInteraction(readJson(text), await nameOf("interaction", text));
    const problem = read.kind === "taken" ? problemOf(read.value.item) : null;
    if (problem !== null) return c.json(createInputProblem(problem), 200);
    await keep(c, read);
    const isModal = read.kind === "taken" && read.value.item.kind === "submission";
    return isModal ? c.json({ response_action: "clear" }, 200) : c.body(null, 200);
  });
}

/** The body, once it is sure that Slack sent it. */
async function signedBody(c: AppContext): Promise<string> {
  const secret = slackSigningSecretFromEnv(c.env);
  const body = await readCounted(c.req.raw, MAX_BODY_BYTES);
  if (body === null) raise("too_large", `A request body has at most ${MAX_BODY_BYTES} bytes.`, { field: "body" });
  const [timestamp, signature] = [c.req.header("x-slack-request-timestamp"), c.req.header("x-slack-signature")];
  const isSigned = secret !== null && (await isSignedBySlack({ body, timestamp, signature }, secret, Date.now()));
  if (!isSigned) raise("unauthenticated", "This request is not signed by Slack, or was signed too long ago.");
  return new TextDecoder().decode(body);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return raise("invalid_input", "The body is not valid JSON.", { field: "body" });
  }
}

/** Keeps what is for Otto. What was kept before is not kept again: Slack sends a request anew whose answer it did not see. */
async function keep(c: AppContext, read: ReadResult<SlackArrival>): Promise<void> {
  if (read.kind === "unreadable")
    raise("invalid_input", "The body has not the form that Slack documents.", { field: "body" });
  if (read.kind === "ignored") return;
  const { team } = read.value;
  const item = unwrap(validateItem({ ...read.value.item, receivedAt: Date.now() }));
  const inbox = inboxesFromEnv(c.env)(`slack/${team}`);
  const { retryAfterMs } = await inbox.take(item);
  if (retryAfterMs !== undefined)
    raise("rate_limited", "This workspace sends too much. Send it again later.", { retryAfterMs });
}

/** What is wrong with what was written into a window, which then stays open; null: nothing that can be told at once. */
function problemOf({ kind, body }: SlackArrival["item"]): string | null {
  if (kind !== "submission") return null;
  const { callback, text } = body as unknown as SubmissionBody;
  if (text === null) return "Write something.";
  const written = findVerb(callback) === "edit" ? approvalWith(text) : null;
  return written === null || written.ok ? null : written.error.message;
}

/** What names something that Slack gives no id. Two clicks or commands differ by when they were made, one that is sent again does not. */
async function nameOf(kind: string, body: string): Promise<string> {
  return `${kind}/${await sha256Hex(body)}`;
}

function whisper(c: AppContext, text: string) {
  return c.json({ response_type: "ephemeral", text }, 200);
}
