/** The meanings of the text after `/otto`. */
export type CommandMeaning =
  | { readonly kind: "help" }
  | { readonly kind: "status" }
  | { readonly kind: "stop"; readonly task: string | null }
  | { readonly kind: "remind"; readonly words: string }
  | { readonly kind: "apps" }
  | { readonly kind: "connect"; readonly app: string }
  | { readonly kind: "request"; readonly text: string };

export function readCommandWords(written: string): CommandMeaning {
  const text = written.trim();
  if (text === "" || /^help$/i.test(text)) return { kind: "help" };
  if (/^status$/i.test(text)) return { kind: "status" };
  if (/^(?:apps|connect)$/i.test(text)) return { kind: "apps" };
  // More words are a request to the agent.
  const connect = /^connect\s+(\S+)$/i.exec(text);
  if (connect !== null) return { kind: "connect", app: connect[1] ?? "" };
  const stop = /^stop(?:\s+(task_[0-9a-z]+))?$/i.exec(text);
  if (stop !== null) return { kind: "stop", task: stop[1]?.toLowerCase() ?? null };
  const remind = /^remind(?:\s+([^]+))?$/i.exec(text);
  return remind === null ? { kind: "request", text } : { kind: "remind", words: remind[1] ?? "" };
}

export const HELP = [
  "*What you can write*",
  "• `/otto <what you want>`: Otto works on it and answers in a thread of this channel",
  "• `/otto status`: what Otto is working on here",
  "• `/otto stop`: stops what you asked for here; `/otto stop task_…` one of several",
  "• `/otto remind me in 20 minutes to …`, `@Ana tomorrow at 9 to …`, `me every weekday at 9:00 to …`",
  "• `/otto apps`: your accounts of apps; `/otto connect <app>` connects one",
  "• `/otto help`: this list",
  "You can also mention Otto in a channel, or write to it directly. What you write in its thread continues the same task.",
].join("\n");
