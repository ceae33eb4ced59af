/**
 * Receives Slack's requests: verifies the signature over the raw body, stores the item in the workspace's inbox, and
 * acknowledges it. Uses neither the database nor a model, because Slack waits only three seconds and expects that an
 * outage loses nothing. A retry by Slack (`X-Slack-Retry-Num`) does not tell whether the first request was stored.
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
import { parseApproval } from "./clicks.ts";
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
        description: "It is stored. The body is empty, or the content that Slack expects.",
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
  summary: "Receive a Slack event",
  description: "For Slack's servers: signed with the app's signing secret. Answers `url_verification`.",
});
const commands = createRoute({
  ...shared,
  operationId: "slackRequests.takeCommand",
  path: "/slack/commands",
  summary: "Receive a slash command",
  description: "For Slack's servers: a form, signed with the app's signing secret.",
});
const interactive = createRoute({
  ...shared,
  operationId: "slackRequests.takeInteraction",
  path: "/slack/interactive",
  summary: "Receive a click or a submitted modal",
  description: "For Slack's servers: a form with a `payload`, signed with the app's signing secret.",
});

export function slackEntryRoutes(app: App): void {
  app.openapi(events, async (c) => {
    const body = readJson(await readSignedBody(c));
    const { type, challenge } = (body ?? {}) as { readonly type?: unknown; readonly challenge?: unknown };
    if (type === "url_verification" && typeof challenge === "string") return c.json({ challenge }, 200);
    await storeItem(c, readEvent(body));
    return c.body(null, 200);
  });

  app.openapi(commands, async (c) => {
    const body = await readSignedBody(c);
    const fields = Object.fromEntries(new URLSearchParams(body));
    if (fields["ssl_check"] === "1") return c.body(null, 200);
    if (readCommandWords(fields["text"] ?? "").kind === "help") return whisper(c, escapeText(HELP));
    await storeItem(c, readCommand(fields, await getItemName("command", body)));
    return whisper(c, "On it.");
  });

  app.openapi(interactive, async (c) => {
    const text = new URLSearchParams(await readSignedBody(c)).get("payload") ?? "";
    const read = readInteraction(readJson(text), await getItemName("interaction", text));
    const problem = read.kind === "taken" ? findWindowProblem(read.value.item) : null;
    if (problem !== null) return c.json(createInputProblem(problem), 200);
    await storeItem(c, read);
    const isModal = read.kind === "taken" && read.value.item.kind === "submission";
    return isModal ? c.json({ response_action: "clear" }, 200) : c.body(null, 200);
  });
}

/** Returns the body once Slack's signature is verified. */
async function readSignedBody(c: AppContext): Promise<string> {
  const secret = slackSigningSecretFromEnv(c.env);
  const body = await readCounted(c.req.raw, MAX_BODY_BYTES);
  if (body === null) raise("too_large", `The body is larger than ${MAX_BODY_BYTES} bytes.`, { field: "body" });
  const [timestamp, signature] = [c.req.header("x-slack-request-timestamp"), c.req.header("x-slack-signature")];
  const isSigned = secret !== null && (await isSignedBySlack({ body, timestamp, signature }, secret, Date.now()));
  if (!isSigned)
    raise(
      "unauthenticated",
      "This request has no valid Slack signature, or was signed too long ago. Check SLACK_SIGNING_SECRET.",
    );
  return new TextDecoder().decode(body);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return raise("invalid_input", "The body is not valid JSON.", { field: "body" });
  }
}

/** Stores an item for Otto, once: Slack resends a request whose reply it did not see. */
async function storeItem(c: AppContext, read: ReadResult<SlackArrival>): Promise<void> {
  if (read.kind === "unreadable")
    raise("invalid_input", "The body does not have the form that Slack documents.", { field: "body" });
  if (read.kind === "ignored") return;
  const { team } = read.value;
  const item = unwrap(validateItem({ ...read.value.item, receivedAt: Date.now() }));
  const inbox = inboxesFromEnv(c.env)(`slack/${team}`);
  const { retryAfterMs } = await inbox.take(item);
  if (retryAfterMs !== undefined)
    raise("rate_limited", "This workspace sends too much. Send it again later.", { retryAfterMs });
}

/** Explains what is wrong with a submitted window, which then stays open; null if nothing can be told at once. */
function findWindowProblem({ kind, body }: SlackArrival["item"]): string | null {
  if (kind !== "submission") return null;
  const { callback, text } = body as unknown as SubmissionBody;
  if (text === null) return "Write something.";
  const written = findVerb(callback) === "edit" ? parseApproval(text) : null;
  return written === null || written.ok ? null : written.error.message;
}

/**
 * Names an item that has no id from Slack. Two clicks or commands differ by their time; a resent one has the same
 * time.
 */
async function getItemName(kind: string, body: string): Promise<string> {
  return `${kind}/${await sha256Hex(body)}`;
}

function whisper(c: AppContext, text: string) {
  return c.json({ response_type: "ephemeral", text }, 200);
}
