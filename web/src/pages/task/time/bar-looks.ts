/** What each kind of bar is called, its colour, and a bar in words. */
import { count, dollars } from "../../../ui/amounts.ts";
import { duration } from "../../../ui/relative-time.ts";
import { tookMs } from "./time-totals.ts";
import type { Bar, BarKind } from "./waterfall.ts";

export const KIND_LOOKS: Readonly<Record<BarKind, { readonly word: string; readonly look: string }>> = {
  model: { word: "Model", look: "bg-info" },
  tool: { word: "Tool", look: "bg-accent" },
  person: { word: "Waiting for a person", look: "bg-warn" },
  subtasks: { word: "Waiting for subtasks", look: "border border-info bg-info-soft" },
  sleep: { word: "Sleeping", look: "border border-edge bg-sunken" },
};

const STATES: Readonly<Record<string, string>> = {
  intended: "Under way",
  confirmed: "Done",
  failed: "Failed",
  unknown: "Outcome unknown",
  refused: "Refused",
};

/** How a bar ended, in a word; empty for what can only be over. */
export function stateWord({ state, to }: Bar): string {
  return state === null ? (to === null ? "Under way" : "") : (STATES[state] ?? state);
}

/** What a bar shows beside its name, for screen readers. */
export function barWords(bar: Bar, begin: number, now: number): string {
  return [
    bar.step === null ? "" : KIND_LOOKS[bar.kind].word,
    stateWord(bar),
    `began after ${duration(bar.from - begin)}`,
    `${bar.to === null ? "runs since" : "took"} ${duration(tookMs(bar, now))}`,
    bar.tokens === null ? "" : `${count(bar.tokens.input + bar.tokens.output)} tokens`,
    bar.costUsd > 0 ? dollars(bar.costUsd) : "",
    bar.isFromOutside ? "from outside" : "",
  ]
    .filter((part) => part !== "")
    .join(", ");
}
