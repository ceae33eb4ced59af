/** Which call a piece of a streamed reply belongs to. */
import type { ReplyCall } from "../../core/ports/model.ts";

/** The name that a call without one has in the conversation: servers refuse an empty one. */
const NO_NAME = "unnamed";
const NO_NAME_FAULT = "This call names no tool and was not made. Call a tool by its name.";
/** Characters of a name. No tool has a longer one. */
const MAX_NAME_CHARACTERS = 200;

/** A piece of a call: the first one names it, and the arguments are the sum of all. */
export interface CallPiece {
  /** The provider's number of the call. Some give every call the same. */
  readonly index: number;
  /** The provider's own id of the call: it tells calls apart, and is not stored. */
  readonly id: string | null;
  readonly name: string | null;
  readonly arguments: string;
}

interface OpenCall {
  readonly index: number;
  readonly name: string;
  id: string | null;
  arguments: string;
  fault: string | null;
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

  /** Adds a piece to its call. Arguments that no call is named for are those of a call without a name. */
  add(piece: CallPiece): void {
    const atIndex = this.#byIndex.get(piece.index) ?? [];
    const call = atIndex.findLast(({ id }) => piece.id !== null && id === piece.id) ?? atIndex.at(-1);
    if (call !== undefined && !beginsAnother(call, piece)) {
      call.id ??= piece.id;
      call.arguments += piece.arguments;
    } else if (piece.name !== null || piece.arguments !== "") {
      const begun = openCall(piece.index, piece);
      this.#calls.push(begun);
      this.#byIndex.set(piece.index, [...atIndex, begun]);
    }
  }

  /** Marks the call that a piece belongs to as one that cannot be made. Its arguments are dropped. */
  spoil(piece: CallPiece, fault: string): void {
    this.add(piece);
    const call = this.#byIndex.get(piece.index)?.at(-1);
    if (call === undefined) return;
    call.arguments = "";
    call.fault = fault;
  }

  /** Drops the call that began last. */
  drop(): void {
    this.#calls.pop();
  }

  /** The calls in the order of their indexes, those with the same in the order in which they began. */
  inOrder(): ReplyCall[] {
    return this.#calls
      .toSorted((one, other) => one.index - other.index)
      .map(({ name, arguments: args, fault }) => ({ name, arguments: args, ...(fault === null ? {} : { fault }) }));
  }
}

function openCall(
  index: number,
  { name, id, arguments: given }: Pick<CallPiece, "name" | "id" | "arguments">,
): OpenCall {
  if (name === null) return { index, name: NO_NAME, id, arguments: given, fault: NO_NAME_FAULT };
  return { index, name: name.slice(0, MAX_NAME_CHARACTERS), id, arguments: given, fault: null };
}

/** A whole call by its name and arguments, checked like one that came in pieces. */
export function wholeCall(name: string, given: string): ReplyCall {
  const pieces = new CallPieces();
  pieces.add({ index: 0, id: null, name: name.trim() === "" ? null : name, arguments: given });
  return pieces.inOrder()[0] ?? { name: NO_NAME, arguments: given, fault: NO_NAME_FAULT };
}

/** Whether a piece with the index of a call is the first of the next one: some servers repeat name and id in every piece. */
function beginsAnother(call: OpenCall, piece: CallPiece): boolean {
  if (piece.name === null) return false;
  if (piece.name.slice(0, MAX_NAME_CHARACTERS) !== call.name) return true;
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
