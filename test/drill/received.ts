/** Reads the task, the step and the texts of a request at a mock server. */
import { removeFacts } from "../../core/prompt/facts-line.ts";
import { unmarkData } from "../../core/prompt/mark-data.ts";
import type { WireBody, WireMessage } from "../mock-servers/model-server.ts";

/** Parses the task and the step of a request at a recorder: `/{drill}/{kind}/{step}/{index}`. */
export function parsePlace(path: string): { drill: string; step: number } {
  const [, drill = "", , step = "0"] = path.split("/");
  return { drill, step: Number(step) };
}

/** Finds the drill of a model request, including requests for a summary. Null if it has none. */
export function findDrill({ messages }: Pick<WireBody, "messages">): string | null {
  const first = messages.find((message) => message.role === "user");
  return /"drill":"([^"]+)"/.exec(readText(first))?.[1] ?? null;
}

/** Returns the input of a conversation if its `kind` is one of `kinds`, otherwise null. */
export function inputOfKind<Input extends { readonly kind: string }>(
  messages: readonly WireMessage[],
  kinds: readonly Input["kind"][],
): Input | null {
  const text = readInputText(messages);
  if (!text.startsWith('{"drill":')) return null;
  const input = JSON.parse(text) as Input;
  return kinds.includes(input.kind) ? input : null;
}

/** Returns the task's input: the first user message without the line of facts before it. */
export function readInputText(messages: readonly WireMessage[]): string {
  const first = messages.find((message) => message.role === "user")?.content;
  return typeof first === "string" ? removeFacts(first) : "";
}

/** Returns the text of a message without its data marks. */
export function readText(message: WireMessage | undefined): string {
  const content = message?.content ?? "";
  return unmarkData(typeof content === "string" ? content : content.map((part) => part.text ?? "").join(""));
}
