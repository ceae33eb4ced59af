/** One run of a compiled schema over one value: where it is, what it found, and how much work is left to it. */

/** One thing that does not fit. `pointer` is a JSON pointer (RFC 6901) into the value: `""` is all of it. */
export interface SchemaProblem {
  readonly pointer: string;
  readonly message: string;
}

/** Where in the value: the way up; null is the value itself. */
export interface Place {
  readonly parent: Place | null;
  readonly key: string | number;
}

/** One keyword of a schema. Reports what does not fit and gives whether all did. */
export type Check = (value: unknown, place: Place | null, run: Run, seen: Seen | null) => boolean;

/** A compiled schema. `inPlace` are those that it holds the same value against. */
export interface SchemaNode {
  /** Where it stands in the whole schema. */
  readonly pointer: string;
  readonly checks: Check[];
  readonly inPlace: SchemaNode[];
}

/** The members and items that a schema and those that it applies in place looked at: what `unevaluated…` leaves alone. */
export class Seen {
  readonly names = new Set<string>();
  readonly items = new Set<number>();

  /** Takes over what another has. */
  add(other: Seen, run: Run): void {
    run.spend(NOTE_WORK * (other.names.size + other.items.size));
    for (const name of other.names) this.names.add(name);
    for (const item of other.items) this.items.add(item);
  }
}

/** Problems that one list holds. */
const MAX_PROBLEMS = 20;
/** Work of one run, in units of about 20 ns: less than a tenth of a second. */
const MAX_WORK = 4_000_000;
const REPORT_WORK = 50;
/** A name or an item that a schema has looked at, noted. */
export const NOTE_WORK = 6;
const NODE_WORK = 5;
/** The same while seen members are noted, and the extra work of keeping the problems of a schema apart. */
const NOTING_NODE_WORK = 40;
const TRY_WORK = 100;
/** Schemas that stand open in each other, so that no run needs more stack than there is. */
const MAX_OPEN = 400;

/** Thrown when a run is given up; `compileSchema` makes a problem of it. */
export class GivenUp extends Error {
  override readonly name = "GivenUp";
}

export class Run {
  /** Whether some schema asks what others have looked at. */
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
    if (this.left < 0) throw new GivenUp("Checking it against the schema takes too much work");
  }

  /** Notes what does not fit. Always false. */
  report(place: Place | null, message: string): false {
    this.spend(REPORT_WORK);
    if (this.found.length < MAX_PROBLEMS) this.found.push({ pointer: pointerOf(place), message });
    return false;
  }

  /** Holds a value against a schema. What was seen goes `into` the list of a schema that applies this one in place. */
  holds(node: SchemaNode, value: unknown, place: Place | null, into: Seen | null): boolean {
    this.spend(this.tracks ? NOTING_NODE_WORK : NODE_WORK);
    this.open += 1;
    if (this.open > MAX_OPEN) throw new GivenUp("It is nested too deeply for its schema");
    const seen = this.tracks ? new Seen() : null;
    let valid = true;
    for (const check of node.checks) {
      if (!check(value, place, this, seen)) valid = false;
    }
    if (valid && into !== null && seen !== null) into.add(seen, this);
    this.open -= 1;
    return valid;
  }

  /** As `holds`, with the problems kept apart. */
  tries(
    node: SchemaNode,
    value: unknown,
    place: Place | null,
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

/** A place as a JSON pointer: `/items/0/a~1b`. */
export function pointerOf(place: Place | null): string {
  const steps: string[] = [];
  for (let at = place; at !== null; at = at.parent) steps.push(pointerStep(at.key));
  return steps.reverse().join("");
}

/** One step of a JSON pointer, escaped. */
export function pointerStep(key: string | number): string {
  return `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
