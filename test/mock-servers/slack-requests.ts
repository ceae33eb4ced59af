/** Creates Slack's requests to an app: events, commands and clicks, signed over their raw body. */

/** A signed request. */
export interface SignedRequest {
  readonly method: "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Parameters of a signature. */
export interface Signing {
  readonly secret: string;
  /** Age of the request in seconds. Negative for the future. */
  readonly ageSeconds?: number;
  /** Number and reason of Slack's retry. */
  readonly retry?: { readonly number: number; readonly reason: string };
}

export async function signJson(body: unknown, signing: Signing): Promise<SignedRequest> {
  return await sign(JSON.stringify(body), "application/json", signing);
}

export async function signForm(fields: Readonly<Record<string, string>>, signing: Signing): Promise<SignedRequest> {
  return await sign(new URLSearchParams(fields).toString(), "application/x-www-form-urlencoded", signing);
}

/** Signs a click or a submitted modal: a form with one field, `payload`. */
export async function signPayload(payload: unknown, signing: Signing): Promise<SignedRequest> {
  return await signForm({ payload: JSON.stringify(payload) }, signing);
}

async function sign(body: string, type: string, { secret, ageSeconds = 0, retry }: Signing): Promise<SignedRequest> {
  const timestamp = String(Math.floor(Date.now() / 1000) - ageSeconds);
  const key = await crypto.subtle.importKey("raw", bytes(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const mac = await crypto.subtle.sign("HMAC", key, bytes(`v0:${timestamp}:${body}`));
  const hex = Array.from(new Uint8Array(mac), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return {
    method: "POST",
    body,
    headers: {
      "content-type": type,
      "user-agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
      "x-slack-request-timestamp": timestamp,
      "x-slack-signature": `v0=${hex}`,
      ...(retry && { "x-slack-retry-num": String(retry.number), "x-slack-retry-reason": retry.reason }),
    },
  };
}

/** The recipient of an envelope. */
export interface AppFacts {
  readonly team: string;
  readonly appId: string;
  readonly botUser: string;
}

/** Wraps an event as Slack does. */
export function eventEnvelope(app: AppFacts, event: Readonly<Record<string, unknown>>, eventId: string): unknown {
  return {
    token: "verification-token",
    team_id: app.team,
    context_team_id: app.team,
    context_enterprise_id: null,
    api_app_id: app.appId,
    event,
    type: "event_callback",
    event_id: eventId,
    event_time: Math.floor(Number(event["event_ts"] ?? event["ts"] ?? Date.now() / 1000)),
    authorizations: [
      { enterprise_id: null, team_id: app.team, user_id: app.botUser, is_bot: true, is_enterprise_install: false },
    ],
    is_ext_shared_channel: false,
    event_context: `4-${eventId}`,
  };
}

export const URL_VERIFICATION = {
  token: "verification-token",
  challenge: "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P",
  type: "url_verification",
};

/** A person's message in an event. */
export interface IncomingMessageFacts {
  readonly user: string;
  readonly text: string;
  readonly channel: string;
  readonly ts: string;
  readonly threadTs?: string;
  readonly files?: readonly unknown[];
  /** The author's workspace, if it is a different one. */
  readonly userTeam?: string;
  /** The author of the thread's first message. */
  readonly parent?: string;
}

export function mentionEvent(said: IncomingMessageFacts): Record<string, unknown> {
  return { ...makeMessageFields("app_mention", said) };
}

/** `kind` is `im` for a direct conversation. */
export function messageEvent(said: IncomingMessageFacts, kind: "channel" | "im" = "channel"): Record<string, unknown> {
  const subtype = said.files === undefined ? {} : { subtype: "file_share" };
  return { ...makeMessageFields("message", said), ...subtype, channel_type: kind };
}

function makeMessageFields(
  type: string,
  { user, text, channel, ts, threadTs, files, userTeam, parent }: IncomingMessageFacts,
): Record<string, unknown> {
  return {
    type,
    user,
    text,
    ts,
    client_msg_id: crypto.randomUUID(),
    ...(userTeam !== undefined && { user_team: userTeam, source_team: userTeam }),
    ...(threadTs !== undefined && { thread_ts: threadTs }),
    ...(parent !== undefined && { parent_user_id: parent }),
    ...(files !== undefined && { files }),
    channel,
    event_ts: ts,
  };
}

/** Creates the fields of a slash command. */
export function commandFields(
  app: AppFacts,
  said: { readonly user: string; readonly channel: string; readonly text: string; readonly responseUrl: string },
): Record<string, string> {
  return {
    token: "verification-token",
    team_id: app.team,
    team_domain: "example",
    channel_id: said.channel,
    channel_name: "general",
    user_id: said.user,
    user_name: said.user.toLowerCase(),
    command: "/otto",
    text: said.text,
    api_app_id: app.appId,
    is_enterprise_install: "false",
    response_url: said.responseUrl,
    trigger_id: triggerId(),
  };
}

/** A click on an element of a message's blocks. */
export interface Click {
  readonly user: string;
  /** The workspace of the person who clicks. That of the app when omitted. */
  readonly userTeam?: string;
  readonly channel: string;
  readonly messageTs: string;
  readonly threadTs?: string;
  readonly actionId: string;
  readonly value: string;
  /** True for a menu, whose option has the value. */
  readonly isSelect?: boolean;
  readonly responseUrl: string;
}

export function clickPayload(app: AppFacts, click: Click): Record<string, unknown> {
  const { user, userTeam = app.team, channel, messageTs, threadTs, actionId, value, isSelect, responseUrl } = click;
  const option = { text: { type: "plain_text", text: value, emoji: true }, value };
  const element = isSelect === true ? { type: "static_select", selected_option: option } : { type: "button", value };
  return {
    type: "block_actions",
    user: { id: user, username: user.toLowerCase(), name: user.toLowerCase(), team_id: userTeam },
    api_app_id: app.appId,
    token: "verification-token",
    container: {
      type: "message",
      message_ts: messageTs,
      channel_id: channel,
      is_ephemeral: false,
      ...(threadTs !== undefined && { thread_ts: threadTs }),
    },
    trigger_id: triggerId(),
    team: { id: app.team, domain: "example" },
    enterprise: null,
    is_enterprise_install: false,
    channel: { id: channel, name: "general" },
    message: { type: "message", user: app.botUser, ts: messageTs, text: "", team: app.team, thread_ts: threadTs },
    state: { values: {} },
    response_url: responseUrl,
    actions: [
      {
        action_id: actionId,
        block_id: "b1",
        ...element,
        action_ts: `${Math.floor(Date.now() / 1000)}.${String(clicks++).padStart(6, "0")}`,
      },
    ],
  };
}

/** Creates a submitted modal. `values` holds the typed texts by block id and action id. */
export function submissionPayload(
  app: AppFacts,
  submitted: {
    readonly user: string;
    readonly userTeam?: string;
    readonly callbackId: string;
    readonly privateMetadata: string;
    readonly values: Readonly<Record<string, Readonly<Record<string, string>>>>;
  },
): Record<string, unknown> {
  const { user, userTeam = app.team, callbackId, privateMetadata, values } = submitted;
  const state = Object.entries(values).map(([block, fields]) => [
    block,
    Object.fromEntries(Object.entries(fields).map(([id, value]) => [id, { type: "plain_text_input", value }])),
  ]);
  return {
    type: "view_submission",
    team: { id: app.team, domain: "example" },
    user: { id: user, username: user.toLowerCase(), name: user.toLowerCase(), team_id: userTeam },
    api_app_id: app.appId,
    token: "verification-token",
    trigger_id: triggerId(),
    view: {
      id: `V${String(clicks++)}`,
      team_id: app.team,
      type: "modal",
      callback_id: callbackId,
      private_metadata: privateMetadata,
      state: { values: Object.fromEntries(state) as unknown },
      hash: "1.a",
      root_view_id: "V0",
      app_id: app.appId,
      bot_id: "B0",
    },
    response_urls: [],
    is_enterprise_install: false,
    enterprise: null,
  };
}

let clicks = 1;

function triggerId(): string {
  return `${String(Date.now())}.${String(clicks++)}.${crypto.randomUUID().replaceAll("-", "")}`;
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(new TextEncoder().encode(text));
}
