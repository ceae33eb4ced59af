/** How tests, also those inside workerd, speak to the stand-in for Slack: they make workspaces, set faults, and read what came. */
import type { SlackChannel, SlackMessage, SlackUser, WorkspaceOptions } from "./slack-workspace.ts";

/** A request that the stand-in got. `at` is milliseconds since the epoch; `ok`: it took effect and said so. */
export interface SlackCall {
  readonly at: number;
  readonly team: string | null;
  /** Of the Web API, or `upload`, `download`, `response_url`. */
  readonly method: string;
  readonly given: Readonly<Record<string, unknown>>;
  ok: boolean;
  status: number;
}

/** What goes wrong. `cut`: it takes effect, and the connection ends before the answer. */
export interface SlackFault {
  readonly kind: "ratelimited" | "status" | "error" | "hang" | "reset" | "cut";
  /** Absent: any. */
  readonly team?: string;
  readonly method?: string;
  /** Absent: until the faults are cleared. */
  readonly times?: number;
  /** Seconds, of `ratelimited`. */
  readonly retryAfter?: number;
  readonly status?: number;
  readonly error?: string;
}

/** A code that a workspace's administrator got for agreeing. */
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

/** One workspace of the stand-in. */
export class SlackClient {
  readonly team: string;
  private readonly base: string;

  constructor(base: string, team: string) {
    this.base = base;
    this.team = team;
  }

  /** Makes it, or makes it anew. */
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

  /** The messages of a conversation, oldest first; of one thread when it is named. */
  async messages(channel: string, thread?: string): Promise<readonly SlackMessage[]> {
    const found = (await this.facts()).channels.find(({ id }) => id === channel)?.messages ?? [];
    return thread === undefined ? found : found.filter((one) => one.thread_ts === thread || one.ts === thread);
  }

  /** A person says something; nothing of it is sent to anybody. */
  async say(said: { channel: string; user: string; text: string; thread_ts?: string }): Promise<SlackMessage> {
    return await this.ask("POST", `said/${this.team}`, said);
  }

  /** A person's file, as the message that has it shows it. */
  async putFile(name: string, content: string, type = "text/plain"): Promise<Record<string, unknown>> {
    const query = new URLSearchParams({ name, type }).toString();
    const response = await fetch(`${this.base}/stand-in/file/${this.team}?${query}`, { method: "POST", body: content });
    return (await response.json()) as Record<string, unknown>;
  }

  /** Everything that came for this workspace; of one method when it is named. */
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

  /** The app is uninstalled, or is there again. */
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
    const response = await fetch(`${this.base}/stand-in/${place}`, init);
    if (!response.ok) throw new Error(`the stand-in for Slack refuses ${method} ${place}: ${await response.text()}`);
    return (await response.json()) as T;
  }
}
