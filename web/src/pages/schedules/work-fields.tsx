/** What is done when a schedule is due: a task of an agent, or a reminder. */
import { SelectField, TextArea, TextField } from "../../ui/field.tsx";
import { faultIn } from "../../ui/faults.ts";
import { LIMITS } from "../tasks/new-task.ts";
import { AgentAndProject } from "../tasks/new-task-form.tsx";
import type { PartProps } from "./form-part.ts";
import { PlacesField } from "../tasks/places-field.tsx";

export function WorkFields(props: PartProps) {
  const { draft, onChange, faults } = props;
  return (
    <div className="flex flex-col gap-4">
      <SelectField
        label="What it does"
        className="sm:max-w-sm"
        value={draft.work}
        onChange={({ target }) => onChange({ work: target.value === "reminder" ? "reminder" : "task" })}
      >
        <option value="task">An agent works on a task</option>
        <option value="reminder">A reminder is sent</option>
      </SelectField>
      {draft.work === "task" ? (
        <TaskFields {...props} />
      ) : (
        <>
          <TextArea
            label="What the reminder says"
            dir="auto"
            rows={3}
            maxLength={10_000}
            value={draft.text}
            onChange={({ target }) => onChange({ text: target.value })}
            error={faults["reminder.text"]}
          />
          <PlacesField
            legend="Whom it reminds"
            of="the reminder"
            field="reminder.to"
            places={draft.to}
            faults={faults}
            onChange={(to) => onChange({ to })}
          />
        </>
      )}
    </div>
  );
}

function TaskFields(props: PartProps) {
  const { draft, onChange, faults } = props;
  return (
    <>
      <TextArea
        label="What should the agent do?"
        dir="auto"
        rows={4}
        value={draft.input}
        onChange={({ target }) => onChange({ input: target.value })}
        hint="Each time a new task begins with this."
        error={faultIn(faults, "task.input")}
      />
      <AgentAndProject
        task={draft}
        onChange={onChange}
        faults={{ agent: faults["task.agent"], project: faults["task.project"] }}
      />
      <PlacesField
        legend="More destinations for questions and results"
        of="the result"
        field="task.deliver"
        places={draft.deliver}
        faults={faults}
        onChange={(deliver) => onChange({ deliver })}
      />
      <details className="rounded-md border border-line">
        <summary className="px-3 py-2 text-sm font-medium">Limits of each task</summary>
        <div className="grid gap-4 border-t border-line p-3 sm:grid-cols-2 lg:grid-cols-4">
          {LIMITS.map(({ name, label, otherwise }) => (
            <TextField
              key={name}
              label={label}
              inputMode="decimal"
              autoComplete="off"
              value={draft.limits[name]}
              onChange={({ target }) => onChange({ limits: { ...draft.limits, [name]: target.value } })}
              hint={otherwise}
              error={faults[`task.budget.${name}`]}
            />
          ))}
        </div>
      </details>
    </>
  );
}
