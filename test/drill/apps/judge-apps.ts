/** Judges the calls of ended tasks by what the demo apps carried out. */
import type { DemoEffect } from "../../../scripts/demo-apps/faults.ts";
import type { LedgerBody, TaskBody } from "../api-client.ts";
import type { DrillEffect } from "./actions.ts";
import { formatDone } from "./app-script.ts";

/** A call of a task's script. Two tasks share the marker of a pair. */
export interface PlannedCall {
  readonly step: number;
  readonly index: number;
  readonly action: string;
  readonly effect: DrillEffect;
  readonly marker: string;
  readonly isPair: boolean;
}

/** An ended task. */
export interface EndedTask {
  readonly drill: string;
  readonly calls: readonly PlannedCall[];
  readonly task: TaskBody;
  readonly ledger: readonly LedgerBody[];
}

/** The calls by class and by what became of them, such as `probe confirmed, 1 effect`. */
export type Outcomes = ReadonlyMap<string, number>;

export interface AppVerdict {
  readonly violations: readonly string[];
  readonly outcomes: Outcomes;
}

/**
 * `refused`: never sent. Otto refuses a call while the rights of apps cannot be read, such as after a kill of the database,
 * and the model reads that it may try again; the drill's does not.
 */
const SETTLED: ReadonlySet<string> = new Set(["confirmed", "failed", "unknown", "refused"]);
const UNREAD = "upstream_failed";

/** Counts the effects with a marker. */
export function countEffects(effects: readonly DemoEffect[]): (action: string, marker: string) => number {
  const counts = new Map<string, number>();
  for (const { action, arguments: given } of effects)
    for (const value of Object.values(given)) {
      const key = `${action} ${String(value)}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  return (action, marker) => counts.get(`${action} ${marker}`) ?? 0;
}

export function judgeApps(tasks: readonly EndedTask[], effects: readonly DemoEffect[]): AppVerdict {
  const violations: string[] = [];
  const outcomes = new Map<string, number>();
  const pairs = new Map<string, { readonly effects: number; readonly states: string[] }>();
  const countOf = countEffects(effects);
  for (const { drill, calls, task, ledger } of tasks) {
    if (task.status !== "completed" || task.output?.text !== formatDone(drill))
      violations.push(`${drill} ended as ${task.status} (${task.reason ?? "no reason"})`);
    for (const call of calls) {
      const row = findRow(ledger, call);
      const state = row?.state ?? "missing";
      const happened = countOf(call.action, call.marker);
      const where = `${drill} step ${call.step} call ${call.index} (${call.action}, ${call.effect}): ${state}`;
      if (!SETTLED.has(state)) violations.push(`${where}, so it was left unsettled`);
      if (state === "refused" && row?.result?.error?.code !== UNREAD)
        violations.push(`${where} as ${row?.result?.error?.code ?? "nothing"}: ${row?.result?.error?.message ?? ""}`);
      if (call.isPair) {
        const pair = pairs.get(call.marker) ?? { effects: happened, states: [] };
        pair.states.push(state);
        pairs.set(call.marker, pair);
        continue;
      }
      violations.push(...judgeCall(call, state, happened).map((why) => `${where}, ${happened} effects: ${why}`));
      count(outcomes, `${call.effect} ${state}, ${happened > 1 ? "several" : happened} effects`);
    }
  }
  for (const [marker, pair] of pairs) {
    const confirmed = pair.states.filter((state) => state === "confirmed").length;
    if (pair.effects > pair.states.length) violations.push(`pair ${marker}: ${pair.effects} effects of two calls`);
    if (confirmed > pair.effects) violations.push(`pair ${marker}: one effect was claimed by ${confirmed} calls`);
    count(outcomes, `pair ${pair.states.toSorted().join(" and ")}, ${pair.effects} effects`);
  }
  return { violations, outcomes };
}

function judgeCall({ effect }: PlannedCall, state: string, happened: number): string[] {
  if (state === "refused") return happened === 0 ? [] : ["it was sent"];
  if (effect === "none" || effect === "keyed")
    return happened >= 1 && state === "confirmed" ? [] : ["it was not repeated until it was confirmed"];
  if (happened > 1) return ["it happened again"];
  return state === "confirmed" && happened === 0 ? ["it was confirmed and never happened"] : [];
}

/** The calls of a step are in the order of their ids. */
function findRow(ledger: readonly LedgerBody[], { step, index }: PlannedCall): LedgerBody | undefined {
  return ledger.filter((row) => row.step === step)[index];
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
