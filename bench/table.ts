/** The figures of all rounds, and the table that they make. */
import { quantile } from "../test/drill/random.ts";
import type { Row, Section } from "./rows/section.ts";

const BARE = "bare object";
const PEER = "Cloudflare Agents";

/** What Otto is compared with: the floors, the nearest first, and the peer. */
const OTHERS = [BARE, "AI SDK loop", PEER] as const;

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
    `| | Otto | ${OTHERS.map((other) => `${other} | Otto / ${other}`).join(" | ")} | target |`,
    `| --- | ---: | ${OTHERS.map(() => "---: | ---:").join(" | ")} | --- |`,
    ...sections.flatMap(({ rows }) => rows.map((row) => lineOf(figures, row))),
  ].join("\n");
}

function lineOf(figures: Figures, row: Row): string {
  const { key, label, digits, target } = row;
  const own = figures.of(key, "Otto");
  const cells = OTHERS.map((other) => {
    const its = figures.of(key, other);
    return `${spread(its, digits)} | ${spread(ratiosOf(own, its), 2)}`;
  });
  return `| ${label} | ${spread(own, digits)} | ${cells.join(" | ")} | ${target}${verdict(figures, row)} |`;
}

/** Whether every measured condition of a row is met, and whether its peer was measured. */
function verdict(figures: Figures, row: Row): string {
  const own = figures.of(row.key, "Otto");
  const ratioTo = (other: string) => ratiosOf(own, figures.of(row.key, other));
  const isMet = [
    judge(own, (value) => value <= (row.must ?? Number.NaN), row.must),
    judge(ratioTo(BARE), (ratio) => ratio <= (row.mustTimes ?? Number.NaN), row.mustTimes),
    judge(ratioTo(PEER), (ratio) => comparesAs(ratio, row.mustBe), row.mustBe),
  ].filter((one) => one !== null);
  const found = isMet.length === 0 ? "" : `: ${isMet.every(Boolean) ? "met" : "not met"}`;
  const isPeerMissing = row.mustBe !== undefined && own.length > 0 && figures.of(row.key, PEER).length === 0;
  return isPeerMissing ? `${found}; ${PEER} not measured` : found;
}

/** Judges the median; null without values or without a condition. */
function judge(values: readonly number[], holds: (median: number) => boolean, condition: unknown): boolean | null {
  return condition === undefined || values.length === 0 ? null : holds(quantile(values, 0.5));
}

function comparesAs(ratio: number, wanted: Row["mustBe"]): boolean {
  if (wanted === "above") return ratio > 1;
  return wanted === "below" ? ratio < 1 : ratio <= 1;
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
