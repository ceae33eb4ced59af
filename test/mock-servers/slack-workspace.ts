/** One workspace of the mock server of Slack: people, conversations, messages, files, and the installed bot. */

/** A stored message. */
export interface SlackMessage {
  type: "message";
  user: string;
  text: string;
  ts: string;
  bot_id?: string;
  app_id?: string;
  team: string;
  thread_ts?: string;
  blocks?: unknown;
  metadata?: { readonly event_type: string; readonly event_payload: Readonly<Record<string, unknown>> };
  files?: readonly unknown[];
  edited?: { readonly user: string; readonly ts: string };
  reactions?: { name: string; users: string[]; count: number }[];
}

export interface SlackChannel {
  readonly id: string;
  readonly name: string;
  readonly isDirect: boolean;
  readonly isPrivate: boolean;
  isArchived: boolean;
  /** Whether the bot is a member. In other public channels it may post (`chat:write.public`) but not read. */
  isMember: boolean;
  /** The user of a direct conversation. */
  readonly user: string | null;
  readonly messages: SlackMessage[];
}

export interface SlackUser {
  readonly id: string;
  readonly name: string;
  readonly realName: string;
  readonly email: string | null;
  readonly tz: string;
  readonly isBot: boolean;
  /** The home workspace of a guest from a shared channel. */
  readonly team: string;
}

export interface SlackFile {
  readonly id: string;
  readonly name: string;
  title: string;
  bytes: Uint8Array | null;
  readonly mimetype: string;
  /** Where it was shared. Null until the upload is complete. */
  shared: { readonly channel: string; readonly ts: string; readonly threadTs: string | null } | null;
}

/** Options of a workspace. */
export interface WorkspaceOptions {
  /** `T…` */
  readonly team: string;
  readonly name?: string;
  readonly users?: readonly (Partial<SlackUser> & { readonly id: string })[];
  readonly channels?: readonly (Partial<Omit<SlackChannel, "messages">> & { readonly id: string })[];
}

export class SlackWorkspace {
  readonly team: string;
  readonly name: string;
  readonly botUser: string;
  readonly botId: string;
  readonly appId: string;
  token: string;
  /** True after the app was uninstalled. */
  isRevoked = false;
  readonly users = new Map<string, SlackUser>();
  readonly channels = new Map<string, SlackChannel>();
  readonly files = new Map<string, SlackFile>();
  readonly views = new Map<string, Record<string, unknown>>();
  private lastTs = 0;
  private made = 0;

  constructor({ team, name, users = [], channels = [] }: WorkspaceOptions) {
    this.team = team;
    this.name = name ?? `Workspace ${team}`;
    const rest = team.slice(1);
    this.botUser = `UB${rest}`;
    this.botId = `B${rest}`;
    this.appId = `A${rest}`;
    this.token = `xoxb-canary-${rest}`;
    this.addUser({ id: this.botUser, name: "otto", realName: "Otto", isBot: true });
    for (const user of users) this.addUser(user);
    for (const channel of channels) this.addChannel(channel);
  }

  addUser(user: Partial<SlackUser> & { readonly id: string }): void {
    const name = user.name ?? user.id.toLowerCase();
    const made = { name, realName: name, email: null, tz: "Europe/Lisbon", isBot: false, team: this.team, ...user };
    this.users.set(user.id, made);
  }

  addChannel(channel: Partial<Omit<SlackChannel, "messages">> & { readonly id: string }): SlackChannel {
    const name = channel.name ?? channel.id.toLowerCase();
    const facts = { name, isDirect: false, isPrivate: false, isArchived: false, isMember: true, user: null };
    const made: SlackChannel = { ...facts, ...channel, messages: [] };
    this.channels.set(made.id, made);
    return made;
  }

  /** Finds a channel by id, `#name` or name, or opens the direct conversation with a user. */
  channel(named: string): SlackChannel | null {
    const name = named.replace(/^#/, "");
    const found = this.channels.get(named) ?? [...this.channels.values()].find((channel) => channel.name === name);
    return found ?? (this.users.has(named) ? this.directWith(named) : null);
  }

  directWith(user: string): SlackChannel {
    const found = [...this.channels.values()].find((channel) => channel.isDirect && channel.user === user);
    return found ?? this.addChannel({ id: `D${user.slice(1)}`, isDirect: true, user });
  }

  /** Returns a unique message time. */
  nextTs(): string {
    this.lastTs = Math.max(this.lastTs + 1, Date.now() * 1000);
    return `${Math.floor(this.lastTs / 1_000_000)}.${String(this.lastTs % 1_000_000).padStart(6, "0")}`;
  }

  nextId(prefix: string): string {
    this.made += 1;
    return `${prefix}${this.team.slice(1)}${String(this.made).padStart(4, "0")}`;
  }

  post(channel: SlackChannel, message: Omit<SlackMessage, "type" | "team" | "ts"> & { ts?: string }): SlackMessage {
    const stored: SlackMessage = { type: "message", team: this.team, ...message, ts: message.ts ?? this.nextTs() };
    channel.messages.push(stored);
    return stored;
  }
}
