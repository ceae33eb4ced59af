/** How a timeline grows and changes: always as a new one, of which every step and item that did not change is the same. */
import type { Item, Step, Timeline } from "./timeline-items.ts";

/** What stands before the first step. */
const BEFORE: Step = {
  step: 0,
  startedAt: null,
  completedAt: null,
  isFinal: false,
  attempt: 1,
  model: null,
  items: [],
};

export function lastStep({ steps }: Timeline): Step {
  return steps.at(-1) ?? BEFORE;
}

/** Puts an item at the end. */
export function addItem(before: Timeline, item: Item): Timeline {
  const step = lastStep(before);
  return { ...before, steps: [...before.steps.slice(0, -1), { ...step, items: [...step.items, item] }] };
}

/** Puts what a call asked or made behind that call, which may be one of many that run side by side. */
export function addItemOfCall(before: Timeline, item: Item & { readonly callId: string | null }): Timeline {
  const { callId } = item;
  const step = lastStep(before);
  const place = step.items.findLastIndex((other) => "callId" in other && other.callId === callId);
  if (callId === null || place === -1) return addItem(before, item);
  const items = step.items.toSpliced(place + 1, 0, item);
  return { ...before, steps: [...before.steps.slice(0, -1), { ...step, items }] };
}

/** Changes the latest item for which `change` gives another; the same timeline without one. */
export function changeItem(before: Timeline, change: (item: Item) => Item | null): Timeline {
  for (let at = before.steps.length - 1; at >= 0; at -= 1) {
    const step = before.steps[at];
    if (step === undefined) continue;
    for (let place = step.items.length - 1; place >= 0; place -= 1) {
      const item = step.items[place];
      const next = item === undefined ? null : change(item);
      if (next === null) continue;
      return { ...before, steps: before.steps.with(at, { ...step, items: step.items.with(place, next) }) };
    }
  }
  return before;
}

/** Changes the step of this number; the same timeline without one. */
export function changeStep(before: Timeline, number: number | null, change: (step: Step) => Step): Timeline {
  const at = before.steps.findLastIndex(({ step }) => step === number);
  const step = before.steps[at];
  return step === undefined ? before : { ...before, steps: before.steps.with(at, change(step)) };
}
