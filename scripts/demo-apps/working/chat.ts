/** Team chat, with Slack's names. */
import { count, defineApp, DELETES, isFound, notFound, READS, readCount, readText, text } from "./working-app.ts";

const DEFAULT_RESULTS = 20;
const PEOPLE = [
  { id: "U01", name: "ana", real_name: "Ana Demo", email: "ana@demo.example" },
  { id: "U02", name: "tom", real_name: "Tom Reyes", email: "tom@acme.example" },
];

interface Post {
  readonly ts: string;
  readonly channel: string;
  readonly user: string;
  readonly text: string;
  reactions: string[];
}

interface Workspace {
  channels: { readonly id: string; readonly name: string }[];
  posts: Post[];
  next: number;
}

function addPost(workspace: Workspace, channel: string, user: string, said: string, now: number): Post {
  const post = {
    ts: `${Math.floor(now / 1_000)}.${String(workspace.next).padStart(6, "0")}`,
    channel,
    user,
    text: said,
    reactions: [],
  };
  workspace.next += 1;
  workspace.posts.push(post);
  return post;
}

const findChannel = (workspace: Workspace, given: string) =>
  workspace.channels.find(({ id, name }) => id === given || name === given.replace(/^#/, ""));

function createChannel(workspace: Workspace, name: string) {
  const channel = {
    id: `C${String(workspace.channels.length + 1).padStart(2, "0")}`,
    name: name.replace(/^#/, "").toLowerCase(),
  };
  workspace.channels.push(channel);
  return channel;
}

const CHANNEL = { channel: text("Id or name of the channel.") };

export const CHAT = defineApp<Workspace>({
  slug: "slack",
  title: "Slack",
  description: "Messages of teams in channels.",
  category: "team-chat",
  scopes: ["chat:write", "channels:history", "channels:read", "users:read"],
  begin(now) {
    const workspace: Workspace = { channels: [], posts: [], next: 1 };
    const { id: general } = createChannel(workspace, "general");
    const { id: releases } = createChannel(workspace, "releases");
    addPost(workspace, general, "U02", "Good morning! The demo is at 3 pm.", now - 7_200_000);
    addPost(workspace, releases, "U02", "Version 4.2 goes out tomorrow.", now - 3_600_000);
    return workspace;
  },
  actions: [
    {
      slug: "SLACK_SEND_MESSAGE",
      title: "Send message",
      description: "Posts a message in a channel.",
      tags: ["important"],
      parameters: { ...CHANNEL, text: text("Text of the message.") },
      required: ["channel", "text"],
      run(given, workspace, now) {
        const channel = findChannel(workspace, readText(given, "channel"));
        if (channel === undefined) return notFound("channel_not_found: channel");
        const message = addPost(workspace, channel.id, "U01", readText(given, "text"), now);
        return { data: { ok: true, channel: channel.id, ts: message.ts, message } };
      },
    },
    {
      slug: "SLACK_LIST_ALL_CHANNELS",
      title: "List all channels",
      description: "Lists the channels of the workspace.",
      tags: ["important", ...READS],
      parameters: {},
      required: [],
      run: (_given, { channels }) => ({ data: { ok: true, channels } }),
    },
    {
      slug: "SLACK_FETCH_CONVERSATION_HISTORY",
      title: "Fetch conversation history",
      description: "Reads the messages of a channel, the newest first.",
      tags: ["important", ...READS],
      parameters: { ...CHANNEL, limit: count("Maximum number of messages.", DEFAULT_RESULTS) },
      required: ["channel"],
      run(given, workspace) {
        const channel = findChannel(workspace, readText(given, "channel"));
        if (channel === undefined) return notFound("channel_not_found: channel");
        const posts = workspace.posts.filter((post) => post.channel === channel.id).toReversed();
        return { data: { ok: true, messages: posts.slice(0, readCount(given, "limit", DEFAULT_RESULTS)) } };
      },
    },
    {
      slug: "SLACK_SEARCH_MESSAGES",
      title: "Search messages",
      description: "Finds messages of all channels that contain the words.",
      tags: READS,
      parameters: { query: text("Words to search for.") },
      required: ["query"],
      run: (given, { posts }) => ({
        data: { ok: true, matches: posts.filter((post) => isFound(readText(given, "query"), post.text)) },
      }),
    },
    {
      slug: "SLACK_FIND_USERS",
      title: "Find users",
      description: "Finds people of the workspace by name or mail address.",
      tags: READS,
      parameters: { search_query: text("Part of a name or of a mail address.") },
      required: ["search_query"],
      run: (given) => ({
        data: {
          ok: true,
          users: PEOPLE.filter((one) => isFound(readText(given, "search_query"), one.name, one.real_name, one.email)),
        },
      }),
    },
    {
      slug: "SLACK_ADD_REACTION_TO_AN_ITEM",
      title: "Add reaction to an item",
      description: "Adds an emoji to a message.",
      tags: ["idempotentHint"],
      parameters: { ...CHANNEL, timestamp: text("`ts` of the message."), name: text("Name of the emoji.") },
      required: ["channel", "timestamp", "name"],
      run(given, workspace) {
        const post = workspace.posts.find(({ ts }) => ts === readText(given, "timestamp"));
        if (post === undefined) return notFound("message_not_found: message");
        post.reactions = [...new Set([...post.reactions, readText(given, "name")])];
        return { data: { ok: true } };
      },
    },
    {
      slug: "SLACK_CREATE_CHANNEL",
      title: "Create channel",
      description: "Creates a public channel.",
      tags: [],
      parameters: { name: text("Name of the channel.") },
      required: ["name"],
      run(given, workspace) {
        const name = readText(given, "name");
        if (findChannel(workspace, name) !== undefined) return { status: 422, message: "name_taken" };
        return { data: { ok: true, channel: createChannel(workspace, name) } };
      },
    },
    {
      slug: "SLACK_CREATE_CHANNEL_BASED_CONVERSATION",
      title: "Create channel-based conversation",
      description: "Creates a channel as a conversation that is public or private, for organizations.",
      tags: [],
      parameters: {
        name: text("Name of the conversation."),
        is_private: { type: "boolean", description: "Whether it is private." },
      },
      required: ["name"],
      run: (given, workspace) => ({ data: { ok: true, channel: createChannel(workspace, readText(given, "name")) } }),
    },
    {
      slug: "SLACK_DELETES_A_MESSAGE_FROM_A_CHAT",
      title: "Delete a message from a chat",
      description: "Deletes a message. It cannot be undone.",
      tags: DELETES,
      parameters: { ...CHANNEL, ts: text("`ts` of the message.") },
      required: ["channel", "ts"],
      run(given, workspace) {
        const before = workspace.posts.length;
        workspace.posts = workspace.posts.filter(({ ts }) => ts !== readText(given, "ts"));
        return workspace.posts.length === before ? notFound("message_not_found: message") : { data: { ok: true } };
      },
    },
  ],
});
