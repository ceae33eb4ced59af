/** When a schedule is due: a choice of rhythms, each with its own fields. */
import { SelectField, TextField } from "../../ui/field.tsx";
import { type Faults, faultIn } from "../../ui/faults.ts";
import { WeekdaysField } from "../../ui/weekdays.tsx";
import { ZoneField } from "../../ui/zone-field.tsx";
import { keyIn, type PartProps } from "./form-part.ts";
import { RHYTHMS, UNITS, type WhenDraft } from "./rhythm.ts";

export function WhenFields({ draft, onChange, faults }: PartProps) {
  const { when } = draft;
  const change = (part: Partial<WhenDraft>): void => onChange({ when: { ...when, ...part } });
  return (
    <div className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="How often"
          value={when.rhythm}
          onChange={({ target }) => change({ rhythm: keyIn(RHYTHMS, target.value) ?? "daily" })}
          error={faults["when"]}
        >
          {Object.entries(RHYTHMS).map(([rhythm, label]) => (
            <option key={rhythm} value={rhythm}>
              {label}
            </option>
          ))}
        </SelectField>
        <OfRhythm when={when} change={change} faults={faults} />
      </div>
      {when.rhythm === "weekly" ? (
        <WeekdaysField
          label="Days of the week"
          days={when.days}
          onChange={(days) => change({ days })}
          error={faults["when.days"]}
        />
      ) : null}
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        <ZoneField
          value={draft.timeZone}
          onChange={(timeZone) => onChange({ timeZone })}
          hint={when.rhythm === "interval" ? "Intervals ignore clock changes." : "Times are in this zone."}
          error={faults["time_zone"]}
        />
        {when.rhythm === "once" ? null : (
          <>
            <TextField
              label="Not before (optional)"
              type="datetime-local"
              value={draft.startsAt}
              onChange={({ target }) => onChange({ startsAt: target.value })}
              error={faults["starts_at"]}
            />
            <TextField
              label="Until (optional)"
              type="datetime-local"
              value={draft.endsAt}
              onChange={({ target }) => onChange({ endsAt: target.value })}
              error={faults["ends_at"]}
            />
          </>
        )}
      </div>
    </div>
  );
}

interface OfRhythmProps {
  readonly when: WhenDraft;
  readonly change: (part: Partial<WhenDraft>) => void;
  readonly faults: Faults;
}

function OfRhythm({ when, change, faults }: OfRhythmProps) {
  switch (when.rhythm) {
    case "daily":
    case "weekdays":
    case "weekly":
      return <TimeOfDay {...{ when, change, faults }} />;
    case "monthly":
      return (
        <div className="grid grid-cols-2 gap-4">
          <SelectField label="Day" value={when.monthDay} onChange={({ target }) => change({ monthDay: target.value })}>
            {Array.from({ length: 31 }, (_, index) => String(index + 1)).map((day) => (
              <option key={day}>{day}</option>
            ))}
            <option value="L">the last</option>
          </SelectField>
          <TimeOfDay {...{ when, change, faults }} />
        </div>
      );
    case "hourly":
      return (
        <TextField
          label="At minute"
          inputMode="numeric"
          autoComplete="off"
          value={when.minute}
          onChange={({ target }) => change({ minute: target.value })}
          error={faults["when.minute"]}
        />
      );
    case "interval":
      return <Interval {...{ when, change, faults }} />;
    case "once":
      return (
        <TextField
          label="Day and time"
          type="datetime-local"
          value={when.at}
          onChange={({ target }) => change({ at: target.value })}
          error={faults["when.at"]}
        />
      );
    case "cron":
      return (
        <TextField
          label="Cron expression"
          autoComplete="off"
          spellCheck="false"
          maxLength={200}
          value={when.expression}
          onChange={({ target }) => change({ expression: target.value })}
          hint="Minute, hour, day of the month, month, day of the week: 0 9 * * MON-FRI. Lists, ranges, steps, L, W and # are understood."
          error={faults["when.expression"]}
        />
      );
  }
}

function TimeOfDay({ when, change, faults }: OfRhythmProps) {
  return (
    <TextField
      label="Time"
      type="time"
      value={when.time}
      onChange={({ target }) => change({ time: target.value })}
      error={faults["when.time"]}
    />
  );
}

function Interval({ when, change, faults }: OfRhythmProps) {
  return (
    <div className="grid grid-cols-2 gap-4">
      <TextField
        label="Every"
        inputMode="decimal"
        autoComplete="off"
        value={when.every}
        onChange={({ target }) => change({ every: target.value })}
        error={faultIn(faults, "when.every_seconds")}
      />
      <SelectField
        label="Unit"
        value={when.unit}
        onChange={({ target }) => change({ unit: keyIn(UNITS, target.value) ?? "minutes" })}
      >
        {Object.keys(UNITS).map((unit) => (
          <option key={unit}>{unit}</option>
        ))}
      </SelectField>
    </div>
  );
}
