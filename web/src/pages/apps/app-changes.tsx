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
import { describeChangedTexts, describeChange, describeChanges, splitChanges } from "./app-words.ts";

type Change = Changes["changed"][number];

/** Changes that are listed; the rest is a number. */
const LISTED = 20;
/** A group of at most this many texts begins open. */
const OPENED = 3;

export function AppChanges({ app }: { readonly app: MarketplaceApp }) {
  const { data } = useQuery(changesQuery(app.app_name));
  if (data === undefined || data.changed.length + data.removed.length === 0) return null;
  const [texts, others] = splitChanges(data.changed);
  const lines = [
    ...others.map((one) => ({ name: one.name, title: one.display_name, words: describeChange(one), change: one })),
    ...data.removed.map((name) => ({ name, title: name, words: "no longer offered", change: null })),
  ];
  return (
    <Notice
      tone="warn"
      title={describeChanges(data)}
      action={data.hash === null ? undefined : <Approve app={app} hash={data.hash} />}
    >
      <p>Tasks use the approved version of a changed action. Review the changes, then approve them.</p>
      {lines.length === 0 ? null : (
        <ul aria-label="Changed actions" className="mt-1 list-disc pl-5">
          {lines.slice(0, LISTED).map(({ name, title, words, change }) => (
            <li key={name} className="[overflow-wrap:anywhere]">
              <Name className="font-medium">{title}</Name>: {words}
              {change === null ? null : <Texts change={change} />}
            </li>
          ))}
        </ul>
      )}
      {lines.length > LISTED ? <p>{`and ${lines.length - LISTED} more`}</p> : null}
      {texts.length === 0 ? null : <ChangedTexts changes={texts} />}
    </Notice>
  );
}

/** Descriptions change often, so those that change alone are one group, which opens. */
function ChangedTexts({ changes }: { readonly changes: readonly Change[] }) {
  return (
    <details className="mt-1" open={changes.length <= OPENED}>
      <summary className="font-medium">{describeChangedTexts(changes.length)}</summary>
      <ul aria-label="Changed descriptions" className="mt-1 list-disc pl-5">
        {changes.slice(0, LISTED).map((change) => (
          <li key={change.name} className="[overflow-wrap:anywhere]">
            <Name className="font-medium">{change.display_name}</Name>
            <Texts change={change} />
          </li>
        ))}
      </ul>
      {changes.length > LISTED ? <p>{`and ${changes.length - LISTED} more`}</p> : null}
    </details>
  );
}

/** What models read of an action, before and after. */
function Texts({ change: { before, after } }: { readonly change: Change }) {
  if (after.description === null) return null;
  return (
    <dl className="mt-0.5 mb-1">
      {before?.description == null ? null : <Text name="Before" text={before.description} />}
      <Text name="After" text={after.description} />
    </dl>
  );
}

function Text({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <div>
      <dt className="inline font-medium">{name}: </dt>
      <dd className="inline">
        <Name>{text}</Name>
      </dd>
    </div>
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
