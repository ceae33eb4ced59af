import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { useState } from "react";
import { answered, api, newRequestKey, once } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import { sessionQuery } from "../../api/session.ts";
import { Button } from "../../ui/button.tsx";
import { useToast } from "../../ui/toast.tsx";
import { integrationsQuery, marketplaceKey } from "./app-queries.ts";

interface SyncButtonProps {
  readonly children: string;
  readonly kind: "full" | "backfill";
}

/** Starts a sync of the catalogue. Only for administrators, and only where a provider is set up. */
export function SyncButton({ children, kind }: SyncButtonProps) {
  const { data: session } = useQuery(sessionQuery);
  const { data: integrations } = useQuery(integrationsQuery);
  const [key, setKey] = useState(newRequestKey);
  const say = useToast();
  const client = useQueryClient();
  const syncing = useMutation({
    mutationFn: async () => {
      const headers = once(key);
      return kind === "full"
        ? await answered(api.POST("/api/tools/sync", { headers, body: {} }))
        : await answered(api.POST("/api/tools/backfill-params", { headers, body: {} }));
    },
    onSuccess: async () => {
      say("The sync runs. Reload the page in a minute.");
      await client.invalidateQueries({ queryKey: marketplaceKey });
    },
    onError: (error) => say(`Couldn't sync: ${toApiError(error).message}`),
    onSettled: () => setKey(newRequestKey()),
  });
  const mayStart = session?.scopes.includes("admin") === true && integrations?.status !== "integrations_unavailable";
  if (!mayStart || integrations === undefined) return null;
  return (
    <Button
      isBusy={syncing.isPending}
      icon={<RefreshCw aria-hidden className="size-4" />}
      onClick={() => syncing.mutate()}
    >
      {children}
    </Button>
  );
}
