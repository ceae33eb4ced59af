/** The meanings of the text after `/otto`. */
export type CommandMeaning =
  | { readonly kind: "help" }
  | { readonly kind: "status" }
  | { readonly kind: "stop"; readonly task: string | null }
  | { readonly kind: "remind"; readonly words: string }
  | { readonly kind: "request"; readonly text: string };

export function readCommandWords(written: string): CommandMeaning {
  const text = written.trim();
  if (text === "" || /^help$/i.test(text)) return { kind: "help" };
  if (/^status$/i.test(text)) return { kind: "status" };
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
  "• `/otto help`: this list",
  "You can also mention Otto in a channel, or write to it directly. What you write in its thread continues the same task.",
].join("\n");
