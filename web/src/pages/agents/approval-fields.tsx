/** When an agent asks a person first: by risk of the call, and by tool. */
import { ArrowDown, ArrowUp, Plus, Trash2 } from "lucide-react";
import { Button, IconButton } from "../../ui/button.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { moved, withItem, withoutItem } from "../../ui/schema-form/json-edit.ts";
import { getLevelWording } from "../tools/tool-words.ts";
import { type Decision, type Level, LEVELS } from "./agent-config.ts";
import type { AgentDraft } from "./agent-draft.ts";

export interface FieldsProps {
  readonly draft: AgentDraft;
  readonly faults: Readonly<Record<string, string>>;
  readonly set: (change: Partial<AgentDraft>) => void;
}

type Rule = AgentDraft["rules"][number];

const DECISIONS: readonly { readonly decision: Decision; readonly label: string }[] = [
  { decision: "allow", label: "Do it" },
  { decision: "ask", label: "Ask a person first" },
  { decision: "deny", label: "Never" },
];

const USUAL: Readonly<Record<Level, string>> = {
  safe: "Default: run",
  cautious: "Default: run",
  dangerous: "Default: ask if it reaches outside its files",
  critical: "Default: ask a person first",
};

export function ApprovalFields({ draft, faults, set }: FieldsProps) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-4">
      <legend className="mb-3 text-sm text-quiet">When it wants to do something…</legend>
      <div className="grid gap-4 sm:grid-cols-2">
        {LEVELS.map((level) => (
          <SelectField
            key={level}
            label={getLevelWording(level).word}
            hint={getLevelWording(level).meaning}
            value={draft.levels[level]}
            error={faults[`approval.${level}`]}
            onChange={({ target }) => set({ levels: { ...draft.levels, [level]: readDecision(target.value) ?? "" } })}
          >
            <option value="">{USUAL[level]}</option>
            {DECISIONS.map(({ decision, label }) => (
              <option key={decision} value={decision}>
                {label}
              </option>
            ))}
          </SelectField>
        ))}
      </div>
      <Rules rules={draft.rules} faults={faults} onChange={(rules) => set({ rules })} />
      <TextField
        className="sm:w-72"
        label="Seconds a person has to decide"
        hint="Without it, a week. Then the call counts as refused."
        inputMode="numeric"
        value={draft.expires_s}
        onChange={({ target }) => set({ expires_s: target.value })}
        error={faults["approval.expires_s"]}
      />
    </fieldset>
  );
}

function readDecision(value: string): Decision | null {
  return DECISIONS.find(({ decision }) => decision === value)?.decision ?? null;
}

function Rules({
  rules,
  faults,
  onChange,
}: {
  readonly rules: readonly Rule[];
  readonly faults: Readonly<Record<string, string>>;
  readonly onChange: (rules: readonly Rule[]) => void;
}) {
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm text-quiet">
        Rules for tools stand above all of this. Where several fit, the last one holds.
      </p>
      {rules.map((rule, at) => (
        <div key={at} className="flex flex-wrap items-end gap-2">
          <TextField
            className="min-w-0 flex-1 basis-44"
            label={`Tool or pattern of rule ${at + 1}`}
            value={rule.tool}
            onChange={({ target }) => onChange(withItem(rules, at, { ...rule, tool: target.value }))}
            error={faults[`approval.rules.${at}.tool`]}
          />
          <SelectField
            className="min-w-0 flex-1 basis-40"
            label={`Decision of rule ${at + 1}`}
            value={rule.decision}
            onChange={({ target }) =>
              onChange(withItem(rules, at, { ...rule, decision: readDecision(target.value) ?? "ask" }))
            }
          >
            {DECISIONS.map(({ decision, label }) => (
              <option key={decision} value={decision}>
                {label}
              </option>
            ))}
          </SelectField>
          <div className="flex">
            <IconButton
              label={`Move rule ${at + 1} up`}
              disabled={at === 0}
              onClick={() => onChange(moved(rules, at, -1))}
            >
              <ArrowUp aria-hidden className="size-4" />
            </IconButton>
            <IconButton
              label={`Move rule ${at + 1} down`}
              disabled={at === rules.length - 1}
              onClick={() => onChange(moved(rules, at, 1))}
            >
              <ArrowDown aria-hidden className="size-4" />
            </IconButton>
            <IconButton label={`Remove rule ${at + 1}`} onClick={() => onChange(withoutItem(rules, at))}>
              <Trash2 aria-hidden className="size-4" />
            </IconButton>
          </div>
        </div>
      ))}
      <Button
        size="small"
        className="self-start"
        icon={<Plus aria-hidden className="size-4" />}
        onClick={() => onChange([...rules, { tool: "", decision: "ask" }])}
      >
        Add a rule
      </Button>
    </div>
  );
}
