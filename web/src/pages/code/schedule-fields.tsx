/** When a codebase is indexed again: an offered rule, or a typed one. */
import { type Faults, faultIn } from "../../ui/faults.ts";
import { SelectField, TextField } from "../../ui/field.tsx";
import { describeNoRule, describeRule, OFFERED_RULES, OTHER, type RuleDraft } from "./code-schedule.ts";

interface ScheduleFieldsProps {
  readonly rule: RuleDraft;
  readonly onChange: (rule: RuleDraft) => void;
  readonly faults: Faults;
  readonly isRepository: boolean;
}

export function ScheduleFields({ rule, onChange, faults, isRepository }: ScheduleFieldsProps) {
  const fault = findScheduleFault(faults);
  const isTyped = rule.choice === OTHER;
  return (
    <>
      <SelectField
        label="Index again"
        value={rule.choice}
        onChange={({ target }) => onChange({ ...rule, choice: target.value })}
        hint={
          isRepository
            ? "To index on each push, create an incoming webhook of GitHub that indexes codebases."
            : "Only changes are read."
        }
        error={isTyped ? undefined : fault}
      >
        {OFFERED_RULES.map((offered) => (
          <option key={offered} value={offered}>
            {offered === "" ? describeNoRule(isRepository) : toSentence(describeRule(offered))}
          </option>
        ))}
        <option value={OTHER}>Another schedule…</option>
      </SelectField>
      {isTyped ? (
        <TextField
          label="Interval or cron expression"
          autoComplete="off"
          spellCheck="false"
          maxLength={100}
          value={rule.typed}
          onChange={({ target }) => onChange({ ...rule, typed: target.value })}
          hint="An interval from 1h to 7d, such as 12h. Or a cron expression in UTC with one minute, such as 15 3 * * *."
          error={fault}
        />
      ) : null}
    </>
  );
}

/** What is wrong with the schedule: the API names the field by the request that has it. */
export function findScheduleFault(faults: Faults): string | undefined {
  return faultIn(faults, "reindex") ?? faults["every"];
}

function toSentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
