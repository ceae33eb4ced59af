/** One run of a compiled schema over one value: its position, its problems, and its remaining work. */

/** One problem. `pointer` is a JSON pointer (RFC 6901) into the value: `""` is all of it. */
export interface SchemaProblem {
  readonly pointer: string;
  readonly message: string;
}

/** The path in the value, from the inside out; null for the value itself. */
export interface ValuePath {
  readonly parent: ValuePath | null;
  readonly key: string | number;
}

/** One keyword of a schema. Reports problems, and returns true if there are none. */
export type Check = (value: unknown, place: ValuePath | null, run: Run, seen: Seen | null) => boolean;

/** A compiled schema. `inPlace` are those that apply to the same value. */
export interface SchemaNode {
  /** Its location in the whole schema. */
  readonly pointer: string;
  readonly checks: Check[];
  readonly inPlace: SchemaNode[];
}

/** The members and items that a schema, with those applied in place, evaluated; `unevaluated…` skips them. */
export class Seen {
  readonly names = new Set<string>();
  readonly items = new Set<number>();

  /** Adds the entries of another. */
  add(other: Seen, run: Run): void {
    run.spend(NOTE_WORK * (other.names.size + other.items.size));
    for (const name of other.names) this.names.add(name);
    for (const item of other.items) this.items.add(item);
  }
}

/** The most problems of a list. */
const MAX_PROBLEMS = 20;
/** Work of one run, in units of about 20 ns: less than a tenth of a second. */
const MAX_WORK = 4_000_000;
const REPORT_WORK = 50;
/** Work to record an evaluated name or item. */
export const NOTE_WORK = 6;
const NODE_WORK = 5;
/** Work of a node while members are recorded, and the extra work of separating a schema's problems. */
const NOTING_NODE_WORK = 40;
const TRY_WORK = 100;
/** The most nested schemas of a run, which bounds its stack. */
const MAX_OPEN = 400;

/** Thrown to abort a run; `compileSchema` converts it to a problem. */
export class RunAborted extends Error {
  override readonly name = "GivenUp";
}

export class Run {
  /** Whether a schema needs the evaluated members and items. */
  readonly tracks: boolean;
  private found: SchemaProblem[] = [];
  private left = MAX_WORK;
  private open = 0;

  constructor(tracks: boolean) {
    this.tracks = tracks;
  }

  get problems(): readonly SchemaProblem[] {
    return this.found;
  }

  /** Throws when the work of the run is used up. */
  spend(units: number): void {
    this.left -= units;
    if (this.left < 0) throw new RunAborted("Checking it against the schema takes too much work");
  }

  /** Records a problem. Always false. */
  report(place: ValuePath | null, message: string): false {
    this.spend(REPORT_WORK);
    if (this.found.length < MAX_PROBLEMS) this.found.push({ pointer: toPointer(place), message });
    return false;
  }

  /**
   * Applies a schema to a value. Adds the evaluated parts to `into`, the list of a schema that applies this one in
   * place.
   */
  holds(node: SchemaNode, value: unknown, place: ValuePath | null, into: Seen | null): boolean {
    this.spend(this.tracks ? NOTING_NODE_WORK : NODE_WORK);
    this.open += 1;
    if (this.open > MAX_OPEN) throw new RunAborted("It is nested too deeply for its schema");
    const seen = this.tracks ? new Seen() : null;
    let valid = true;
    for (const check of node.checks) {
      if (!check(value, place, this, seen)) valid = false;
    }
    if (valid && into !== null && seen !== null) into.add(seen, this);
    this.open -= 1;
    return valid;
  }

  /** Like `holds`, with separate problems. */
  tries(
    node: SchemaNode,
    value: unknown,
    place: ValuePath | null,
    into: Seen | null,
  ): { valid: boolean; problems: readonly SchemaProblem[] } {
    this.spend(TRY_WORK);
    const before = this.found;
    this.found = [];
    const valid = this.holds(node, value, place, into);
    const problems = this.found;
    this.found = before;
    return { valid, problems };
  }
}

/** Formats a path as a JSON pointer: `/items/0/a~1b`. */
export function toPointer(place: ValuePath | null): string {
  const steps: string[] = [];
  for (let at = place; at !== null; at = at.parent) steps.push(escapeStep(at.key));
  return steps.reverse().join("");
}

/** Escapes one step of a JSON pointer. */
export function escapeStep(key: string | number): string {
  return `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
