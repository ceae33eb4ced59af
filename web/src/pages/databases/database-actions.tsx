/** What can be done with a database: check it, change its lists and its address, delete it. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { KeyRound, PlugZap, SlidersHorizontal, Users as UsersIcon } from "lucide-react";
import { type ReactNode, useState } from "react";
import { answered, api } from "../../api/client.ts";
import type { Database, DatabaseChangeInput } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { DeleteButton } from "../../ui/delete-button.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { useToast } from "../../ui/toast.tsx";
import { toChangedUsers } from "../../users/users-draft.ts";
import { UsersDialog } from "../../users/users-dialog.tsx";
import { CheckResult } from "./check-result.tsx";
import { DsnDialog } from "./dsn-dialog.tsx";
import { SettingsDialog } from "./settings-dialog.tsx";

interface DatabaseActionsProps {
  readonly database: Database;
  readonly onClose: () => void;
  /** What is known of it: below the result of the check. */
  readonly children: ReactNode;
}

export function DatabaseActions({ database, onClose, children }: DatabaseActionsProps) {
  const { name, status } = database;
  const queries = useQueryClient();
  const say = useToast();
  const [changing, setChanging] = useState<"users" | "settings" | "dsn" | null>(null);
  const readAll = async (): Promise<void> => await queries.invalidateQueries({ queryKey: ["databases"] });
  const params = { path: { database: name } };
  const change = async (body: DatabaseChangeInput): Promise<Database> =>
    await answered(api.PATCH("/v1/databases/{database}", { params, body }));
  const checking = useMutation({
    mutationFn: async () => await answered(api.POST("/v1/databases/{database}/check", { params })),
    onSuccess: readAll,
  });
  const accepting = useMutation({
    mutationFn: async () => await change({ accept_writing_role: true }),
    onSuccess: async () => {
      say("The role is accepted.");
      await readAll();
    },
  });
  const endChange = (): void => setChanging(null);
  /** Why a check failed says nothing about settings or an address that were changed since. */
  const readChanged = async (): Promise<void> => {
    checking.reset();
    await readAll();
  };
  return (
    <>
      {checking.isError ? <ProblemNotice error={checking.error} doing="Couldn't check it" /> : null}
      {accepting.isError ? <ProblemNotice error={accepting.error} doing="Couldn't accept the role" /> : null}
      <CheckResult
        database={database}
        accept={
          <Button size="small" isBusy={accepting.isPending} onClick={() => accepting.mutate()}>
            Accept this role
          </Button>
        }
      />
      {children}
      <div className="flex flex-wrap gap-2 border-t border-line pt-4">
        <Button
          look={status === "ready" ? "plain" : "primary"}
          icon={<PlugZap aria-hidden className="size-4" />}
          isBusy={checking.isPending}
          onClick={() => checking.mutate()}
        >
          Check
        </Button>
        <Button icon={<UsersIcon aria-hidden className="size-4" />} onClick={() => setChanging("users")}>
          Change who may use it
        </Button>
        <Button icon={<SlidersHorizontal aria-hidden className="size-4" />} onClick={() => setChanging("settings")}>
          Change settings
        </Button>
        <Button icon={<KeyRound aria-hidden className="size-4" />} onClick={() => setChanging("dsn")}>
          Replace the DSN
        </Button>
        <DeleteButton
          name={name}
          action="Delete the database"
          remove={async () => await answered(api.DELETE("/v1/databases/{database}", { params }))}
          onDeleted={async () => {
            onClose();
            await readAll();
          }}
        >
          Agents can no longer query it. Nothing changes at the database.
        </DeleteButton>
      </div>
      <UsersDialog
        isOpen={changing === "users"}
        name={name}
        thing="database"
        users={database}
        save={async (users) => await change(toChangedUsers(users))}
        onSaved={readAll}
        onClose={endChange}
      />
      <SettingsDialog
        isOpen={changing === "settings"}
        database={database}
        change={change}
        onSaved={readChanged}
        onClose={endChange}
      />
      <DsnDialog isOpen={changing === "dsn"} name={name} change={change} onSaved={readChanged} onClose={endChange} />
    </>
  );
}
