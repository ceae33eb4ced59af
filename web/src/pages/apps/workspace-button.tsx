/** Adds an app to the workspace, or removes it. For administrators. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { answered, api } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import type { MarketplaceApp } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { useToast } from "../../ui/toast.tsx";
import { marketplaceKey } from "./app-queries.ts";

interface AppProps {
  readonly app: MarketplaceApp;
}

export function WorkspaceButton({ app }: AppProps) {
  return app.is_added ? <RemoveButton app={app} /> : <AddButton app={app} />;
}

function AddButton({ app: { app_name: name, display_name: title, directory } }: AppProps) {
  const queries = useQueryClient();
  const say = useToast();
  const adding = useMutation({
    mutationFn: async () => await answered(api.POST("/api/tools/add-to-workspace", { body: { app_name: name } })),
    onSuccess: async () => {
      say(
        directory === null
          ? `${title} is added. New tasks can use its enabled actions.`
          : `${title} is added. Connect an account: its actions are read through it.`,
      );
      await queries.invalidateQueries({ queryKey: marketplaceKey });
    },
    onError: (error) => say(`Couldn't add ${title}: ${toApiError(error).message}`),
  });
  return (
    <Button
      look="primary"
      isBusy={adding.isPending}
      icon={<Plus aria-hidden className="size-4" />}
      onClick={() => adding.mutate()}
    >
      Add to workspace
    </Button>
  );
}

function RemoveButton({ app: { app_name: name, display_name: title, directory } }: AppProps) {
  const queries = useQueryClient();
  const say = useToast();
  const [isOpen, setOpen] = useState(false);
  const removing = useMutation({
    mutationFn: async () =>
      await answered(api.DELETE("/api/tools/remove-from-workspace/{app}", { params: { path: { app: name } } })),
    onSuccess: async () => {
      setOpen(false);
      say(`${title} is removed.`);
      await queries.invalidateQueries({ queryKey: marketplaceKey });
    },
  });
  const close = (): void => {
    removing.reset();
    setOpen(false);
  };
  return (
    <>
      <Button look="danger" onClick={() => setOpen(true)}>
        Remove
      </Button>
      <Confirm
        isOpen={isOpen}
        title={`Remove ${title} from the workspace?`}
        action="Remove"
        isBusy={removing.isPending}
        onConfirm={() => removing.mutate()}
        onClose={close}
      >
        <p>
          Agents can no longer call its actions, running tasks included.{" "}
          {directory === null ? "Connected accounts stay connected." : "Everyone's account of it is disconnected."}
        </p>
        {removing.isError ? <ProblemNotice error={removing.error} doing="Couldn't remove" /> : null}
      </Confirm>
    </>
  );
}
