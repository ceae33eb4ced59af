import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { agentsQuery } from "../../api/agents.ts";
import { CheckField, TextArea, TextField } from "../../ui/field.tsx";
import { faultAt, LIMITS, limitHint, type NewTask } from "./new-task.ts";
import { PlacesField } from "./places-field.tsx";

interface PartProps<Fields extends keyof NewTask = keyof NewTask> {
  readonly task: Pick<NewTask, Fields>;
  readonly onChange: (part: Partial<Pick<NewTask, Fields>>) => void;
  readonly faults: Readonly<Record<string, string>>;
}

/** What most tasks leave as it is; open at first when something of it is set. */
export function MoreFields(props: PartProps) {
  const { task } = props;
  const [isOpen] = useState(() => isAnythingSet(task));
  return (
    <details open={isOpen} className="rounded-lg border border-line bg-surface">
      <summary className="px-4 py-3 font-medium">More: limits, delivery, tools and skills</summary>
      <div className="flex flex-col gap-6 border-t border-line p-4">
        <LimitFields {...props} />
        <DeliveryFields {...props} />
        <ToolFields {...props} />
      </div>
    </details>
  );
}

function isAnythingSet({ tools, skills, usesNoSkills, deliver, limits }: NewTask): boolean {
  const texts = [tools, skills, ...Object.values(limits)];
  return usesNoSkills || deliver.length > 0 || texts.some((text) => text !== "");
}

export function LimitFields({ task, onChange, faults }: PartProps<"agent" | "limits">) {
  const agents = useQuery(agentsQuery).data ?? [];
  const agent = agents.find(({ id, name }) => id === task.agent || name === task.agent);
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-2 font-medium">Limits</legend>
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        {LIMITS.map((limit) => (
          <TextField
            key={limit.name}
            label={limit.label}
            inputMode="decimal"
            autoComplete="off"
            value={task.limits[limit.name]}
            onChange={({ target }) => onChange({ limits: { ...task.limits, [limit.name]: target.value } })}
            hint={limitHint(limit, agent?.budget)}
            error={faultAt(faults, `budget.${limit.name}`)}
          />
        ))}
      </div>
    </fieldset>
  );
}

export function DeliveryFields({ task, onChange, faults }: PartProps<"deliver">) {
  return (
    <PlacesField
      legend="More destinations for questions and the result"
      of="delivery"
      field="deliver"
      places={task.deliver}
      faults={faults}
      onChange={(deliver) => onChange({ deliver: [...deliver] })}
    />
  );
}

function ToolFields({ task, onChange, faults }: PartProps) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-2 font-medium">Tools and skills</legend>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextArea
          label="Only these tools"
          isCode
          rows={3}
          value={task.tools}
          onChange={({ target }) => onChange({ tools: target.value })}
          hint="Names or patterns such as read_*, one on a line. Empty: all that the agent has."
          error={faultAt(faults, "tools")}
        />
        <div className="flex flex-col gap-3">
          <TextArea
            label="These skills"
            isCode
            rows={3}
            disabled={task.usesNoSkills}
            value={task.skills}
            onChange={({ target }) => onChange({ skills: target.value })}
            hint="Names, one on a line. Empty: those that fit the task."
            error={faultAt(faults, "skills")}
          />
          <CheckField
            label="Use no skills"
            checked={task.usesNoSkills}
            onChange={({ target }) => onChange({ usesNoSkills: target.checked })}
          />
        </div>
      </div>
    </fieldset>
  );
}
