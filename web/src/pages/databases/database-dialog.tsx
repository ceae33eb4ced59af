/** One database: what its check found, what is known of it, and what can be done with it. */
import { useQuery } from "@tanstack/react-query";
import { answered, api } from "../../api/client.ts";
import type { Database } from "../../api/types.generated.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { MissingData } from "../../ui/missing-data.tsx";
import { Time } from "../../ui/time.tsx";
import { UserWords } from "../../users/user-words.tsx";
import { DatabaseActions } from "./database-actions.tsx";
import { DatabaseState } from "./database-list.tsx";
import { describeSamples, describeSettings, KIND_WORDS } from "./database-words.ts";

interface DatabaseDialogProps {
  /** Null: closed. */
  readonly name: string | null;
  readonly onClose: () => void;
}

export function DatabaseDialog({ name, onClose }: DatabaseDialogProps) {
  return (
    <Dialog isOpen={name !== null} title="Database" onClose={onClose} isWide>
      {name === null ? null : <OneDatabase key={name} name={name} onClose={onClose} />}
    </Dialog>
  );
}

function OneDatabase({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["databases", "one", name],
    queryFn: async () => await answered(api.GET("/v1/databases/{database}", { params: { path: { database: name } } })),
  });
  if (data === undefined) return <MissingData error={error} isPending={isPending} refetch={refetch} />;
  return (
    <div className="flex flex-col gap-4">
      <DatabaseActions database={data} onClose={onClose}>
        <DatabaseFacts database={data} />
      </DatabaseActions>
    </div>
  );
}

function DatabaseFacts({ database }: { readonly database: Database }) {
  const { name, kind, host, check, created_at, updated_at, version } = database;
  return (
    <Facts>
      <Fact name="Name">
        <span className="font-medium">{name}</span>
      </Fact>
      <Fact name="Kind">{KIND_WORDS[kind]}</Fact>
      <Fact name="Host">{host ?? "The stored DSN cannot be decrypted. Replace it."}</Fact>
      <Fact name="State">
        <DatabaseState database={database} />
      </Fact>
      <Fact name="Role">{check?.role}</Fact>
      <Fact name="Settings">{describeSettings(database)}</Fact>
      <Entries name="Schemas" entries={database.schemas} />
      <Entries name="Allowed tables" entries={database.tables?.allow} />
      <Entries name="Denied tables" entries={database.tables?.deny} />
      <Entries name="Denied columns" entries={database.columns?.deny} />
      <Entries name="Functions" entries={database.functions} />
      <Fact name="Sample values">{describeSamples(database)}</Fact>
      <Fact name="Who may use it">
        <UserWords users={database} />
      </Fact>
      <Fact name="Added">
        <Time at={created_at} />
      </Fact>
      <Fact name="Changed">{version === 1 ? null : <Time at={updated_at} />}</Fact>
    </Facts>
  );
}

function Entries({ name, entries = [] }: { readonly name: string; readonly entries?: readonly string[] | undefined }) {
  return <Fact name={name}>{entries.length === 0 ? null : entries.join(", ")}</Fact>;
}
