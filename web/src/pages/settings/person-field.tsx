/** Chooses the person whom a key belongs to. */
import { useQuery } from "@tanstack/react-query";
import { peopleQuery } from "../../api/people.ts";
import type { Key } from "../../api/types.generated.ts";
import { SelectField } from "../../ui/field.tsx";

interface PersonFieldProps {
  /** The person's id; empty: nobody. */
  readonly value: string;
  readonly onChange: (id: string) => void;
  readonly error: string | undefined;
  /** The present person, who is offered also if the list lacks them. */
  readonly present?: Key["person"];
}

export function PersonField({ value, onChange, error, present = null }: PersonFieldProps) {
  const { data: people = [] } = useQuery(peopleQuery);
  const isListed = present === null || people.some(({ id }) => id === present.id);
  return (
    <SelectField
      label="Person"
      hint="Tasks of the key, and browsers that sign in with it, act for this person."
      value={value}
      onChange={({ target }) => onChange(target.value)}
      error={error}
    >
      <option value="">Nobody</option>
      {isListed ? null : <option value={present.id}>{present.name}</option>}
      {people.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}
