/** Asks before an account is disconnected, or an ended connection is taken off the list. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answered, api } from "../../api/client.ts";
import type { Connection } from "../../api/types.generated.ts";
import { Confirm } from "../../ui/dialog.tsx";
import { Name } from "../../ui/name.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { useToast } from "../../ui/toast.tsx";
import { connectionsKey } from "./connection-queries.ts";
import { isOfServer } from "./connection-words.ts";

interface DisconnectDialogProps {
  /** Null: closed. */
  readonly connection: Connection | null;
  /** The app's title. */
  readonly title: string;
  readonly onClose: () => void;
}

export function DisconnectDialog({ connection, title, onClose }: DisconnectDialogProps) {
  const queries = useQueryClient();
  const say = useToast();
  const isEnded = connection?.status === "revoked";
  const ending = useMutation({
    mutationFn: async (id: string) => await answered(api.DELETE("/v1/connections/{id}", { params: { path: { id } } })),
    onSuccess: async () => {
      onClose();
      say(isEnded ? "The connection is removed." : `${title} is disconnected.`);
      await queries.invalidateQueries({ queryKey: connectionsKey });
    },
  });
  const close = (): void => {
    ending.reset();
    onClose();
  };
  return (
    <Confirm
      isOpen={connection !== null}
      title={isEnded ? `Remove ${title} from the list?` : `Disconnect ${title}?`}
      action={isEnded ? "Remove" : "Disconnect"}
      isBusy={ending.isPending}
      onConfirm={() => connection !== null && ending.mutate(connection.id)}
      onClose={close}
    >
      {isEnded ? (
        <p>The account was disconnected before.</p>
      ) : (
        <>
          {connection?.label == null ? null : (
            <p className="[overflow-wrap:anywhere]">
              Account: <Name className="font-medium">{connection.label}</Name>
            </p>
          )}
          <p>
            Tasks and schedules no longer act through it, and calls that need it wait until it is connected again. Otto
            erases the access{" "}
            {connection !== null && isOfServer(connection) ? (
              "and does not revoke it at the MCP server; remove Otto there too."
            ) : (
              <>
                and revokes it at <Name>{title}</Name>.
              </>
            )}{" "}
            A call under way finishes.
          </p>
        </>
      )}
      {ending.isError ? (
        <ProblemNotice error={ending.error} doing={isEnded ? "Couldn't remove" : "Couldn't disconnect"} />
      ) : null}
    </Confirm>
  );
}
