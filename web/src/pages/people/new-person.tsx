import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answered, api } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import { useRequestKey } from "../../api/request-key.ts";
import { Button } from "../../ui/button.tsx";
import { useDraft } from "../../ui/draft.ts";
import type { Faults } from "../../ui/faults.ts";
import { ProblemNotice } from "../../ui/notice.tsx";
import { useToast } from "../../ui/toast.tsx";
import { ownZone } from "../../ui/zone-field.tsx";
import { newPerson, type PersonSetting, readPerson } from "./person-draft.ts";
import { PersonForm } from "./person-form.tsx";

export function NewPerson({ onDone }: { readonly onDone: () => void }) {
  const queries = useQueryClient();
  const say = useToast();
  const [draft, setDraft, forget] = useDraft("person new", newPerson(ownZone()));
  const [faults, setFaults] = useState<Faults>({});
  const { headersFor } = useRequestKey();
  const making = useMutation({
    mutationFn: async (body: PersonSetting) =>
      await answered(api.POST("/v1/people", { body, headers: headersFor(body) })),
    onSuccess: async ({ name }) => {
      forget();
      onDone();
      say(`${name} is added.`);
      await queries.invalidateQueries({ queryKey: ["people"] });
    },
  });
  const submit = (): boolean => {
    const read = readPerson(draft);
    setFaults(read.ok ? {} : read.faults);
    if (read.ok && !making.isPending) making.mutate(read.value);
    return read.ok;
  };
  return (
    <PersonForm
      draft={draft}
      faults={{ ...(making.isError ? toApiError(making.error).fields : {}), ...faults }}
      onChange={(part) => {
        setDraft({ ...draft, ...part });
        setFaults({});
      }}
      onSubmit={submit}
    >
      {making.isError ? <ProblemNotice error={making.error} doing="Couldn't add the person" /> : null}
      <Button type="submit" look="primary" isBusy={making.isPending} className="self-end">
        Add the person
      </Button>
    </PersonForm>
  );
}
