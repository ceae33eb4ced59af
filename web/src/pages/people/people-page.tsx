/** People: humans whom tasks can ask or tell something. */
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { UserPlus } from "lucide-react";
import { answered, api } from "../../api/client.ts";
import { usePaged } from "../../api/paged.ts";
import type { Person } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Listing } from "../../ui/listing.tsx";
import { Empty } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { NewPerson } from "./new-person.tsx";
import { addressInWords, hoursInWords, rightsInWords, zoneInWords } from "./person-words.ts";
import { Name } from "../../ui/name.tsx";

/** Addresses of a person that the list shows. */
const SHOWN = 2;

const columns: readonly Column<Person>[] = [
  {
    title: "Name",
    isMain: true,
    cell: ({ id, name, aliases }) => (
      <>
        <Link to="/people/$personId" params={{ personId: id }} className="font-medium text-accent hover:underline">
          <Name>{name}</Name>
        </Link>
        {aliases.length === 0 ? null : (
          <span className="block text-sm text-quiet">
            <Name>{aliases.join(", ")}</Name>
          </span>
        )}
      </>
    ),
  },
  { title: "Reached by", cell: (person) => <Addresses of={person} /> },
  {
    title: "Works",
    cell: (person) => (
      <span className="flex flex-col text-sm sm:whitespace-nowrap">
        {hoursInWords(person)}
        <span className="text-quiet">{zoneInWords(person)}</span>
      </span>
    ),
  },
  {
    title: "Permissions",
    cell: (person) => <Badge tone={person.may_approve ? "accent" : "plain"}>{rightsInWords(person)}</Badge>,
  },
];

export function PeoplePage() {
  const { add = false } = useSearch({ from: "/console/people" });
  const navigate = useNavigate({ from: "/people" });
  const list = usePaged<Person>(
    ["people", "list"],
    async (cursor) => await answered(api.GET("/v1/people", { params: { query: { cursor } } })),
  );
  const open = (isOpen: boolean): void => void navigate({ search: isOpen ? { add: true } : {} });
  const button = (
    <Button look="primary" icon={<UserPlus aria-hidden className="size-4" />} onClick={() => open(true)}>
      Add a person
    </Button>
  );
  return (
    <Page
      title="People"
      lead="People your agents can ask or notify. Anyone who writes to Otto in Slack is added."
      actions={button}
    >
      <Listing
        list={list}
        empty={
          <Empty title="No people yet" action={button}>
            Add the people whom agents may ask: where they are reached, when they work, and whether they may approve.
          </Empty>
        }
      >
        <Table caption="People" columns={columns} rows={list.rows} rowKey={({ id }) => id} />
      </Listing>
      <Dialog isOpen={add} title="Add a person" onClose={() => open(false)} isWide>
        <NewPerson onDone={() => open(false)} />
      </Dialog>
    </Page>
  );
}

function Addresses({ of: { addresses } }: { readonly of: Person }) {
  if (addresses.length === 0) return <span className="text-sm text-quiet">This console alone</span>;
  return (
    <span className="flex flex-col text-sm">
      {addresses.slice(0, SHOWN).map((address) => (
        <bdi key={addressInWords(address)}>{addressInWords(address)}</bdi>
      ))}
      {addresses.length > SHOWN ? <span className="text-quiet">and {addresses.length - SHOWN} more</span> : null}
    </span>
  );
}
