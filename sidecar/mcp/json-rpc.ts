/** Classifies and builds messages of JSON-RPC 2.0, as MCP uses it. */

export type Message = Readonly<Record<string, unknown>>;
export type Id = string | number;

export const METHOD_NOT_FOUND = -32_601;

/** A message and its kind. */
export type ClassifiedMessage =
  | { readonly kind: "request"; readonly id: Id; readonly method: string; readonly message: Message }
  | { readonly kind: "notification"; readonly method: string; readonly message: Message }
  | { readonly kind: "response"; readonly id: Id; readonly message: Message };

export function classifyMessage(text: string): ClassifiedMessage | null {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(read)) return null;
  const { id, method } = read;
  const known = typeof id === "string" || (typeof id === "number" && Number.isSafeInteger(id)) ? id : null;
  if (typeof method === "string") {
    if (known !== null) return { kind: "request", id: known, method, message: read };
    return id === undefined ? { kind: "notification", method, message: read } : null;
  }
  const answers = isObject(read["error"]) || read["result"] !== undefined;
  return known !== null && answers ? { kind: "response", id: known, message: read } : null;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function makeResult(id: Id, result: unknown): Message {
  return { jsonrpc: "2.0", id, result };
}

export function makeError(id: Id, code: number, message: string): Message {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

/** Returns the parameters of a message, or an empty object. */
export function getParams(message: Message): Message {
  const { params } = message;
  return isObject(params) ? params : {};
}
