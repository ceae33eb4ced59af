import { useQueryClient } from "@tanstack/react-query";
import { answeredWithTag, api } from "../../api/client.ts";
import type { Person } from "../../api/types.generated.ts";
import { EditButtons, EditOvertaken } from "../../ui/edit-parts.tsx";
import { type Tagged, useEdit } from "../../ui/edit.ts";
import { Card } from "../../ui/page.tsx";
import { useToast } from "../../ui/toast.tsx";
import { draftOfPerson, readPerson } from "./person-draft.ts";
import { PersonForm } from "./person-form.tsx";
import { personQuery } from "./person-queries.ts";

export function EditPerson({ person }: { readonly person: Tagged<Person> }) {
  const { id } = person.body;
  const queries = useQueryClient();
  const say = useToast();
  const edit = useEdit({
    kind: "person",
    now: person,
    draftOf: draftOfPerson,
    read: readPerson,
    put: async (body, header) =>
      await answeredWithTag(api.PUT("/v1/people/{id}", { params: { path: { id }, header }, body })),
    onSaved: async ({ name }) => {
      say(`“${name}” is saved.`);
      await queries.invalidateQueries({ queryKey: ["people"] });
    },
    queryKey: personQuery(id).queryKey,
  });
  return (
    <>
      <EditOvertaken edit={edit} />
      <Card>
        <PersonForm draft={edit.draft} faults={edit.faults} onChange={edit.change} onSubmit={edit.save}>
          <EditButtons edit={edit} />
        </PersonForm>
      </Card>
    </>
  );
}
