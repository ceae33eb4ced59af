/** What queries of a database may read, and their limits. */
import { type Faults, faultIn } from "../../ui/faults.ts";
import { CheckField, SelectField, TextArea, TextField } from "../../ui/field.tsx";
import { describeSettings } from "./database-words.ts";
import { type SettingsDraft, toSettings } from "./settings-draft.ts";

interface SettingsFieldsProps {
  readonly settings: SettingsDraft;
  readonly onChange: (settings: SettingsDraft) => void;
  readonly faults: Faults;
}

const LISTS = [
  {
    name: "schemas",
    field: "schemas",
    label: "Schemas",
    hint: "One per line. Empty: every schema that is not the system's.",
  },
  {
    name: "allowedTables",
    field: "tables.allow",
    label: "Allowed tables",
    hint: "One per line: table, schema.table or schema.*. Empty: every table.",
  },
  {
    name: "deniedTables",
    field: "tables.deny",
    label: "Denied tables",
    hint: "One per line. They win over the allowed ones.",
  },
  {
    name: "deniedColumns",
    field: "columns.deny",
    label: "Denied columns",
    hint: "One per line: column, table.column or schema.table.column.",
  },
  {
    name: "functions",
    field: "functions",
    label: "Functions of the database's own",
    hint: "One per line: schema.function. Queries may call no others of its own.",
  },
] as const;

/** Folded under "More", with the present values in one line. */
export function FoldedSettings(props: SettingsFieldsProps) {
  const { settings, faults } = props;
  const isFaulty = ["tls", "schemas", "tables", "columns", "functions", "samples", "max_rows", "timeout_s"].some(
    (field) => faultIn(faults, field) !== undefined,
  );
  return (
    <details className="rounded-md border border-line" {...(isFaulty ? { open: true } : {})}>
      <summary className="px-3 py-2">
        <span className="font-medium">More</span>{" "}
        <span className="text-sm text-quiet">{describeSettings(toSettings(settings))}</span>
      </summary>
      <div className="border-t border-line p-3">
        <SettingsFields {...props} />
      </div>
    </details>
  );
}

export function SettingsFields({ settings, onChange, faults }: SettingsFieldsProps) {
  return (
    <div className="flex flex-col gap-4">
      <SelectField
        label="TLS"
        value={settings.tls}
        onChange={({ target }) => onChange({ ...settings, tls: target.value === "off" ? "off" : "require" })}
        hint="Off works only for hosts that the operator opened for development."
        error={faultIn(faults, "tls")}
      >
        <option value="require">Required</option>
        <option value="off">Off</option>
      </SelectField>
      {LISTS.map(({ name, field, label, hint }) => (
        <TextArea
          key={name}
          label={label}
          rows={2}
          isCode
          value={settings[name]}
          onChange={({ target }) => onChange({ ...settings, [name]: target.value })}
          hint={hint}
          error={faultIn(faults, field)}
        />
      ))}
      <CheckField
        label="Read sample values for questions in plain language"
        checked={settings.samples}
        onChange={({ target }) => onChange({ ...settings, samples: target.checked })}
        hint="Up to 20 distinct values of each short text column of small tables. They go to the provider of the task's model."
        error={faultIn(faults, "samples")}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Maximum rows"
          inputMode="numeric"
          autoComplete="off"
          value={settings.maxRows}
          onChange={({ target }) => onChange({ ...settings, maxRows: target.value })}
          hint="At most 10,000."
          error={faultIn(faults, "max_rows")}
        />
        <TextField
          label="Timeout in seconds"
          inputMode="numeric"
          autoComplete="off"
          value={settings.timeout}
          onChange={({ target }) => onChange({ ...settings, timeout: target.value })}
          hint="At most 50."
          error={faultIn(faults, "timeout_s")}
        />
      </div>
    </div>
  );
}
