import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { answered, api } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import { useRequestKey } from "../../api/request-key.ts";
import type { NewKey } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { faultIn } from "../../ui/faults.ts";
import { CheckField, SelectField, TextArea, TextField } from "../../ui/field.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { toKeyBounds } from "./key-bounds.ts";
import { PersonField } from "./person-field.tsx";
import { type Scope, SCOPES } from "./scopes.ts";

const DAY_MS = 86_400_000;
const LIVES = [
  { days: 0, label: "Until it is revoked" },
  { days: 1, label: "For one day" },
  { days: 30, label: "For 30 days" },
  { days: 365, label: "For one year" },
];

interface NewKeyProps {
  /** Takes the key, which no later answer shows: also when the window was closed meanwhile. */
  readonly onMade: (made: NewKey) => void;
  readonly onClose: () => void;
}

/** Makes a key. It is shown elsewhere: a stray click closes this window. */
export function NewKeyDialog({ isOpen, onMade, onClose }: NewKeyProps & { readonly isOpen: boolean }) {
  return (
    <Dialog isOpen={isOpen} title="New key" onClose={onClose}>
      <NewKeyForm {...{ onMade, onClose }} />
    </Dialog>
  );
}

function NewKeyForm({ onMade, onClose }: NewKeyProps) {
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly Scope[]>(["tasks:read", "tasks:write"]);
  const [projects, setProjects] = useState("");
  const [agents, setAgents] = useState("");
  const [person, setPerson] = useState("");
  const [days, setDays] = useState(0);
  const { headersFor } = useRequestKey();
  // One moment for every try, so that each is the same request.
  const [begun] = useState(Date.now);
  const making = useMutation({
    mutationFn: async () => {
      const expires_at = days === 0 ? null : new Date(begun + days * DAY_MS).toISOString();
      const bounds = { ...toKeyBounds(projects, agents), ...(person === "" ? {} : { person }) };
      const body = { name: name.trim(), scopes: [...scopes], ...bounds, expires_at };
      return await answered(api.POST("/v1/keys", { body, headers: headersFor(body) }));
    },
    onSuccess: async (made) => {
      onMade(made);
      await queries.invalidateQueries({ queryKey: ["keys"] });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!making.isPending) making.mutate(undefined, { onSuccess: onClose });
  };
  const faults = making.isError ? toApiError(making.error).fields : {};
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <TextField
        label="Name"
        hint="Who or what will use it."
        required
        maxLength={200}
        value={name}
        onChange={({ target }) => setName(target.value)}
        error={faults["name"]}
      />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 text-sm font-medium">What it may do</legend>
        {SCOPES.map(({ scope, may }) => (
          <CheckField
            key={scope}
            label={may}
            checked={scopes.includes(scope)}
            onChange={({ target }) =>
              setScopes(target.checked ? [...scopes, scope] : scopes.filter((other) => other !== scope))
            }
          />
        ))}
        {SCOPES.map(({ scope, warning }) =>
          warning === undefined || !scopes.includes(scope) ? null : (
            <p key={scope} role="status" className="text-sm font-medium text-danger">
              {warning}
            </p>
          ),
        )}
        {faultIn(faults, "scopes") === undefined ? null : (
          <p className="text-sm text-danger">{faultIn(faults, "scopes")}</p>
        )}
      </fieldset>
      <PersonField value={person} onChange={setPerson} error={faultIn(faults, "person")} />
      <TextArea
        label="Projects (optional)"
        rows={2}
        value={projects}
        onChange={({ target }) => setProjects(target.value)}
        hint="One per line. Limits the key to tasks, files and memory of these projects."
        error={faultIn(faults, "projects")}
      />
      <TextArea
        label="Agents (optional)"
        rows={2}
        value={agents}
        onChange={({ target }) => setAgents(target.value)}
        hint="One name per line. Limits the key to tasks of these agents."
        error={faultIn(faults, "agents")}
      />
      <SelectField label="Valid" value={days} onChange={({ target }) => setDays(Number(target.value))}>
        {LIVES.map(({ days: value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      {making.isError ? <ProblemNotice error={making.error} /> : null}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" type="submit" isBusy={making.isPending} disabled={scopes.length === 0}>
          Create key
        </Button>
      </div>
    </form>
  );
}
