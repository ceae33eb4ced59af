import { useQuery } from "@tanstack/react-query";
import { agentsQuery } from "../../api/agents.ts";
import { SelectField, TextField } from "../../ui/field.tsx";
import { BUILT_IN_AGENT } from "./agent-queries.ts";

/** One of the tenant's agents, by its id; empty is the built-in one. A key that may not list agents types the id. */
export function AgentField({
  label = "Agent",
  value,
  hint,
  error,
  isDisabled = false,
  onChange,
}: {
  readonly label?: string;
  readonly value: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly isDisabled?: boolean;
  readonly onChange: (agent: string) => void;
}) {
  const { data, isError } = useQuery(agentsQuery);
  const common = { label, hint, error, value, disabled: isDisabled };
  if (isError)
    return (
      <TextField
        {...common}
        hint="The id or name of an agent; empty for the built-in one."
        onChange={({ target }) => onChange(target.value.trim())}
      />
    );
  const isKnown = value === "" || data === undefined || data.some(({ id }) => id === value);
  return (
    <SelectField {...common} onChange={({ target }) => onChange(target.value)}>
      <option value="">The built-in agent</option>
      {isKnown ? null : <option value={value}>{value}</option>}
      {(data ?? [])
        .filter(({ id }) => id !== BUILT_IN_AGENT)
        .map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
    </SelectField>
  );
}
