/** The form of a person, new or to be changed. */
import { type ReactNode, useRef } from "react";
import { CheckField, TextField } from "../../ui/field.tsx";
import { type Faults, faultIn, focusFault } from "../../ui/faults.ts";
import { Form } from "../../ui/form.tsx";
import { WeekdaysField } from "../../ui/weekdays.tsx";
import { ZoneField } from "../../ui/zone-field.tsx";
import { AddressFields } from "./address-fields.tsx";
import type { PersonDraft } from "./person-draft.ts";

interface PartProps {
  readonly draft: PersonDraft;
  readonly onChange: (part: Partial<PersonDraft>) => void;
  readonly faults: Faults;
}

interface PersonFormProps extends PartProps {
  /** False: something has to be mended first. */
  readonly onSubmit: () => boolean;
  /** The buttons, and what was refused. */
  readonly children: ReactNode;
}

export function PersonForm({ onSubmit, children, ...part }: PersonFormProps) {
  const { draft, onChange, faults } = part;
  const place = useRef<HTMLDivElement>(null);
  const submit = (): void => {
    if (!onSubmit()) focusFault(place.current);
  };
  return (
    <div ref={place}>
      <Form onSubmit={submit} noValidate className="flex flex-col gap-6">
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Name"
            required
            dir="auto"
            autoComplete="off"
            maxLength={200}
            value={draft.name}
            onChange={({ target }) => onChange({ name: target.value })}
            hint="Agents ask people by their names: “ask Ada”."
            error={faults["name"]}
          />
          <TextField
            label="Other names"
            dir="auto"
            autoComplete="off"
            value={draft.aliases}
            onChange={({ target }) => onChange({ aliases: target.value })}
            hint="Separated by commas, such as: finance, Ada L."
            error={faultIn(faults, "aliases")}
          />
        </div>
        <AddressFields {...part} />
        <HoursFields {...part} />
        <RightsFields {...part} />
        {children}
      </Form>
    </div>
  );
}

function HoursFields({ draft, onChange, faults }: PartProps) {
  return (
    <fieldset className="flex flex-col gap-4">
      <legend className="mb-2 font-medium">When they work</legend>
      <div className="grid gap-4 sm:grid-cols-2">
        <ZoneField
          value={draft.timeZone}
          onChange={(timeZone) => onChange({ timeZone })}
          hint="Where their clock is."
          error={faults["time_zone"]}
        />
      </div>
      <CheckField
        label="Only in working hours"
        hint={
          draft.hasHours
            ? "What comes at another time waits until they work again."
            : "They are asked at any time, day or night."
        }
        checked={draft.hasHours}
        onChange={({ target }) => onChange({ hasHours: target.checked })}
      />
      {draft.hasHours ? (
        <>
          <WeekdaysField
            label="Working days"
            days={draft.days}
            onChange={(days) => onChange({ days })}
            error={faultIn(faults, "working_hours.days")}
          />
          <div className="grid max-w-sm grid-cols-2 gap-4">
            <TextField
              label="From"
              type="time"
              value={draft.from}
              onChange={({ target }) => onChange({ from: target.value })}
              error={faults["working_hours.from"]}
            />
            <TextField
              label="To"
              type="time"
              value={draft.to === "24:00" ? "00:00" : draft.to}
              onChange={({ target }) => onChange({ to: target.value })}
              error={faults["working_hours.to"] ?? faults["working_hours"]}
            />
          </div>
        </>
      ) : null}
    </fieldset>
  );
}

function RightsFields({ draft, onChange, faults }: PartProps) {
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 font-medium">Permissions</legend>
      <CheckField
        label="Their answers count"
        hint="When a task asks them something, it works on with what they answer in Slack or by mail."
        checked={draft.mayAnswer}
        onChange={({ target }) => onChange({ mayAnswer: target.checked })}
        error={faults["may_answer"]}
      />
      <CheckField
        label="They may approve actions"
        hint="They decide whether a task may do what needs a person’s approval, and may answer what others are asked. Only for those whom you trust with everything that agents can do."
        checked={draft.mayApprove}
        onChange={({ target }) => onChange({ mayApprove: target.checked })}
        error={faults["may_approve"]}
      />
    </fieldset>
  );
}
