/** Controls the mock server of Slack from tests, including those in workerd: creates workspaces, sets faults, reads received calls. */
import type { SlackChannel, SlackMessage, SlackUser, WorkspaceOptions } from "./slack-workspace.ts";

/** A received request. `at` is milliseconds since the epoch; `ok` means that it took effect and replied so. */
export interface SlackCall {
  readonly at: number;
  readonly team: string | null;
  /** A method of the Web API, or `upload`, `download`, `response_url`. */
  readonly method: string;
  readonly given: Readonly<Record<string, unknown>>;
  ok: boolean;
  status: number;
}

/** A fault. `cut` lets the call take effect and closes the connection before the reply. */
export interface SlackFault {
  readonly kind: "ratelimited" | "status" | "error" | "hang" | "reset" | "cut";
  /** Every method when omitted. */
  readonly team?: string;
  readonly method?: string;
  /** Until the faults are cleared when omitted. */
  readonly times?: number;
  /** Seconds, for `ratelimited`. */
  readonly retryAfter?: number;
  readonly status?: number;
  readonly error?: string;
}

/** An authorization code of a workspace's administrator. */
export interface SlackCode {
  readonly code: string;
  readonly team: string;
  readonly user: string;
  readonly scope: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri?: string;
}

export interface WorkspaceFacts {
  readonly team: string;
  readonly name: string;
  readonly botUser: string;
  readonly botId: string;
  readonly appId: string;
  readonly token: string;
  readonly channels: readonly SlackChannel[];
  readonly views: readonly Readonly<Record<string, unknown>>[];
  readonly files: readonly {
    readonly id: string;
    readonly name: string;
    readonly title: string;
    readonly shared: { readonly channel: string; readonly ts: string; readonly threadTs: string | null } | null;
    readonly text: string | null;
  }[];
}

/** One workspace of the mock server. */
export class SlackClient {
  readonly team: string;
  private readonly base: string;

  constructor(base: string, team: string) {
    this.base = base;
    this.team = team;
  }

  /** Creates or recreates it. */
  async make(options: Omit<WorkspaceOptions, "team"> = {}): Promise<WorkspaceFacts> {
    return await this.ask("POST", "workspace", { team: this.team, ...options });
  }

  async facts(): Promise<WorkspaceFacts> {
    return await this.ask("GET", `workspace/${this.team}`);
  }

  async addUser(user: Partial<SlackUser> & { readonly id: string }): Promise<void> {
    await this.ask("POST", `user/${this.team}`, user);
  }

  async addChannel(channel: Partial<Omit<SlackChannel, "messages">> & { readonly id: string }): Promise<void> {
    await this.ask("POST", `channel/${this.team}`, channel);
  }

  /** Returns the messages of a conversation or a thread, oldest first. */
  async messages(channel: string, thread?: string): Promise<readonly SlackMessage[]> {
    const found = (await this.facts()).channels.find(({ id }) => id === channel)?.messages ?? [];
    return thread === undefined ? found : found.filter((one) => one.thread_ts === thread || one.ts === thread);
  }

  /** Adds a person's message without sending an event. */
  async say(said: { channel: string; user: string; text: string; thread_ts?: string }): Promise<SlackMessage> {
    return await this.ask("POST", `said/${this.team}`, said);
  }

  /** Adds a person's file, and returns it as in a message. */
  async putFile(name: string, content: string, type = "text/plain"): Promise<Record<string, unknown>> {
    const query = new URLSearchParams({ name, type }).toString();
    const response = await fetch(`${this.base}/mock/file/${this.team}?${query}`, { method: "POST", body: content });
    return (await response.json()) as Record<string, unknown>;
  }

  /** Returns all calls for this workspace, or those of one method. */
  async calls(method?: string): Promise<readonly SlackCall[]> {
    const all = await this.ask<readonly SlackCall[]>("GET", `calls/${this.team}`);
    return method === undefined ? all : all.filter((call) => call.method === method);
  }

  async breakWith(fault: Omit<SlackFault, "team">): Promise<void> {
    await this.ask("POST", "fault", { team: this.team, ...fault });
  }

  async mend(): Promise<void> {
    await this.ask("DELETE", `fault/${this.team}`);
  }

  /** Uninstalls or reinstalls the app. */
  async revoke(isRevoked = true): Promise<void> {
    await this.ask("POST", `revoked/${this.team}`, isRevoked);
  }

  async agree(code: Omit<SlackCode, "team">): Promise<void> {
    await this.ask("POST", "code", { team: this.team, ...code });
  }

  async responseUrl(): Promise<string> {
    return (await this.ask<{ url: string }>("POST", `response-url/${this.team}`)).url;
  }

  private async ask<T>(method: string, place: string, body?: unknown): Promise<T> {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const response = await fetch(`${this.base}/mock/${place}`, init);
    if (!response.ok) throw new Error(`the mock server of Slack refuses ${method} ${place}: ${await response.text()}`);
    return (await response.json()) as T;
  }
}
