/** Enabled actions that changed at their provider and wait for an administrator. Tasks have them as they were approved. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Check } from "lucide-react";
import { answered, api } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import type { AppChanges as Changes, MarketplaceApp } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { Name } from "../../ui/name.tsx";
import { Notice } from "../../ui/notice.tsx";
import { useToast } from "../../ui/toast.tsx";
import { changesQuery, marketplaceKey } from "./app-queries.ts";
import { describeChange, describeChanges } from "./app-words.ts";

/** Changes that are listed; the rest is a number. */
const LISTED = 20;

export function AppChanges({ app }: { readonly app: MarketplaceApp }) {
  const { data } = useQuery(changesQuery(app.app_name));
  if (data === undefined || data.changed.length + data.removed.length === 0) return null;
  const lines = [
    ...data.changed.map((one) => ({ name: one.name, title: one.display_name, words: describeChange(one) })),
    ...data.removed.map((name) => ({ name, title: name, words: "no longer offered" })),
  ];
  return (
    <Notice
      tone="warn"
      title={describeChanges(data)}
      action={data.hash === null ? undefined : <Approve app={app} hash={data.hash} />}
    >
      <p>Tasks use the approved version of a changed action. Review the changes, then approve them.</p>
      <ul aria-label="Changed actions" className="mt-1 list-disc pl-5">
        {lines.slice(0, LISTED).map(({ name, title, words }) => (
          <li key={name} className="[overflow-wrap:anywhere]">
            <Name className="font-medium">{title}</Name>: {words}
          </li>
        ))}
      </ul>
      {lines.length > LISTED ? <p>{`and ${lines.length - LISTED} more`}</p> : null}
    </Notice>
  );
}

function Approve({ app, hash }: { readonly app: MarketplaceApp; readonly hash: NonNullable<Changes["hash"]> }) {
  const queries = useQueryClient();
  const say = useToast();
  const approving = useMutation({
    mutationFn: async () =>
      await answered(
        api.POST("/api/tools/{app}/changes/approve", { params: { path: { app: app.app_name } }, body: { hash } }),
      ),
    onSuccess: () => say("The changes are approved. New tasks have them."),
    onError: (error) => say(`Couldn't approve: ${toApiError(error).message}`),
    // Others may have come meanwhile.
    onSettled: async () => await queries.invalidateQueries({ queryKey: marketplaceKey }),
  });
  return (
    <Button
      size="small"
      isBusy={approving.isPending}
      icon={<Check aria-hidden className="size-4" />}
      onClick={() => approving.mutate()}
    >
      Approve
    </Button>
  );
}
