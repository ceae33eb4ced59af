/** Which call a piece of a streamed reply belongs to. */
import type { CallPiece } from "./chat-chunk.ts";
import { unreadable } from "./model-failure.ts";
import type { ReplyCall } from "./reply.ts";

interface OpenCall {
  readonly index: number;
  readonly name: string;
  id: string | null;
  arguments: string;
}

/**
 * The calls of one reply. A piece belongs to the call with its index. Servers that number every call 0 are told by what
 * else they say: a name, another id, arguments that begin anew.
 */
export class CallPieces {
  readonly #calls: OpenCall[] = [];
  readonly #byIndex = new Map<number, OpenCall[]>();

  /** How many calls have begun. */
  get count(): number {
    return this.#calls.length;
  }

  /** Throws `ModelCallFailed` for arguments of a call that nothing has named. */
  add(piece: CallPiece): void {
    const atIndex = this.#byIndex.get(piece.index) ?? [];
    const call = atIndex.findLast(({ id }) => piece.id !== null && id === piece.id) ?? atIndex.at(-1);
    if (call !== undefined && !beginsAnother(call, piece)) {
      call.id ??= piece.id;
      call.arguments += piece.arguments;
    } else if (piece.name !== null) {
      const begun = { index: piece.index, name: piece.name, id: piece.id, arguments: piece.arguments };
      this.#calls.push(begun);
      this.#byIndex.set(piece.index, [...atIndex, begun]);
    } else if (piece.arguments !== "") {
      throw unreadable();
    }
  }

  /** The calls in the order of their indexes, those with the same in the order in which they began. */
  inOrder(): ReplyCall[] {
    return this.#calls
      .toSorted((one, other) => one.index - other.index)
      .map(({ name, arguments: args }) => ({ name, arguments: args }));
  }
}

/** Whether a piece with the index of a call is the first of the next one: some servers repeat name and id in every piece. */
function beginsAnother(call: OpenCall, piece: CallPiece): boolean {
  if (piece.name === null) return false;
  if (piece.name !== call.name) return true;
  const otherId = piece.id !== null && piece.id !== call.id;
  const opens = /^\s*[{[]/.test(piece.arguments);
  if (otherId && opens) return true;
  return (opens || (otherId && piece.arguments.trim() === "")) && isWhole(call.arguments);
}

/** Whether arguments are an object or a list to which nothing can be added. */
function isWhole(text: string): boolean {
  if (!/[}\]]\s*$/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
