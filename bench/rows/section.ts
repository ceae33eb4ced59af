/** A family of rows that one piece of work measures. */
import type { Contender } from "../contenders/contender.ts";
import type { BenchModel } from "../model/model.ts";

/** A row of the table. */
export interface Row {
  readonly key: string;
  readonly label: string;
  /** After the point. */
  readonly digits: number;
  /** What the project wants of Otto; empty: nothing is set. */
  readonly target: string;
  /** What it must not exceed: the table says whether it does. */
  readonly must?: number;
  /** The multiple of the bare object that it must not exceed. */
  readonly mustTimes?: number;
  /** What it must be next to the peer. */
  readonly mustBe?: "at most" | "below" | "above";
}

/** What a measurement works with. `taskName` gives a name that no task of the run had before. */
export interface Stage {
  readonly model: BenchModel;
  readonly contenders: readonly Contender[];
  taskName(): string;
}

/** Writes down a figure of a row. */
export type Note = (row: string, contender: string, value: number) => void;

export interface Section {
  /** As `--only` names it. */
  readonly name: string;
  readonly rows: readonly Row[];
  /** It is measured in one round only, after the others. */
  readonly once?: boolean;
  /** It measures peers too. */
  readonly peers?: boolean;
  /** It measures nothing that runs: a run of such sections alone starts no contender. */
  readonly isComputed?: boolean;
  /** Measures all contenders once. */
  measure(stage: Stage, note: Note): Promise<void>;
}
