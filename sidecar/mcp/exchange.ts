/**
 * Requests of many callers to one process, by one pair of pipes. Each request gets an id that no other one has, and so does
 * the token by which the process tells of its progress; answers go back with those of their caller. What a process asks is
 * refused: it was told of nothing that it could ask for.
 */
import {
  errorOf,
  type Id,
  isObject,
  type Message,
  METHOD_NOT_FOUND,
  paramsOf,
  resultOf,
  sortMessage,
} from "./json-rpc.ts";

/** Why a request has no answer; `message` is for anyone. */
export interface ExchangeFailure {
  readonly code: "upstream_failed" | "too_large" | "rate_limited";
  readonly message: string;
}

/** Who asked. After `answer` or `fail` it hears nothing more. */
export interface Caller {
  /** What the process tells before its answer. */
  tell(message: Message): void;
  answer(message: Message): void;
  fail(failure: ExchangeFailure): void;
}

export interface Exchange {
  /** Sends a request. The function that it gives takes it back, and tells the process so. */
  ask(request: { readonly id: Id; readonly message: Message }, caller: Caller): (reason: string) => void;
  notify(message: Message): void;
  /** A line that the process wrote. */
  hear(line: string): void;
  /** The process is gone: so are all answers. */
  end(failure: ExchangeFailure): void;
  readonly pending: number;
}

/** `write` hands the process a line. `onStray` hears how many bytes it wrote that answer nobody, `onAnswer` of each answer. */
export function openExchange(
  write: (line: string) => void,
  { onStray, onAnswer }: { onStray: (bytes: number) => void; onAnswer: () => void },
): Exchange {
  interface Pending {
    readonly id: Id;
    readonly token: unknown;
    readonly caller: Caller;
    readonly isCall: boolean;
  }
  const pending = new Map<number, Pending>();
  let last = 0;
  let ended: ExchangeFailure | null = null;
  /** Its tools are others now, and no call was under way that could have been told. */
  let listChanged: Message | null = null;
  const send = (message: Message) => write(`${JSON.stringify(message)}\n`);

  function hearNotification(method: string, message: Message, bytes: number): void {
    if (method === "notifications/progress") {
      const { progressToken, ...rest } = paramsOf(message);
      const asked = typeof progressToken === "number" ? pending.get(progressToken) : undefined;
      if (asked?.token !== undefined)
        asked.caller.tell({ ...message, params: { ...rest, progressToken: asked.token } });
    }
    if (method === "notifications/tools/list_changed") {
      const calls = [...pending.values()].filter(({ isCall }) => isCall);
      for (const { caller } of calls) caller.tell(message);
      listChanged = calls.length === 0 ? message : null;
    }
    onStray(bytes);
  }

  return {
    ask({ id, message }, caller) {
      if (ended !== null) {
        caller.fail(ended);
        return () => undefined;
      }
      last += 1;
      const own = last;
      const params = paramsOf(message);
      const meta = isObject(params["_meta"]) ? params["_meta"] : {};
      const token = meta["progressToken"];
      const isCall = message["method"] === "tools/call";
      pending.set(own, { id, token, caller, isCall });
      const told =
        token === undefined ? message : { ...message, params: { ...params, _meta: { ...meta, progressToken: own } } };
      send({ ...told, id: own });
      if (isCall && listChanged !== null) {
        caller.tell(listChanged);
        listChanged = null;
      }
      return (reason) => {
        if (pending.delete(own))
          send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: own, reason } });
      };
    },
    notify: send,
    hear(line) {
      const sorted = sortMessage(line);
      if (sorted === null) return onStray(line.length + 1);
      if (sorted.kind === "notification") return hearNotification(sorted.method, sorted.message, line.length + 1);
      if (sorted.kind === "request") {
        const { id, method } = sorted;
        send(method === "ping" ? resultOf(id, {}) : errorOf(id, METHOD_NOT_FOUND, `${method} is not offered.`));
        return onStray(line.length + 1);
      }
      const asked = typeof sorted.id === "number" ? pending.get(sorted.id) : undefined;
      if (asked === undefined) return onStray(line.length + 1);
      pending.delete(Number(sorted.id));
      onAnswer();
      asked.caller.answer({ ...sorted.message, id: asked.id });
    },
    end(failure) {
      ended = failure;
      const left = [...pending.values()];
      pending.clear();
      for (const { caller } of left) caller.fail(failure);
    },
    get pending() {
      return pending.size;
    },
  };
}
