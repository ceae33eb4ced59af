/**
 * Multiplexes requests of many callers over one process's pipes. Request ids and progress tokens are replaced by unique ones, and
 * restored in answers. Requests by the process are refused, since the client declared no capabilities.
 */
import {
  makeError,
  type Id,
  isObject,
  type Message,
  METHOD_NOT_FOUND,
  getParams,
  makeResult,
  classifyMessage,
} from "./json-rpc.ts";

/** Why a request has no answer. `message` is public. */
export interface ExchangeFailure {
  readonly code: "upstream_failed" | "too_large" | "rate_limited";
  readonly message: string;
}

/** Receives the messages for one request. `answer` and `fail` are the last call. */
export interface AnswerListener {
  /** A notification of the process before its answer. */
  notify(message: Message): void;
  answer(message: Message): void;
  fail(failure: ExchangeFailure): void;
}

export interface Exchange {
  /** Sends a request. The returned function cancels it and notifies the process. */
  request(request: { readonly id: Id; readonly message: Message }, caller: AnswerListener): (reason: string) => void;
  notify(message: Message): void;
  /** Handles a line that the process wrote. */
  receive(line: string): void;
  /** Fails all pending requests when the process has ended. */
  end(failure: ExchangeFailure): void;
  readonly pending: number;
}

/** `write` sends the process a line. `onStray` gets the size of each line that answers no request; `onAnswer` is called for each answer. */
export function openExchange(
  write: (line: string) => void,
  { onStray, onAnswer }: { onStray: (bytes: number) => void; onAnswer: () => void },
): Exchange {
  interface Pending {
    readonly id: Id;
    readonly progressToken: unknown;
    readonly caller: AnswerListener;
    readonly isCall: boolean;
  }
  const pending = new Map<number, Pending>();
  let last = 0;
  let ended: ExchangeFailure | null = null;
  /** An undelivered change of its list of tools, kept for the next call. */
  let listChanged: Message | null = null;
  const send = (message: Message) => write(`${JSON.stringify(message)}\n`);

  function receiveNotification(method: string, message: Message, bytes: number): void {
    if (method === "notifications/progress") {
      const { progressToken, ...rest } = getParams(message);
      const pendingRequest = typeof progressToken === "number" ? pending.get(progressToken) : undefined;
      if (pendingRequest?.progressToken !== undefined)
        pendingRequest.caller.notify({ ...message, params: { ...rest, progressToken: pendingRequest.progressToken } });
    }
    if (method === "notifications/tools/list_changed") {
      const calls = [...pending.values()].filter(({ isCall }) => isCall);
      for (const { caller } of calls) caller.notify(message);
      listChanged = calls.length === 0 ? message : null;
    }
    onStray(bytes);
  }

  return {
    request({ id, message }, caller) {
      if (ended !== null) {
        caller.fail(ended);
        return () => undefined;
      }
      last += 1;
      const own = last;
      const params = getParams(message);
      const meta = isObject(params["_meta"]) ? params["_meta"] : {};
      const progressToken = meta["progressToken"];
      const isCall = message["method"] === "tools/call";
      pending.set(own, { id, progressToken, caller, isCall });
      const forwarded =
        progressToken === undefined
          ? message
          : { ...message, params: { ...params, _meta: { ...meta, progressToken: own } } };
      send({ ...forwarded, id: own });
      if (isCall && listChanged !== null) {
        caller.notify(listChanged);
        listChanged = null;
      }
      return (reason) => {
        if (pending.delete(own))
          send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: own, reason } });
      };
    },
    notify: send,
    receive(line) {
      const sorted = classifyMessage(line);
      if (sorted === null) return onStray(line.length + 1);
      if (sorted.kind === "notification") return receiveNotification(sorted.method, sorted.message, line.length + 1);
      if (sorted.kind === "request") {
        const { id, method } = sorted;
        send(method === "ping" ? makeResult(id, {}) : makeError(id, METHOD_NOT_FOUND, `${method} is not supported.`));
        return onStray(line.length + 1);
      }
      const pendingRequest = typeof sorted.id === "number" ? pending.get(sorted.id) : undefined;
      if (pendingRequest === undefined) return onStray(line.length + 1);
      pending.delete(Number(sorted.id));
      onAnswer();
      pendingRequest.caller.answer({ ...sorted.message, id: pendingRequest.id });
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
