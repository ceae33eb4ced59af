/** What happens when something goes otherwise than planned: runs that were missed, that overlap, that fail. */
import { SelectField, TextField } from "../../ui/field.tsx";
import { faultIn } from "../../ui/faults.ts";
import { keyIn, type PartProps } from "./form-part.ts";
import { PlacesField } from "../tasks/places-field.tsx";

const MISSED = {
  skip: "Skip missed runs",
  once: "Run once, with the latest",
  all: "Run all missed",
} as const;

const OVERLAP = {
  skip: { label: "Skip the new run", hint: "The previous run continues; the next occurrence is due as planned." },
  queue: { label: "Queue the new run", hint: "It starts when the previous run has ended." },
  cancel_previous: { label: "Stop the earlier one", hint: "Its task is cancelled, and the new one begins." },
  allow: { label: "Let both work", hint: "As many work at once as are due." },
} as const;

export function RuleFields({ draft, onChange, faults }: PartProps) {
  return (
    <div className="flex flex-col gap-6">
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="If Otto was down when it was due"
          value={draft.missed}
          onChange={({ target }) => onChange({ missed: keyIn(MISSED, target.value) ?? "once" })}
          hint="A time that is acted on more than a minute late was missed."
          error={faults["missed.policy"]}
        >
          {Object.entries(MISSED).map(([policy, label]) => (
            <option key={policy} value={policy}>
              {label}
            </option>
          ))}
        </SelectField>
        {draft.missed === "skip" ? null : (
          <TextField
            label="Oldest missed run (hours)"
            inputMode="decimal"
            autoComplete="off"
            value={draft.missedHours}
            onChange={({ target }) => onChange({ missedHours: target.value })}
            hint="Runs missed by more are skipped. At most 168, which is a week."
            error={faults["missed.window_seconds"]}
          />
        )}
        <SelectField
          label="If the previous run hasn't finished"
          value={draft.overlap}
          onChange={({ target }) => onChange({ overlap: keyIn(OVERLAP, target.value) ?? "skip" })}
          hint={OVERLAP[draft.overlap].hint}
          error={faults["overlap"]}
        >
          {Object.entries(OVERLAP).map(([policy, { label }]) => (
            <option key={policy} value={policy}>
              {label}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Random delay (minutes)"
          inputMode="decimal"
          autoComplete="off"
          placeholder="On time"
          value={draft.jitterMinutes}
          onChange={({ target }) => onChange({ jitterMinutes: target.value })}
          hint="Keeps many schedules from beginning at the same moment. At most 60."
          error={faults["jitter_seconds"]}
        />
      </div>
      <div className="flex flex-col gap-4">
        <PlacesField
          legend="Whom to notify of a failure"
          of="the alert"
          field="alert.deliver"
          places={draft.alertTo}
          faults={faults}
          onChange={(alertTo) => onChange({ alertTo })}
        />
        <TextField
          label="Also notify when a run takes longer than (minutes)"
          className="sm:max-w-sm"
          inputMode="decimal"
          autoComplete="off"
          placeholder="Never"
          value={draft.alertMinutes}
          onChange={({ target }) => onChange({ alertMinutes: target.value })}
          error={faultIn(faults, "alert.if_not_finished_within_seconds")}
        />
      </div>
    </div>
  );
}
