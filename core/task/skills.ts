/** What a call of `load_skill` makes of its task, and one of `finished`. */
import { MAX_LOADED } from "../skills/skill.ts";
import { failedOutcome, confirmedOutcome } from "./ledger.ts";
import { OPERATOR, PERSON } from "../provenance/label.ts";
import { shownSkill } from "./skills-in-force.ts";
import type { BatchCall } from "./state.ts";
import type { Control } from "../tool/tool.ts";
import type { Turn } from "./turn.ts";

/**
 * Brings the skill into force for everything that begins after this call. The result is the text of the pinned package and
 * no more, so it is the operator's in any context: it instructs, as the same text does when the task begins with it.
 */
export function load(
  turn: Turn,
  call: BatchCall,
  { skill, result, content }: Extract<Control, { kind: "load" }>,
  durationMs: number,
): void {
  const { facts, loaded, step } = turn.state;
  if (![...facts.skills, ...loaded].some(({ hash }) => hash === skill.hash)) {
    if (loaded.length >= MAX_LOADED) {
      const message = `A task loads at most ${MAX_LOADED} skills, and this one has. Work with those.`;
      return turn.settle(call, failedOutcome("refused", "quota_exceeded", message));
    }
    turn.set({ loaded: [...loaded, skill] });
    turn.emit("skill.loaded", { step, call_id: call.id, skill: shownSkill(skill) });
  }
  // A note quotes the arguments that a person wrote in place of the model's.
  const label = call.note === null ? OPERATOR : PERSON;
  turn.settle(call, { ...confirmedOutcome(result, content, durationMs), label });
}

/** The model says that it is done. The task ends when every other call of the step is settled: `core/task/advance.ts`. */
export function finish(
  turn: Turn,
  call: BatchCall,
  { summary }: Extract<Control, { kind: "finish" }>,
  durationMs: number,
): void {
  turn.settle({ ...call, finish: summary }, confirmedOutcome({ summary }, "The task ends with this.", durationMs));
}
