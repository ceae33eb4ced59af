/** Adds a database. It is checked next, in its own window. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answered, api } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import { useRequestKey } from "../../api/request-key.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { UserFields } from "../../users/user-fields.tsx";
import { NEW_USERS, toNewUsers } from "../../users/users-draft.ts";
import { DsnField } from "./dsn-field.tsx";
import { GrantExample } from "./grant-example.tsx";
import { NEW_SETTINGS, toLines, toSettings } from "./settings-draft.ts";
import { FoldedSettings } from "./settings-fields.tsx";

interface NewDatabaseProps {
  readonly onAdded: (name: string) => void;
  readonly onClose: () => void;
}

export function NewDatabase({ onAdded, onClose }: NewDatabaseProps) {
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [dsn, setDsn] = useState("");
  const [users, setUsers] = useState(NEW_USERS);
  const [settings, setSettings] = useState(NEW_SETTINGS);
  const { headersFor } = useRequestKey();
  const adding = useMutation({
    mutationFn: async () => {
      const body = {
        name: name.trim(),
        kind: "postgres" as const,
        dsn: dsn.trim(),
        ...toNewUsers(users),
        ...toSettings(settings),
      };
      return await answered(api.POST("/v1/databases", { body, headers: headersFor(body) }));
    },
    onSuccess: async ({ name: added }) => {
      onAdded(added);
      await queries.invalidateQueries({ queryKey: ["databases"] });
    },
  });
  const faults = adding.isError ? toApiError(adding.error).fields : {};
  return (
    <Form className="flex flex-col gap-4" onSubmit={() => !adding.isPending && adding.mutate()}>
      <TextField
        label="Name"
        required
        autoComplete="off"
        spellCheck="false"
        maxLength={64}
        value={name}
        onChange={({ target }) => setName(target.value)}
        hint="Agents choose it by this name, which does not change later."
        error={faults["name"]}
      />
      <DsnField dsn={dsn} onChange={setDsn} error={faults["dsn"]} />
      <GrantExample schemas={toLines(settings.schemas)} />
      <UserFields users={users} onChange={setUsers} faults={faults} thing="database" />
      <FoldedSettings settings={settings} onChange={setSettings} faults={faults} />
      {adding.isError ? <ProblemNotice error={adding.error} doing="Couldn't add it" /> : null}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={adding.isPending}>
          Add
        </Button>
      </div>
    </Form>
  );
}
