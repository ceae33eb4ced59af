/** One codebase: what is known of it, why it failed or skipped files, and what can be done with it. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { CalendarClock, RotateCw, Users as UsersIcon } from "lucide-react";
import { useState } from "react";
import { answered, api } from "../../api/client.ts";
import { useRequestKey } from "../../api/request-key.ts";
import type { Codebase } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { DeleteButton } from "../../ui/delete-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ExactText } from "../../ui/exact-text.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { MissingData } from "../../ui/missing-data.tsx";
import { Notice, ProblemNotice } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { UserWords } from "../../users/user-words.tsx";
import { toChangedUsers } from "../../users/users-draft.ts";
import { UsersDialog } from "../../users/users-dialog.tsx";
import { canHaveRule, describeNoRule, describeRule } from "./code-schedule.ts";
import {
  describeIndex,
  describeSearch,
  describeSkipped,
  describeSource,
  isUnderWay,
  lacksVectors,
} from "./code-words.ts";
import { CodebaseState } from "./codebase-list.tsx";
import { codebaseQuery } from "./codebase-queries.ts";
import { ScheduleDialog } from "./schedule-dialog.tsx";

interface CodebaseDialogProps {
  /** Null: closed. */
  readonly id: string | null;
  readonly onClose: () => void;
}

export function CodebaseDialog({ id, onClose }: CodebaseDialogProps) {
  return (
    <Dialog isOpen={id !== null} title="Codebase" onClose={onClose} isWide>
      {id === null ? null : <OneCodebase key={id} id={id} onClose={onClose} />}
    </Dialog>
  );
}

function OneCodebase({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { data, error, isPending, refetch } = useQuery(codebaseQuery(id));
  if (data === undefined) return <MissingData error={error} isPending={isPending} refetch={refetch} />;
  return (
    <div className="flex flex-col gap-4">
      <Failure codebase={data} />
      <CodebaseFacts codebase={data} />
      <CodebaseActions codebase={data} onClose={onClose} />
    </div>
  );
}

function Failure({ codebase: { status, error, indexed_at } }: { readonly codebase: Codebase }) {
  if (status !== "failed") return null;
  return (
    <Notice tone="danger" title="Couldn't index it">
      <p className="[overflow-wrap:anywhere]">{error ?? "The reason is unknown."}</p>
      <p>
        {indexed_at === null
          ? "Searches do not find it. Fix the cause and index it again, or delete it."
          : "Searches still use the previous index. Fix the cause and index it again, or delete it."}
      </p>
    </Notice>
  );
}

function CodebaseFacts({ codebase }: { readonly codebase: Codebase }) {
  const { name, source, commit, skipped, indexed_at, created_at } = codebase;
  const reasons = describeSkipped(skipped);
  return (
    <Facts>
      <Fact name="Name">
        <span className="font-medium">{name}</span>
      </Fact>
      <Fact name="Source">
        <ExactText text={describeSource(source)} />
      </Fact>
      <Fact name="Secret">
        {"git" in source && source.secret !== undefined ? <code className="font-mono">{source.secret}</code> : null}
      </Fact>
      <Fact name="State">
        <CodebaseState codebase={codebase} />
      </Fact>
      <Fact name="Contents">{describeIndex(codebase)}</Fact>
      <Fact name="Search">{indexed_at === null ? null : <Search codebase={codebase} />}</Fact>
      <Fact name="Skipped files">
        {reasons.length === 0 ? null : (
          <ul>
            {reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        )}
      </Fact>
      <Fact name="Commit">{commit === null ? null : <code className="font-mono">{commit}</code>}</Fact>
      <Fact name="Indexed">{indexed_at === null ? null : <Time at={indexed_at} />}</Fact>
      <Fact name="Schedule">
        <Rule codebase={codebase} />
      </Fact>
      <Fact name="Added">
        <Time at={created_at} />
      </Fact>
      <Fact name="Who may use it">
        <UserWords users={codebase} />
      </Fact>
    </Facts>
  );
}

/** The API does not say which of the causes it was. */
function Search({ codebase }: { readonly codebase: Codebase }) {
  if (!lacksVectors(codebase)) return describeSearch(codebase);
  return (
    <>
      {describeSearch(codebase)}
      <p className="text-sm text-quiet">
        Vectors are missing: the embedding model was away or has changed, or your codebases have too much code. Index
        again. If vectors stay missing, delete a codebase or index less.
      </p>
    </>
  );
}

function Rule({ codebase: { source, reindex, next_at } }: { readonly codebase: Codebase }) {
  if (reindex.every === null) return describeNoRule("git" in source);
  return (
    <>
      {describeRule(reindex.every)}
      {next_at === null ? null : (
        <>
          {", next "}
          <Time at={next_at} />
        </>
      )}
    </>
  );
}

function CodebaseActions({ codebase, onClose }: { readonly codebase: Codebase; readonly onClose: () => void }) {
  const { id, name } = codebase;
  const queries = useQueryClient();
  const say = useToast();
  const [changing, setChanging] = useState<"users" | "schedule" | null>(null);
  const { headersFor, renew } = useRequestKey();
  const readAll = async (): Promise<void> => await queries.invalidateQueries({ queryKey: ["codebases"] });
  const endChange = (): void => setChanging(null);
  const path = { id };
  const indexing = useMutation({
    mutationFn: async () =>
      await answered(api.POST("/v1/codebases/{id}/reindex", { params: { path }, headers: headersFor(path) })),
    onSuccess: async () => {
      renew();
      say("It is indexed again in the background.");
      await readAll();
    },
  });
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-4">
      <div className="flex flex-wrap gap-2">
        <Button
          icon={<RotateCw aria-hidden className="size-4" />}
          isBusy={indexing.isPending}
          disabled={isUnderWay(codebase)}
          onClick={() => indexing.mutate()}
        >
          Index again
        </Button>
        {canHaveRule(codebase) ? (
          <Button icon={<CalendarClock aria-hidden className="size-4" />} onClick={() => setChanging("schedule")}>
            Change the schedule
          </Button>
        ) : null}
        <Button icon={<UsersIcon aria-hidden className="size-4" />} onClick={() => setChanging("users")}>
          Change who may use it
        </Button>
        <DeleteButton
          name={name}
          action="Delete the codebase"
          remove={async () => await answered(api.DELETE("/v1/codebases/{id}", { params: { path } }))}
          onDeleted={async () => {
            onClose();
            await readAll();
          }}
        >
          Agents no longer find it. Nothing changes where the code comes from.
        </DeleteButton>
      </div>
      {indexing.isError ? <ProblemNotice error={indexing.error} doing="Couldn't index it again" /> : null}
      <UsersDialog
        isOpen={changing === "users"}
        name={name}
        thing="codebase"
        users={codebase}
        save={async (users) =>
          await answered(api.PATCH("/v1/codebases/{id}", { params: { path }, body: toChangedUsers(users) }))
        }
        onSaved={readAll}
        onClose={endChange}
      />
      <ScheduleDialog isOpen={changing === "schedule"} codebase={codebase} onSaved={readAll} onClose={endChange} />
    </div>
  );
}
