/** The actions of an app: what each does, how risky it is, and why Otto says so. */
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import type { AppAction, MarketplaceApp } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { More } from "../../ui/more.tsx";
import { Name } from "../../ui/name.tsx";
import { Empty, Notice, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { getEffectWording, getLevelWording } from "../tools/tool-words.ts";
import { useActions } from "./app-queries.ts";
import { formatUnread, listParameters } from "./app-words.ts";
import { OverrideButton } from "./override-button.tsx";
import { readAppSearch } from "./apps-search.ts";
import { SyncButton } from "./sync-button.tsx";

interface AppProps {
  readonly app: MarketplaceApp;
}

export function ActionList({ app, mayChoose }: AppProps & { readonly mayChoose: boolean }) {
  const { search = "" } = useSearch({ from: "/console/apps/$app" });
  const navigate = useNavigate();
  const { app_name: name } = app;
  const onSearch = useCallback(
    (next: string) =>
      void navigate({
        to: "/apps/$app",
        params: { app: name },
        search: readAppSearch({ search: next }),
        replace: true,
      }),
    [navigate, name],
  );
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <div className="flex min-w-0 flex-1 basis-64">
          <SearchBox label="Search actions" value={search} onSearch={onSearch} />
        </div>
        {mayChoose ? (
          <Link to="/apps/$app" params={{ app: name }} search={{ view: "choose" }} className={buttonClasses()}>
            Choose actions
          </Link>
        ) : null}
      </div>
      <Found app={app} search={search} mayChoose={mayChoose} />
    </>
  );
}

interface FoundProps extends AppProps {
  readonly search: string;
  readonly mayChoose: boolean;
}

function Found({ app, search, mayChoose }: FoundProps) {
  const { rows, isLoading, error, retry, more } = useActions(app.app_name, search, app.action_count);
  if (isLoading) return <Skeleton rows={6} height="h-24" label="Loading the actions" />;
  if (error !== null && rows.length === 0)
    return <ProblemNotice error={error} doing="Couldn't load the actions" onRetry={retry} />;
  if (rows.length === 0) return search === "" ? <NoActions app={app} /> : <Empty title="No matching actions" />;
  return (
    <>
      {search === "" && app.directory === null && rows.every((action) => listParameters(action).length === 0) ? (
        <NoParameters />
      ) : null}
      <p role="status" className="sr-only">
        {more.hasMore ? `more than ${rows.length} actions` : `${rows.length} actions`}
      </p>
      <ul aria-label="Actions" className="divide-y divide-line rounded-lg border border-line bg-surface">
        {rows.map((action) => (
          <Action key={action.name} app={app} action={action} mayChange={mayChoose} />
        ))}
      </ul>
      <More {...more} />
    </>
  );
}

function NoActions({ app }: AppProps) {
  return app.directory !== null ? (
    <Empty title="No actions yet">{formatUnread(app)}</Empty>
  ) : (
    <Empty title="No actions" action={<SyncButton kind="full">Sync the catalogue</SyncButton>}>
      The catalogue has no actions of this app. Ask an administrator to sync the catalogue.
    </Empty>
  );
}

function NoParameters() {
  return (
    <Notice
      title="These actions have no parameters"
      action={<SyncButton kind="backfill">Read the parameters</SyncButton>}
    >
      The provider may have listed them without. Ask an administrator to read them again.
    </Notice>
  );
}

function Action({ app, action, mayChange }: AppProps & { readonly action: AppAction; readonly mayChange: boolean }) {
  const level = getLevelWording(action.security);
  const effect = getEffectWording(action.effect);
  return (
    <li className="flex flex-col gap-1.5 px-4 py-3">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <span className="font-semibold">
          <Name>{action.display_name}</Name>
        </span>
        <code className="font-mono text-sm [overflow-wrap:anywhere] text-quiet">{action.name}</code>
      </div>
      {action.description === "" ? null : (
        <p dir="auto" className="[overflow-wrap:anywhere] text-quiet">
          <Name>{action.description}</Name>
        </p>
      )}
      <span className="flex flex-wrap gap-1.5">
        {app.is_added ? (
          <Badge tone={action.enabled ? "good" : "plain"}>{action.enabled ? "Enabled" : "Not enabled"}</Badge>
        ) : null}
        <Badge tone={level.tone}>{level.word}</Badge>
        <Badge tone={effect.tone}>{effect.word}</Badge>
        {action.is_destructive ? <Badge tone="danger">Cannot be undone</Badge> : null}
      </span>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1.5">
        <p className="min-w-0 flex-1 basis-56 text-sm text-quiet">
          <Name>{action.because}</Name>
        </p>
        {mayChange ? <OverrideButton app={app} action={action} /> : null}
      </div>
      <Parameters action={action} />
    </li>
  );
}

/** Parameters that are named; the rest is a number. */
const NAMED = 12;

function Parameters({ action }: { readonly action: AppAction }) {
  const all = listParameters(action);
  if (all.length === 0) return null;
  const rest = all.length - NAMED;
  return (
    <p className="text-sm [overflow-wrap:anywhere] text-quiet">
      Parameters:{" "}
      {all.slice(0, NAMED).map(({ name, isRequired }, index) => (
        <span key={name}>
          {index === 0 ? "" : ", "}
          <Name>{name}</Name>
          {isRequired ? " (required)" : ""}
        </span>
      ))}
      {rest > 0 ? ` and ${rest} more` : ""}
    </p>
  );
}
