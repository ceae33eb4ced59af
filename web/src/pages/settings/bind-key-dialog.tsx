/** Sets the person whom a key belongs to. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { answered, api } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import { sessionQuery } from "../../api/session.ts";
import type { Key } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { faultIn } from "../../ui/faults.ts";
import { ProblemNotice } from "../../ui/notice.tsx";
import { useToast } from "../../ui/toast.tsx";
import { PersonField } from "./person-field.tsx";

export function BindKeyDialog({ apiKey, onClose }: { readonly apiKey: Key | null; readonly onClose: () => void }) {
  return (
    <Dialog isOpen={apiKey !== null} title={`Bind “${apiKey?.name ?? ""}” to a person`} onClose={onClose}>
      {apiKey === null ? null : <BindKeyForm apiKey={apiKey} onClose={onClose} />}
    </Dialog>
  );
}

function BindKeyForm({ apiKey, onClose }: { readonly apiKey: Key; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const say = useToast();
  const [chosen, setChosen] = useState(apiKey.person?.id ?? "");
  const binding = useMutation({
    mutationFn: async () => {
      const [path, body] = [{ id: apiKey.id }, { person: chosen === "" ? null : chosen }];
      return await answered(api.PATCH("/v1/keys/{id}", { params: { path }, body }));
    },
    onSuccess: async ({ name, person }) => {
      onClose();
      say(person === null ? `“${name}” belongs to nobody.` : `“${name}” acts for ${person.name}.`);
      await queries.invalidateQueries({ queryKey: ["keys"] });
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!binding.isPending) binding.mutate();
  };
  const faults = binding.isError ? toApiError(binding.error).fields : {};
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <PersonField value={chosen} onChange={setChosen} error={faultIn(faults, "person")} present={apiKey.person} />
      <p className="text-sm text-quiet">The person is notified. Running tasks keep the person that they began with.</p>
      {binding.isError ? <ProblemNotice error={binding.error} /> : null}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" type="submit" isBusy={binding.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}
