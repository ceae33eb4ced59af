/** What a request at a stand-in says of itself: whose it is, and what it reads. */
import { unmarkData } from "../../core/prompt/mark-data.ts";
import type { WireBody, WireMessage } from "../mock-servers/model-server.ts";

/** The task and the step that a request at a recorder belongs to: `/{drill}/{kind}/{step}/{index}`. */
export function placeOf(path: string): { drill: string; step: number } {
  const [, drill = "", , step = "0"] = path.split("/");
  return { drill, step: Number(step) };
}

/** The drill that a request to the model belongs to, also when it only asks for a summary of a part of it; null: none. */
export function drillOf({ messages }: Pick<WireBody, "messages">): string | null {
  const first = messages.find((message) => message.role === "user");
  return /"drill":"([^"]+)"/.exec(textOf(first))?.[1] ?? null;
}

/** The input of a conversation when it is of one of `kinds`, else null. A drill's task is given JSON with a `kind`. */
export function inputOfKind<Input extends { readonly kind: string }>(
  messages: readonly WireMessage[],
  kinds: readonly Input["kind"][],
): Input | null {
  const first = messages.find((message) => message.role === "user")?.content;
  if (typeof first !== "string" || !first.startsWith('{"drill":')) return null;
  const input = JSON.parse(first) as Input;
  return kinds.includes(input.kind) ? input : null;
}

/** The text of a message, without the marks of data around it. */
export function textOf(message: WireMessage | undefined): string {
  const content = message?.content ?? "";
  return unmarkData(typeof content === "string" ? content : content.map((part) => part.text ?? "").join(""));
}
