/** Who wrote a text or a decision. */

/** An author. `person` is null if the author has no record. */
export interface Actor {
  readonly person: string | null;
  readonly name: string;
}
