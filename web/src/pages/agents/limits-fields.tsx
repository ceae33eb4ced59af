/** Limits, hosts, files, memory, skills and settings of an agent. */
import { SelectField, TextArea, TextField } from "../../ui/field.tsx";
import type { AgentDraft } from "./agent-draft.ts";
import type { FieldsProps } from "./approval-fields.tsx";
import { LinesField } from "./lines-field.tsx";

/** A fault at a field, or at one of its items. */
function findFault(faults: FieldsProps["faults"], field: string): string | undefined {
  return faults[field] ?? Object.entries(faults).find(([at]) => at.startsWith(`${field}.`))?.[1];
}

const BUDGET = [
  { field: "max_steps", label: "Max steps per task", hint: "1 to 100. Without it, 10." },
  { field: "max_cost_usd", label: "Max cost per task (US dollars)", hint: "Needs a model whose price is known." },
  { field: "max_tokens", label: "Max tokens per task", hint: "Without it, no limit of its own." },
  { field: "max_duration_s", label: "Seconds of a task", hint: "The time that people take does not count." },
] as const;

export function LimitFields({ draft, faults, set }: FieldsProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {BUDGET.map(({ field, label, hint }) => (
        <TextField
          key={field}
          {...{ label, hint }}
          inputMode="decimal"
          value={draft[field]}
          onChange={({ target }) => set({ [field]: target.value })}
          error={findFault(faults, `budget.${field}`)}
        />
      ))}
    </div>
  );
}

export function HostFields({ draft, faults, set }: FieldsProps) {
  return (
    <div className="flex flex-col gap-4">
      <LinesField
        label="Hosts that its tools may reach"
        hint="api.example.com, *.example.com for every name below it, * for any public host; :443 at the end binds a port."
        unset="None: its tools reach no host."
        value={draft.allowed_domains}
        error={findFault(faults, "allowed_domains")}
        onChange={(allowed_domains) => set({ allowed_domains })}
      />
      <LinesField
        label="Hosts that honour Idempotency-Key"
        hint="Hosts that honour the Idempotency-Key header, so that a call can be repeated after a crash. A key lasts 30 minutes unless you state its lifetime: api.example.com 86400 s."
        unset="None: after a crash, nobody may know whether a call happened."
        value={draft.idempotent_hosts}
        error={findFault(faults, "idempotent_hosts")}
        onChange={(idempotent_hosts) => set({ idempotent_hosts })}
      />
      <SelectField
        className="sm:w-96"
        label="Unknown outcomes"
        value={draft.on_unknown}
        onChange={({ target }) => set({ on_unknown: findChoice(["tell", "ask"], target.value) })}
        error={faults["on_unknown"]}
      >
        <option value="">Default: tell the model and continue</option>
        <option value="tell">Tell the model and continue</option>
        <option value="ask">Wait for a person</option>
      </SelectField>
      <SelectField
        className="sm:w-96"
        label="App actions outside the request"
        value={draft.capability_gate}
        onChange={({ target }) => set({ capability_gate: findChoice(["enforce", "ask", "off"], target.value) })}
        error={faults["capability_gate"]}
      >
        <option value="">Default: ask before a write, block what destroys</option>
        <option value="enforce">Block them</option>
        <option value="ask">Ask before a write, block what destroys</option>
        <option value="off">Allow them, ask before what destroys</option>
      </SelectField>
    </div>
  );
}

export function FileFields({ draft, faults, set }: FieldsProps) {
  return (
    <div className="flex flex-col gap-4">
      <LinesField
        label="Only these paths"
        hint="Such as notes/ or reports/*.md."
        unset="It sees all of its sandbox."
        value={draft.allowed_paths}
        error={findFault(faults, "sandbox.allowed_paths")}
        onChange={(allowed_paths) => set({ allowed_paths })}
      />
      <LinesField
        label="Hidden files"
        hint="Patterns, such as **/*.key."
        unset="Default: files that look like secrets (.env, keys, .git)."
        value={draft.denied_patterns}
        error={findFault(faults, "sandbox.denied_patterns")}
        onChange={(denied_patterns) => set({ denied_patterns })}
      />
      <LinesField
        label="Only files with these endings"
        hint="Such as .csv; * opens every ending."
        unset="All text files."
        value={draft.extensions}
        error={findFault(faults, "sandbox.extensions")}
        onChange={(extensions) => set({ extensions })}
      />
      <FlagField
        label="Writing into its sandbox"
        usual="Default: yes"
        value={draft.allow_write}
        onChange={(allow_write) => set({ allow_write })}
      />
    </div>
  );
}

export function MoreFields({ draft, faults, set }: FieldsProps) {
  return (
    <div className="flex flex-col gap-4">
      <LinesField
        label="Skills that every task works under"
        hint="Names of skills."
        unset="None, beside those that fit a task."
        value={draft.skills}
        error={findFault(faults, "skills.names")}
        onChange={(skills) => set({ skills })}
      />
      <SelectField
        className="sm:w-96"
        label="Other skills"
        value={draft.match}
        onChange={({ target }) => set({ match: findChoice(["auto", "explicit"], target.value) })}
        error={faults["skills.match"]}
      >
        <option value="">Default: those that fit the task</option>
        <option value="auto">Those that fit the task</option>
        <option value="explicit">Only those that somebody names</option>
      </SelectField>
      <FlagField
        label="Completed tasks save a summary to memory"
        usual="Default: yes"
        value={draft.summaries}
        onChange={(summaries) => set({ summaries })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Tag boost"
          hint="0 to 1."
          inputMode="decimal"
          value={draft.tag_boost}
          onChange={({ target }) => set({ tag_boost: target.value })}
          error={faults["memory.tag_boost"]}
        />
        <TextField
          label="Minimum score"
          hint="-1 to 1."
          inputMode="decimal"
          value={draft.min_score}
          onChange={({ target }) => set({ min_score: target.value })}
          error={faults["memory.min_score"]}
        />
      </div>
      <TextArea
        isCode
        rows={4}
        label="Settings of tools, as JSON"
        hint={'By tool or toolbox: {"web": {"allowed_domains": ["example.com"]}}. A tool\'s page says what it has.'}
        value={draft.tool_config}
        onChange={({ target }) => set({ tool_config: target.value })}
        error={findFault(faults, "tool_config")}
      />
    </div>
  );
}

function FlagField({
  label,
  usual,
  value,
  onChange,
}: {
  readonly label: string;
  readonly usual: string;
  readonly value: AgentDraft["allow_write"];
  readonly onChange: (value: AgentDraft["allow_write"]) => void;
}) {
  return (
    <SelectField
      className="sm:w-96"
      label={label}
      value={value}
      onChange={({ target }) => onChange(findChoice(["true", "false"], target.value))}
    >
      <option value="">{usual}</option>
      <option value="true">Yes</option>
      <option value="false">No</option>
    </SelectField>
  );
}

function findChoice<Value extends string>(values: readonly Value[], given: string): Value | "" {
  return values.find((value) => value === given) ?? "";
}
