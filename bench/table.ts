/** The figures of all rounds, and the table that they make. */
import { quantile } from "../test/drill/random.ts";
import type { Row, Section } from "./rows/section.ts";

/** What Otto is compared with, the nearest first. */
const FLOORS = ["bare object", "AI SDK loop"] as const;

export class Figures {
  /** One value a round, by contender and row. */
  readonly #values = new Map<string, number[]>();

  add(row: string, contender: string, value: number): void {
    const key = `${contender}/${row}`;
    const values = this.#values.get(key) ?? [];
    values.push(value);
    this.#values.set(key, values);
  }

  of(row: string, contender: string): readonly number[] {
    return this.#values.get(`${contender}/${row}`) ?? [];
  }
}

/** The table in Markdown: medians, each with the lowest and the highest, and Otto's ratios, round by round. */
export function tableOf(figures: Figures, sections: readonly Section[]): string {
  return [
    `| | Otto | ${FLOORS.map((floor) => `${floor} | Otto / ${floor}`).join(" | ")} | target |`,
    `| --- | ---: | ${FLOORS.map(() => "---: | ---:").join(" | ")} | --- |`,
    ...sections.flatMap(({ rows }) => rows.map((row) => lineOf(figures, row))),
  ].join("\n");
}

function lineOf(figures: Figures, { key, label, digits, target, must }: Row): string {
  const own = figures.of(key, "Otto");
  const cells = FLOORS.map((floor) => {
    const its = figures.of(key, floor);
    return `${spread(its, digits)} | ${spread(ratiosOf(own, its), 2)}`;
  });
  return `| ${label} | ${spread(own, digits)} | ${cells.join(" | ")} | ${target}${verdict(own, must)} |`;
}

function verdict(own: readonly number[], must: number | undefined): string {
  if (must === undefined || own.length === 0) return "";
  return quantile(own, 0.5) <= must ? ": met" : ": not met";
}

/** Round by round; none where a figure is not a positive one, as of memory that shrank. */
function ratiosOf(own: readonly number[], its: readonly number[]): number[] {
  const hasRatios = its.length === own.length && [...own, ...its].every((value) => value > 0);
  return hasRatios ? own.map((value, round) => value / (its[round] ?? Number.NaN)) : [];
}

function spread(values: readonly number[], digits: number): string {
  if (values.length === 0) return "–";
  const middle = quantile(values, 0.5).toFixed(digits);
  if (values.length === 1) return middle;
  return `${middle} (${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)})`;
}
