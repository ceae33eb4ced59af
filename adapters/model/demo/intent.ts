/** What the demo model can understand a request to want. A null where a value could stand refers back ("it", "there"). */

/** What a file is to hold: given words, everything found out so far, or a note about it. */
export type Content =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "results" }
  | { readonly kind: "note"; readonly topic: string | null };

/** One thing to do. Each takes exactly one call. */
export type Action =
  | {
      readonly kind: "ask";
      readonly question: string;
      readonly person: string | null;
      readonly choices: readonly string[] | null;
    }
  | { readonly kind: "write"; readonly path: string; readonly content: Content }
  | { readonly kind: "read"; readonly path: string }
  | { readonly kind: "attach"; readonly path: string }
  | { readonly kind: "list"; readonly path: string }
  | { readonly kind: "wait"; readonly seconds: number }
  /** `place` is an IANA zone or the name of a city; `there`: the place that a person named. */
  | { readonly kind: "clock"; readonly place: string | null; readonly there: boolean }
  | { readonly kind: "fetch"; readonly url: string | null; readonly method: string; readonly body: string | null }
  /** Work for a subagent, in words that it understands by themselves. */
  | { readonly kind: "dispatch"; readonly task: string };
export type ActionKind = Action["kind"];

/** An action, and whether everything before it has to be over first. */
export interface Planned {
  readonly action: Action;
  readonly after: boolean;
}

/** What a message wants, and the clauses of it that nobody understood. */
export interface Understood {
  readonly planned: readonly Planned[];
  readonly says: readonly string[];
  readonly unknown: readonly string[];
}
