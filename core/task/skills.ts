/** Applies the controls of `load_skill` and `finished` to the task. */
import { MAX_LOADED } from "../skills/skill.ts";
import { failedOutcome, confirmedOutcome } from "./ledger.ts";
import { OPERATOR, PERSON } from "../provenance/label.ts";
import { formatSkill } from "./skills-in-force.ts";
import type { BatchCall } from "./state.ts";
import type { Control } from "../tool/tool.ts";
import type { Turn } from "./turn.ts";

/**
 * Puts the skill in force for everything that begins after this call. The result is exactly the text of the pinned
 * package, so it has the operator's label: it may instruct, as it would from the start of the task.
 */
export function loadSkill(
  turn: Turn,
  call: BatchCall,
  { skill, result, content }: Extract<Control, { kind: "load" }>,
  durationMs: number,
): void {
  const { facts, loaded, step } = turn.state;
  if (![...facts.skills, ...loaded].some(({ hash }) => hash === skill.hash)) {
    if (loaded.length >= MAX_LOADED) {
      const message = `A task loads at most ${MAX_LOADED} skills, and this one has loaded them. Work with those.`;
      return turn.settle(call, failedOutcome("refused", "quota_exceeded", message));
    }
    turn.set({ loaded: [...loaded, skill] });
    turn.emit("skill.loaded", { step, call_id: call.id, skill: formatSkill(skill) });
  }
  // A note quotes arguments that a person wrote.
  const label = call.note === null ? OPERATOR : PERSON;
  turn.settle(call, { ...confirmedOutcome(result, content, durationMs), label });
}

/** Records the final text. The task ends when every other call of the step is settled: `core/task/advance.ts`. */
export function finishTask(
  turn: Turn,
  call: BatchCall,
  { summary }: Extract<Control, { kind: "finish" }>,
  durationMs: number,
): void {
  turn.settle({ ...call, finish: summary }, confirmedOutcome({ summary }, "The task ends with this.", durationMs));
}
