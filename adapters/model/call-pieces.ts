/** Assigns the pieces of a streamed reply to its calls. */
import type { ReplyCall } from "../../core/ports/model.ts";

/** The name of an unnamed call in the conversation: servers reject an empty one. */
const NO_NAME = "unnamed";
const NO_NAME_FAULT = "This call names no tool and was not made. Call a tool by its name.";
/** Maximum characters of a name. No tool has a longer one. */
const MAX_NAME_CHARACTERS = 200;

/** A piece of a call: the first one names it, and the arguments are the concatenation of all. */
export interface CallPiece {
  /** The provider's number of the call. Some servers use the same for every call. */
  readonly index: number;
  /** The provider's id of the call. It distinguishes calls, and is not stored. */
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
 * The calls of one reply. A piece belongs to the call with its index. For servers that number every call 0, a new name,
 * another id or restarted arguments begin a new call.
 */
export class CallPieces {
  readonly #calls: OpenCall[] = [];
  readonly #byIndex = new Map<number, OpenCall[]>();

  /** The number of calls so far. */
  get count(): number {
    return this.#calls.length;
  }

  /** Adds a piece to its call. Arguments without a named call belong to a call without a name. */
  add(piece: CallPiece): void {
    const atIndex = this.#byIndex.get(piece.index) ?? [];
    const call = atIndex.findLast(({ id }) => piece.id !== null && id === piece.id) ?? atIndex.at(-1);
    if (call !== undefined && !startsNextCall(call, piece)) {
      call.id ??= piece.id;
      call.arguments += piece.arguments;
    } else if (piece.name !== null || piece.arguments !== "") {
      const begun = openCall(piece.index, piece);
      this.#calls.push(begun);
      this.#byIndex.set(piece.index, [...atIndex, begun]);
    }
  }

  /** Marks the call of a piece as invalid. Its arguments are dropped. */
  invalidate(piece: CallPiece, fault: string): void {
    this.add(piece);
    const call = this.#byIndex.get(piece.index)?.at(-1);
    if (call === undefined) return;
    call.arguments = "";
    call.fault = fault;
  }

  /** Drops the latest call. */
  drop(): void {
    this.#calls.pop();
  }

  /** Returns the calls by index, and in order of arrival within an index. */
  listCalls(): ReplyCall[] {
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

/** A complete call by its name and arguments, validated like one in pieces. */
export function parseCall(name: string, given: string): ReplyCall {
  const pieces = new CallPieces();
  pieces.add({ index: 0, id: null, name: name.trim() === "" ? null : name, arguments: given });
  return pieces.listCalls()[0] ?? { name: NO_NAME, arguments: given, fault: NO_NAME_FAULT };
}

/** True if a piece with the index of a call starts the next one: some servers repeat name and id in every piece. */
function startsNextCall(call: OpenCall, piece: CallPiece): boolean {
  if (piece.name === null) return false;
  if (piece.name.slice(0, MAX_NAME_CHARACTERS) !== call.name) return true;
  const otherId = piece.id !== null && piece.id !== call.id;
  const opens = /^\s*[{[]/.test(piece.arguments);
  if (otherId && opens) return true;
  return (opens || (otherId && piece.arguments.trim() === "")) && isWhole(call.arguments);
}

/** True for arguments that are a complete object or list. */
function isWhole(text: string): boolean {
  if (!/[}\]]\s*$/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
