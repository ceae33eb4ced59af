import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { answered, api } from "../../api/client.ts";
import type { Person } from "../../api/types.generated.ts";
import { DeleteButton } from "../../ui/delete-button.tsx";
import { ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { EditPerson } from "./edit-person.tsx";
import { personQuery } from "./person-queries.ts";
import { hoursInWords, rightsInWords, zoneInWords } from "./person-words.ts";

export function PersonPage() {
  const { personId } = useParams({ from: "/console/people/$personId" });
  const { data, error, isPending, refetch } = useQuery(personQuery(personId));
  const person = data?.body;
  return (
    <Page
      title={person?.name ?? "Person"}
      lead={
        person === undefined ? undefined : `${rightsInWords(person)} · ${hoursInWords(person)}, ${zoneInWords(person)}`
      }
      actions={person === undefined ? null : <DeletePerson person={person} />}
    >
      {isPending ? <Skeleton rows={5} height="h-24" /> : null}
      {error === null ? null : <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined ? null : <EditPerson key={data.body.id} person={data} />}
    </Page>
  );
}

function DeletePerson({ person: { id, name } }: { readonly person: Person }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return (
    <DeleteButton
      name={name}
      action="Delete the person"
      remove={async () => await answered(api.DELETE("/v1/people/{id}", { params: { path: { id } } }))}
      onDeleted={async () => {
        await navigate({ to: "/people" });
        queries.removeQueries({ queryKey: personQuery(id).queryKey });
        await queries.invalidateQueries({ queryKey: ["people"] });
      }}
    >
      <p>
        Agents can no longer ask them. If they write to Otto in Slack again, they are added again, without the right to
        approve.
      </p>
    </DeleteButton>
  );
}
